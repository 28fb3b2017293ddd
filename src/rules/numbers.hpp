// What rules that take a number for every node have in common.
#pragma once

#include <coppice/graph.hpp>
#include <cstddef>
#include <string>

namespace coppice::rules {

// Throws Error, in the name of the rule, unless there are as many numbers as nodes.
void need_one_per_node(const std::string& rule, std::size_t given, Graph graph);

}  // namespace coppice::rules
