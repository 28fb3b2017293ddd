// The best tree of a graph given as edge lists, with a certificate, O(m log n), and what other trees
// of it cost at least (docs/internals/proofs.md). This is what solves sparse graphs, reduced graphs,
// and all subproblems of the partition queue.
//
// A subproblem is the graph with some edges required and some excluded. W is double, holding whole
// numbers, or Wide. Node 0 is the root.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/numbers/wide.hpp"
#include "engine/solve/heaps.hpp"
#include "engine/solve/indices.hpp"
#include "engine/solve/root_price.hpp"
#include "graph/forest.hpp"
#include "graph/intervals.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

// An edge that is in a tree: what a tree without it, but otherwise as this one where it was picked,
// costs at least.
template <class W>
struct Swap {
  W cost;
  Slot edge;
};

template <class W>
class Sparse {
 public:
  struct Edge {
    W gain;
    Node source;
    std::int32_t id;  // the caller's
  };

  // --- the graph: begins()[t] .. begins()[t + 1] are the edges into t, written by the caller; then
  // start(). Loops, edges into the root and missing edges do not belong there.
  Indexed<Node, Slot>& begins() { return begin_; }
  Indexed<Slot, Edge>& edges() { return edges_; }
  void start(RootRule rule);
  // The same in parts: look_at(v) for every node once the edges into it are there. It calls
  // also(gain) for each of them.
  void prepare(RootRule rule);
  template <class Also>
  void look_at(Node v, Also also);
  void look_at(Node v) {
    look_at(v, [](const W&) {});
  }
  // All gains into v change, but none becomes better than another that was better.
  template <class Change>
  void change_gains(Node v, Change change) {
    for (Slot e = begin(v); e < end(v); ++e) edges_[e].gain = change(edges_[e].gain);
    if (best_[v].exists()) best_[v].gain = change(best_[v].gain);
    second_[v] = change(second_[v]);
  }
  // Sorts the edges into every node, the best first, so that many subproblems can be solved. Slots
  // change.
  void start_subproblems();

  // --- the subproblem ---
  void clear();
  void require(Slot edge);
  void exclude(Slot edge);
  bool may_take(Slot edge) const { return excluded_.empty() || excluded_[edge] == 0; }
  bool is_required(Node v) const { return !required_.empty() && required_[v] != kNoSlot; }

  // False: there is no tree. Under the single-root rule, where no root edge is required, the root
  // is open: root edges pay a price at which there is one of them.
  bool solve();

  // --- the solution ---
  Node nodes() const { return nodes_; }
  const W& gain() const { return gain_; }  // of the tree
  Slot tree(Node v) const { return tree_[v]; }
  const Edge& edge(Slot e) const { return edges_[e]; }
  Slot begin(Node v) const { return begin_[v]; }
  Slot end(Node v) const { return begin_[v + 1]; }
  Node target(Slot e) const { return targets_[e]; }  // after start_subproblems()
  const Indexed<Component, Component>& parents() const { return forest_.parents(); }
  const Indexed<Component, W>& y() const { return y_; }
  const W& price() const { return price_; }
  // The second best edge into v that does not come from the root gains no more.
  const W& second(Node v) const { return second_[v]; }
  // The only root edge of a tree that was found with an open root, else kNoSlot.
  Slot open_root_edge() const { return open_root_edge_; }

  // What every tree with this edge, into t, costs at least.
  W reduced_cost(Slot edge, Node t);
  // What swapping each edge of the tree costs at the component where it was picked, the cheapest
  // first: at most `most` of them (at least 1), and none above `limit`. True if some were left out
  // for being too many. Required edges have none, nor has the open root edge; the alternatives are
  // no root edges under the single-root rule. Every swap makes a tree of just that cost. Both this
  // and root_swap() come after start_subproblems().
  bool swaps(const W& limit, std::size_t most, std::vector<Swap<W>>& swaps);
  // What a tree with another root edge costs at least, after a solve with an open root; nothing
  // where there is none.
  std::optional<W> root_swap();

 private:
  // An edge and where it leads: whoever follows edges need not look at all of them.
  struct Pick {
    W gain = lowest<W>();  // or key: less what was picked inside
    Slot edge;
    Node source = kNoNode, target = kNoNode;
    bool exists() const { return edge != kNoSlot; }
  };
  struct Picks;  // for RootPrice
  class CheapestSwaps;

  Pick pick_of(Slot e, Node t) const { return {edges_[e].gain, e, edges_[e].source, t}; }
  bool is_node(Component c) const { return c < Component(nodes_); }
  bool is_inside(Node v, Component c) { return forest_.top(Component(v)) == c; }
  // May the swaps of the tree's edges take it?
  bool is_alternative(Slot e) const {
    return may_take(e) && !(rule_ == RootRule::single && edges_[e].source == 0);
  }

