// The best tree of a graph given as edge lists, with a certificate, and what other trees of it cost
// at least: with a given edge, or without an edge of the best tree (docs/internals/proofs.md). This
// is what solves sparse graphs, reduced graphs, and all subproblems of the partition queue.
#pragma once

#include <coppice/graph.hpp>
#include <cstddef>
#include <optional>
#include <vector>

#include "engine/solve/contraction.hpp"
#include "engine/solve/edge_lists.hpp"
#include "graph/intervals.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

// An edge that is in a tree: what a tree without it, but otherwise as this one where it was picked,
// costs at least.
template <class W>
struct Swap {
  W cost;
  Slot edge;
  bool operator<(const Swap& other) const {
    return cost < other.cost || (!(other.cost < cost) && edge < other.edge);
  }
};

template <class W>
class Sparse : public EdgeLists<W> {
 public:
  // Solves the subproblem of the lists. False: there is no tree.
  bool solve();

  // --- the solution: see Contraction ---
  const W& gain() const { return contraction_.gain(); }
  const W& price() const { return contraction_.price(); }
  Slot tree(Node v) const { return contraction_.tree(v); }
  Slot open_root_edge() const { return contraction_.open_root_edge(); }
  const Indexed<Component, Component>& parents() const { return contraction_.parents(); }
  const Indexed<Component, W>& y() const { return contraction_.y(); }

  // --- other trees of the subproblem; after start_subproblems() but for reduced_cost() ---

  // What every tree with this edge, into t, costs at least.
  W reduced_cost(Slot edge, Node t);
  // What swapping each edge of the tree costs at the component where it was picked, the cheapest
  // first: at most `most` of them (at least 1), and none above `limit`. True if there are `most`:
  // then some may have been left out. Required edges have none, nor has the open root edge; the
  // alternatives are no root edges under the single-root rule. Every swap makes a tree of just that
  // cost.
  bool swaps(const W& limit, std::size_t most, std::vector<Swap<W>>& swaps);
  // What a tree with another root edge costs at least, after a solve with an open root; nothing
  // where there is none.
  std::optional<W> root_swap();

 private:
  class Cheapest;

  bool is_node(Component c) const { return c < Component(this->nodes()); }
  Component parent(Component c) const { return contraction_.parent(c); }
  Node source(Slot e) const { return this->edge(e).source; }
  W priced_gain(Slot e) const;
  bool is_alternative(Slot e) const;
  bool keeps(Node v) const;
  void number_components();
  void swap_nodes(Cheapest& swaps) const;
  void swap_components(Cheapest& swaps);
  void list_entering(const W& limit);
  Component nearest_open(Component c) { return last_of(next_open_, c); }
  // May an edge from s into this component take the place of the one that it picked?
  bool fits(Node s, Component c) const {
    return !intervals_.contains(c, s) && !preorder_.is_below(s, entry_[c]);
  }

  Contraction<W> contraction_;
  bool numbered_ = false;  // the components are in what follows
  Intervals<Component> intervals_;
  Indexed<Component, W> above_;  // the sum of y from a component outwards

  Preorder preorder_;
  Indexed<Component, Component> next_open_;  // towards the nearest one that has no swap yet
  Indexed<Component, Node> entry_;           // of a component that picked an edge of the tree
  std::vector<Swap<W>> entering_;            // edges into components, by their keys: a heap
};

}  // namespace coppice::engine
