// The k best projective trees by dynamic programming over spans, the plain way: every span keeps
// its k best parts, each written out.
#pragma once

#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <vector>

namespace coppice::testing {

// In order; int64 weights as float64. Rules do not count.
std::vector<Tree> projective_kbest(Graph graph, const Problem& problem, std::size_t k);

}  // namespace coppice::testing
