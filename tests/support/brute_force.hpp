// The slow truth: every tree of a graph by trying every choice of edges. Tiny graphs only.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <vector>

namespace coppice::testing {

// The trees that are meant, best first by the exact sums of their weights; scores are those sums,
// rounded once.
std::vector<Tree> brute_force(Graph graph, const Problem& problem, const Request& request = {});

// In how many ways every node can be given a head: what it goes through.
double choices(Graph graph);

// The scores of the k best trees alone, for graphs of up to about seven words.
std::vector<double> brute_force_scores(const DenseView& view, RootRule rule, std::size_t k);

}  // namespace coppice::testing
