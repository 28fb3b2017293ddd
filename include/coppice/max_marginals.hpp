// For every arc the score of the best tree that has it: what it would cost to insist on it.
//
//   auto with = coppice::max_marginals(view, {.root = coppice::RootRule::single});
//   double loss = best_score - with[head * nodes + dependent];
//
// Method: insisting on an arc costs as much as the cheapest path from the root that ends with it,
// by the dual solution of the best tree (docs/internals/proofs.md, section 10). Where the best heads
// of all words make the best tree, as in most sentences, a word takes O(N) for each of its
// descendants; otherwise O(N^2 log N) times the depth to which cycles are nested. Memory O(N^2), of
// multigraphs too.
//
// Exactness: that of scores (tree.hpp); finite masks cost no digits.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/which.hpp>
#include <vector>

namespace coppice {

// Of a matrix [head][dependent], row-major; of a multigraph for every edge. Minus infinity (for
// costs: plus infinity) where no tree that is meant has the arc. Throws Error as best() does, and
// for rules.
std::vector<double> max_marginals(Graph graph, const Which& which);

}  // namespace coppice
