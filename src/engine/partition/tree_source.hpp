// Trees one by one, best first.
#pragma once

#include <coppice/rule.hpp>
#include <optional>
#include <vector>

#include "engine/solve/sparse.hpp"
#include "engine/solve/tree_edits.hpp"

namespace coppice::engine {

template <class W>
class TreeSource {
 public:
  virtual ~TreeSource() = default;

  // Goes on to the next tree; false when there is none left that loses no more than `up_to` more
  // than the best of all.
  virtual bool next(const W& up_to) = 0;
  // How much more the tree loses than the best of all, legal or not.
  virtual W gap() const = 0;
  // Adds its edits, not finished.
  virtual void list_edits(TreeEdits& trees) const = 0;
  // Where a budget was spent before all trees were given: those left lose at least so much more
  // than the best of all.
  virtual std::optional<W> gap_ahead() const { return std::nullopt; }
};

// A graph as lists, ready for subproblems and solved, and what its edges are in the caller's graph,
// of which it may be a reduced one.
template <class W>
struct ListedGraph {
  Sparse<W>* lists = nullptr;
  std::vector<ClauseEdge> arcs;  // by slot
  // The best tree of the caller's graph, that edits are made of.
  std::vector<Node> heads;
  std::vector<EdgeId> edges;  // empty if that is dense

  // All edges of a graph, in lists that have been solved; edits are made of the tree they hold.
  void list_whole(Sparse<W>& whole, Graph graph) {
    const bool dense = graph.multigraph() == nullptr;
    lists = &whole;
    arcs.clear();
    heads.assign(1, kNoNode);
    edges.assign(dense ? 0 : 1, kNoEdge);
    for (Node v = 1; v < whole.nodes(); ++v) {
      for (Slot e = whole.begin(v); e < whole.end(v); ++e)
        arcs.push_back({whole.edge(e).source, v, dense ? kNoEdge : whole.edge(e).id});
      heads.push_back(arc(whole.tree(v)).head);
      if (!dense) edges.push_back(arc(whole.tree(v)).edge);
    }
  }

  const ClauseEdge& arc(Slot e) const { return arcs[place_of(e)]; }
  void add_edit(const ClauseEdge& arc, TreeEdits& trees) const {
    const auto v = place_of(arc.dependent);
    if (heads[v] != arc.head || (!edges.empty() && edges[v] != arc.edge))
      trees.add({arc.dependent, arc.head, arc.edge});
  }
};

}  // namespace coppice::engine
