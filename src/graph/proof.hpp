// What finding a proof and checking it (coppice/verify.hpp) have in common.
#pragma once

#include <algorithm>
#include <coppice/verify.hpp>

#include "graph/input.hpp"

namespace coppice {

// Is a better than b by more than sums of such weights may round?
bool is_better(Graph graph, const Problem& problem, const Tree& a, const Tree& b);

// Where all trees must be projective, parts are judged by their best projective tree: most trees
// cross in some way, and mending that clause by clause has no end. Long sentences do without, for
// the charts are large.
inline bool by_spans(Graph graph, const Problem& problem) {
  return graph.nodes() <= kMostNodesInSpans &&
         std::any_of(problem.rules.begin(), problem.rules.end(),
                     [](const Rule& rule) { return rule.shape() == Rule::Shape::projective; });
}

}  // namespace coppice
