// The small graph that is left when all edges that no wanted tree can use are gone
// (docs/internals/proofs.md).
#pragma once

#include <bit>
#include <coppice/graph.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/prune/candidates.hpp"
#include "engine/solve/certified_tree.hpp"
#include "engine/solve/indices.hpp"
#include "engine/tuning.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

// What an edge must pay beside its reduced cost because of contracted components.
//
// Every tree enters every component; each time it enters one again costs -y of that component. The
// best tree enters each component once, at its `entry`. So an edge that enters a component
// elsewhere pays -y, unless the entry turns to an edge from inside.
class ReentryCost {
 public:
  explicit ReentryCost(const Tuning& tuning) : tuning_(tuning) {}

  // Starts a round.
  void start(const ReducedCost& reduced);

  // What a tree with this edge pays for it at least, if it has no more than `room` left; it adds up
  // with that of other edges. Nodes above the dependent must be settled. Beyond `room` it need not
  // be sharp.
  double cost(const Candidate& edge, double room) const;

  // Tells which edges into v are left: first keep() for each of them, then settle().
  void keep(const Candidate& edge);
  void settle(Node v);

  // When all is settled: may the entry of a component turn to an edge from inside, in a tree that
  // has an edge which leaves so much room? Then an edge that enters elsewhere did not pay for it.
  bool may_turn(Component c, double room) const {
    return from_inside_[c] <= room && from_inside_[c] < kInfinity;
  }

 private:
  Tuning tuning_;
  const ReducedCost* reduced_ = nullptr;
  // Per component: the least reduced cost of an edge from inside into its entry.
  Indexed<Component, double> from_inside_;
};

class ReducedGraph;

// An edge into v from below v only helps in company: another edge must enter what hangs from v.
class Companions {
 public:
  void find(const ReducedGraph& graph);
  // What the company of the edge from head to v costs at least.
  double cost(const ReducedGraph& graph, KernelNode v, KernelNode head) const;

 private:
  struct Entry {
    double reduced_cost;
    KernelNode node, head;
  };
  // The least reduced cost of an edge, other than those into v itself, that enters what hangs
  // from v.
  Indexed<KernelNode, double> reentry_;
  std::vector<Entry> by_cost_;
  Indexed<KernelNode, KernelNode> open_;  // towards the nearest node upwards that has no answer
};

// Nodes with a choice, in preorder of the best tree; all other nodes have been merged into the node
// they hang from.
class ReducedGraph {
 public:
  struct Option {
    double reduced_cost;  // or more: what it adds to the gap of every affordable tree
    double loss;
    KernelNode head;  // or kKernelRoot
    CandidateId candidate;
    std::uint64_t entered;  // components that it enters, as far as their cost is not in the above
  };

  explicit ReducedGraph(const Tuning& tuning) : tuning_(tuning), reentry_cost_(tuning) {}

  // Takes the candidates of reduced cost <= limit.
  void build(const Candidates& candidates, double limit);

  std::int32_t nodes() const { return end().value(); }
  // Nodes are numbered from KernelNode(0) to the one before this.
  KernelNode end() const { return ground_.end_index(); }
  Node ground(KernelNode v) const { return ground_[v]; }
  KernelNode parent(KernelNode v) const { return parent_[v]; }
  KernelNode end(KernelNode v) const { return end_[v]; }  // of its descendants
  // The alternatives to the tree edge of v, cheapest first.
  std::span<const Option> options(KernelNode v) const {
    return {options_.data() + begin_[v], options_.data() + begin_[v.next()]};
  }
  // Contracted components that trees may enter where the best tree does not, and need not pay for
  // it: up to 64, each with a bit. The edge of the best tree into v enters these:
  std::uint64_t entered_by_tree(KernelNode v) const { return entered_by_tree_[v]; }
  // What entering so many a second time costs.
  double cost_of_again(std::uint64_t components) const {
    double cost = 0.0;
    for (; components != 0; components &= components - 1)
      cost += again_[static_cast<std::size_t>(std::countr_zero(components))];
    return cost;
  }
  bool is_below(KernelNode u, KernelNode v) const { return v <= u && u < end(v); }
  // The node that hangs from the root in the best tree, or kKernelRoot if it has no choice (single
  // root).
  KernelNode root_child() const { return root_child_; }

 private:
  void find_members(const Candidates& candidates);
  void merge_forced(const Candidates& candidates);
  bool usable(const Candidate& candidate) const;
  void number_nodes(const Candidates& candidates);
  void arrange_options(const CandidateList& candidates);
  void sort_options();
  void raise_prices();
  bool drop_hopeless(const Candidates& candidates, double limit);
  void find_entered(const Candidates& candidates, double limit);

  Tuning tuning_;
  std::vector<CandidateId> kept_;
  Indexed<Node, std::uint8_t> is_member_;
  std::vector<Node> members_;           // nodes that candidates leave or enter, in preorder
  std::vector<Node> around_;            // nodes with a choice that the present one hangs from
  Indexed<Node, Node> representative_;  // of members: the node it is merged into
  Indexed<Node, std::int32_t> choices_;
  Indexed<Node, KernelNode> number_;
  Node single_root_child_ = kNoNode;  // under the single-root rule

  Indexed<KernelNode, Node> ground_;
  Indexed<KernelNode, KernelNode> parent_, end_;
  Indexed<KernelNode, std::uint32_t> begin_;  // of its options
  std::vector<Option> options_;
  ReentryCost reentry_cost_;
  Indexed<KernelNode, std::uint64_t> entered_by_tree_;
  std::vector<double> again_;  // by bit: what entering a component again costs
  std::vector<double> extra_;  // as kept_: what an edge costs beside its reduced cost
  KernelNode root_child_;
  Companions companions_;
};

}  // namespace coppice::engine
