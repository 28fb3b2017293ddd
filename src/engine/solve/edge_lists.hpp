// A graph as lists of the edges into every node, and one subproblem of it: some edges are required,
// some are excluded. Node 0 is the root. W is double, holding whole numbers, or Wide.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <vector>

#include "engine/numbers/wide.hpp"
#include "engine/solve/indices.hpp"

namespace coppice::engine {

template <class W>
class EdgeLists {
 public:
  struct Edge {
    W gain;
    Node source;
    std::int32_t id;  // the caller's
  };
  // What a node may take in the subproblem.
  struct Best {
    W gain = lowest<W>(), second = lowest<W>();  // of the edges that do not come from the root
    Slot edge;                                   // the best of those, or kNoSlot
    Node source = kNoNode;
    Slot root_edge;  // the best edge from the root, or kNoSlot
  };

  // --- the graph: begins()[t] .. begins()[t + 1] are the edges into t. The caller writes them and
  // calls start(). Loops, edges into the root and missing edges do not belong there.
  Indexed<Node, Slot>& begins() { return begin_; }
  Indexed<Slot, Edge>& edges() { return edges_; }
  void start(RootRule rule);
  // Sorts the edges into every node, the best first, so that many subproblems can be solved. Slots
  // change.
  void start_subproblems();

  Node nodes() const { return begin_.end_index() - 1; }
  RootRule rule() const { return rule_; }
  const Edge& edge(Slot e) const { return edges_[e]; }
  Slot begin(Node v) const { return begin_[v]; }
  Slot end(Node v) const { return begin_[v + 1]; }
  std::int32_t count(Node v) const { return end(v).value() - begin(v).value(); }
  bool is_sorted() const { return !targets_.empty(); }
  Node target(Slot e) const { return targets_[e]; }  // after start_subproblems()

  // --- the subproblem: after start_subproblems() ---
  void clear();
  void require(Slot edge);
  void exclude(Slot edge);
  bool may_take(Slot edge) const { return excluded_.empty() || excluded_[edge] == 0; }
  bool is_required(Node v) const { return !required_.empty() && required_[v] != kNoSlot; }
  // The single-root rule holds, but no root edge is required.
  bool is_open() const { return open_; }

  // Finds the best edges of all nodes where the subproblem has changed; then best() is right.
  void find_best();
  const Best& best(Node v) const { return best_[v]; }
  // The best edge from the root that a tree may have; or kNoSlot, as where another root edge is
  // required.
  Slot root_edge(Node v) const {
    return rule_ == RootRule::any || open_ || is_required(v) ? best_[v].root_edge : kNoSlot;
  }

 private:
  void find_best(Node v);

  RootRule rule_ = RootRule::any;
  Indexed<Node, Slot> begin_;
  Indexed<Slot, Edge> edges_;
  Indexed<Slot, Node> targets_;
  Indexed<Node, Best> best_;

  Indexed<Node, Slot> required_;  // or kNoSlot
  Indexed<Slot, std::uint8_t> excluded_;
  std::vector<Slot> fixed_;    // all that are required or excluded
  std::vector<Node> changed_;  // nodes whose best edges must be found again
  bool open_ = false;
};

}  // namespace coppice::engine
