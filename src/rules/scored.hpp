// A tree with its score: the exact sum, rounded once.
#pragma once

#include <coppice/tree.hpp>
#include <coppice/verify.hpp>

#include "graph/exact_sum.hpp"
#include "rules/edges.hpp"

namespace coppice::rules {

inline Tree scored(Graph graph, const TreeRef& found) {
  Tree tree = found.copy();
  if (graph.scalar() == Scalar::int64) {
    tree.integer_score = integer_score(graph, tree.heads, tree.edges);
    tree.score = static_cast<double>(tree.integer_score);
    return tree;
  }
  ExactSum sum;
  for (Node v = 1; v < graph.nodes(); ++v)
    sum.add(graph.dense() != nullptr ? graph.dense()->weight(tree.heads[at(v)], v)
                                     : graph.multigraph()->weight(tree.edges[at(v)]));
  tree.score = sum.value();
  return tree;
}

}  // namespace coppice::rules
