// The slow truth: every tree of a graph by trying every choice of edges. Tiny graphs only.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <coppice/tree.hpp>
#include <vector>

namespace coppice::testing {

// All trees that satisfy the options (k and max_gap too), best first by reported score.
std::vector<Tree> brute_force(Graph graph, const Options& options);

// The scores of the k best trees alone, for graphs of up to about seven words.
std::vector<double> brute_force_scores(const DenseView& view, RootRule rule, std::size_t k);

}  // namespace coppice::testing
