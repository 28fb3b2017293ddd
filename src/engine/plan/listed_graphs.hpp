// Listed graphs for the partition queue: a whole graph, or a reduced one.
#pragma once

#include <coppice/graph.hpp>

#include "engine/partition/tree_source.hpp"
#include "engine/prune/candidates.hpp"
#include "engine/prune/reduced_graph.hpp"

namespace coppice::engine {

// Lists of all edges of a graph, which have been solved; edits are made of the tree they hold.
template <class W>
void list_whole(Sparse<W>& lists, Graph graph, ListedGraph<W>& listed) {
  const Multigraph* edges = graph.multigraph();
  listed.lists = &lists;
  listed.arcs.clear();
  listed.heads.assign(1, kNoNode);
  listed.edges.assign(edges != nullptr ? 1 : 0, kNoEdge);
  for (Node v = 1; v < lists.nodes(); ++v) {
    for (Slot e = lists.begin(v); e < lists.end(v); ++e)
      listed.arcs.push_back(
          {lists.edge(e).source, v, edges != nullptr ? lists.edge(e).id : kNoEdge});
    const ClauseEdge& arc = listed.arc(lists.tree(v));
    listed.heads.push_back(arc.head);
    if (edges != nullptr) listed.edges.push_back(arc.edge);
  }
}

// A reduced graph: its root comes first, its nodes in their order. Edits are made of the best tree.
void list_reduced(const ReducedGraph& graph, const Candidates& candidates, Sparse<double>& lists,
                  ListedGraph<double>& listed);

}  // namespace coppice::engine
