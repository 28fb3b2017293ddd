// The slow truth: every tree of a graph by trying every choice of edges. Tiny graphs only.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <coppice/tree.hpp>
#include <vector>

namespace coppice::testing {

// All trees that satisfy the options (k and max_gap too), best first by reported score.
std::vector<Tree> brute_force(Graph graph, const Options& options);

}  // namespace coppice::testing
