// For every arc the score of the best tree that has it: what it would cost to insist on it.
//
//   auto with = coppice::max_marginals(view, {.root = coppice::RootRule::single});
//   double loss = best_score - with[head * nodes + dependent];
//
// Method: the dual solution of the best tree, and for each word one shortest path search from the
// root: insisting on an arc costs as much as the cheapest path from the root that ends with it
// (docs/engine.md). Complexity: O(N^2) memory. A word in no cycle of greedy heads takes O(N) for
// each of its descendants, any other one O(N^2 log N) times the depth to which its cycles are
// nested; under RootRule::single all words are in cycles.
//
// Exactness: up to the rounding of a sum over a tree.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/which.hpp>
#include <vector>

namespace coppice {

// [head][dependent], row-major; minus infinity (for costs: plus infinity) where no tree that is
// meant has the arc. Throws std::invalid_argument as best() does, and for rules.
std::vector<double> max_marginals(const DenseView& scores, const Which& which);

// The same for every edge of a multigraph.
std::vector<double> max_marginals(const Multigraph& graph, const Which& which);

}  // namespace coppice
