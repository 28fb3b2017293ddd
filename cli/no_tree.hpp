// Why a graph has no tree, by the names of its nodes.
#pragma once

#include <coppice/io.hpp>
#include <coppice/problem.hpp>
#include <string>

namespace coppice::cli {

// What begins whatever is said of a graph that has no tree, or no legal one.
inline const std::string kNoTree = "no tree";
// The same of a search for legal trees that was ended.
inline const std::string kBudgetSpent = "budget spent";

std::string why_no_tree(const io::Sentence& sentence, const Problem& problem);

}  // namespace coppice::cli
