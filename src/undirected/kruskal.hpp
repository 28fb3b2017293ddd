// The best spanning tree of an undirected graph.
#pragma once

#include <coppice/undirected.hpp>
#include <vector>

namespace coppice {

// A list of one tree, or of none. Constraints and rules are not looked at.
//
// Kruskal's algorithm (Proc. AMS 7, 1956) takes the best edge that connects two parts, until there
// is one part; of two edges of the same weight the one of the lower number, as networkx does. The
// edges are not sorted at once: the better half comes first, and of the other one those that lie
// within a part by then are dropped (Filter-Kruskal: Osipov, Sanders and Singler, ALENEX 2009).
// Under the single-root rule node 0 hangs from a best tree of the others by its best edge.
TreeList best_tree(const UndirectedGraph& graph, RootRule rule, Objective objective);

// For each edge the score of the best tree that has it, as max_marginals() says: the edge comes in
// for the worst one between its ends, and no tree with it loses less (the cycle property).
std::vector<double> best_with_each_edge(const UndirectedGraph& graph, RootRule rule,
                                        Objective objective);

}  // namespace coppice
