// Every edge that a tree could use, one by one: for those who check answers, and need not be fast.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>

#include "graph/constraints.hpp"

namespace coppice {

// Calls visit(head, dependent, edge, weight); the edge is kNoEdge in a dense graph.
template <class Visit>
void for_each_allowed_edge(Graph graph, const Problem& problem, Visit visit) {
  Constraints constraints;
  constraints.load(graph, problem);
  auto offer = [&](Node head, Node dependent, EdgeId edge, double weight) {
    if (weight != kNoWeight && constraints.allows(head, dependent, edge))
      visit(head, dependent, edge, weight);
  };
  if (const DenseView* view = graph.dense()) {
    for (Node d = 1; d < view->nodes(); ++d)
      for (Node h = 0; h < view->nodes(); ++h)
        if (h != d) offer(h, d, kNoEdge, view->weight(h, d));
  } else {
    const Multigraph& edges = *graph.multigraph();
    for (EdgeId e = 0; e < edges.edges(); ++e)
      if (edges.target(e) != 0 && edges.source(e) != edges.target(e))
        offer(edges.source(e), edges.target(e), e, edges.weight(e));
  }
}

}  // namespace coppice