  Slot root_edge_into(Node v) const;
  bool take_greedy_tree(Node root_edges);
  void start_contraction();
  bool contract();
  bool pick(Component c);
  Pick best_inner(Component c);
  Slot next_edge(Node v, Component around);
  std::size_t sort_edges(Node v);
  void ask_for(Node v) const;
  Component merge(std::span<const Component> cycle);
  Heap merge_heaps(std::span<const Component> cycle);
  bool leave_one_root_edge();
  void expand();
  void take_edge(Node v, Slot edge, Component entered);
  void sum_up();

  void number_components();
  W priced_gain(Slot e) const { return edges_[e].gain - (edges_[e].source == 0 ? price_ : W{}); }
  void swap_nodes(CheapestSwaps& swaps) const;
  void swap_components(CheapestSwaps& swaps);
  void list_entering(const W& limit);
  std::size_t sort_entering(std::size_t begin);
  Component nearest_open(Component c);
  // May an edge from s into this component take the place of the one that it picked?
  bool fits(Node s, Component c) const {
    return !intervals_.contains(c, s) && !preorder_.is_below(s, entry_[c]);
  }

  Node nodes_ = 0;
  RootRule rule_ = RootRule::any;
  Indexed<Node, Slot> begin_;
  Indexed<Slot, Edge> edges_;
  bool sorted_lists_ = false;
  Indexed<Slot, Node> targets_;

  // The subproblem; nothing is in these before start_subproblems().
  Indexed<Node, Slot> required_;
  Indexed<Slot, std::uint8_t> excluded_;
  std::vector<Slot> required_list_, excluded_list_;
  bool open_ = false;

  std::vector<Node> changed_;    // nodes whose best edges must be found again
  Indexed<Node, Pick> best_;     // the best entering edge that does not come from the root
  Indexed<Node, W> second_;      // the gain of the second best
  Indexed<Node, Slot> root_edge_;  // the best from the root

  // The contraction.
  Forest<Component> forest_;
  TreeTest is_tree_;
  Indexed<Component, Pick> picked_;
  Indexed<Component, W> y_;
  Heaps<W> heaps_;  // by edges that do not come from the root
  Indexed<Component, Heap> heap_;
  // The edge by which a node is in its heap, if it has been looked for, and its place in the order
  // of the edges into the node, if they are sorted.
  static constexpr std::size_t kUnsorted = std::numeric_limits<std::size_t>::max();
  struct Entering {
    Slot edge;
    std::size_t place = kUnsorted;
  };
  Indexed<Node, Entering> entering_;
  std::vector<Slot> sorted_;  // where they had to be: the edges into one node after the other
  // The best root edge into a component, whatever the price; its key is without the price.
  Indexed<Component, Pick> from_root_;
  RootPrice<W> root_price_;

  // The tree.
  Indexed<Node, Slot> tree_;
  Indexed<Component, Component> level_;  // the largest that the edge of the tree enters
  W gain_{}, price_{};
  Slot open_root_edge_;

  // Of swaps().
  bool numbered_ = false;
  Preorder preorder_;
  Intervals<Component> intervals_;
  Indexed<Component, W> above_;              // the sum of y from a component outwards
  Indexed<Component, Component> next_open_;  // towards the nearest one that has no swap yet
  Indexed<Component, Node> entry_;           // of a component that picked an edge of the tree
  std::vector<Swap<W>> entering_edges_;      // by key
};

// Finds the best edges into v, of those that the subproblem allows.
template <class W>
template <class Also>
void Sparse<W>::look_at(Node v, Also also) {
  Pick best;
  W second = lowest<W>();
  Slot root;
  Slot first = begin(v), last = end(v);
  if (is_required(v)) first = required_[v], last = first.next();
  const bool all = excluded_list_.empty() || is_required(v);
  for (Slot e = first; e < last; ++e) {
    if (!all && excluded_[e] != 0) continue;
    const Edge& edge = edges_[e];
    also(edge.gain);
    if (edge.source == 0) {
      if (root == kNoSlot || edges_[root].gain < edge.gain) root = e;
    } else if (best.gain < edge.gain || !best.exists()) {
      second = best.gain;
      best = {edge.gain, e, edge.source, v};
    } else if (second < edge.gain) {
      second = edge.gain;
    }
  }
  best_[v] = best;
  second_[v] = second;
  root_edge_[v] = root;
}

}  // namespace coppice::engine
