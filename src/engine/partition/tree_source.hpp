// Trees one by one, best first.
#pragma once

#include <coppice/rule.hpp>
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

  const ClauseEdge& arc(Slot e) const { return arcs[place_of(e)]; }
  bool is_in_best(const ClauseEdge& arc) const {
    return heads[place_of(arc.dependent)] == arc.head &&
           (edges.empty() || edges[place_of(arc.dependent)] == arc.edge);
  }
  void add_edit(const ClauseEdge& arc, TreeEdits& trees) const {
    if (!is_in_best(arc)) trees.add({arc.dependent, arc.head, arc.edge});
  }
};

}  // namespace coppice::engine
