// For every arc the score of the best tree that has it: what it would cost to insist on it.
//
//   auto with = coppice::max_marginals(view, {.root = coppice::RootRule::single});
//   double loss = best_score - with[head * nodes + dependent];
//
// Method: insisting on an arc costs as much as the cheapest path from the root that ends with it,
// by the dual solution of the best tree (docs/internals/proofs.md, section 10). For each word only
// its descendants in the best tree are searched, along the edges between them; where best heads
// form cycles, all that hangs from the cycle.
//
// Throws: Error as best() does, and for rules.
// Cost: the best tree and one search for each word, O(N^2) together where no best heads form cycles
// (times in docs/internals/performance.md), of a multigraph O(N E log E) at most; of an undirected
// one without constraints O(E log E). A matrix takes O(N^2) of memory, a multigraph no more
// than its edges.
// Threads: any number may call it at once.
//
// Exactness: that of scores (tree.hpp); finite masks cost no digits.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <vector>

namespace coppice {

// Of a matrix [head][dependent], row-major; of a multigraph for every edge. Minus infinity (for
// costs: plus infinity) where no tree that is meant has the arc.
std::vector<double> max_marginals(Graph graph, const Problem& problem);

}  // namespace coppice
