// A best tree with its proof: what every later step of the engine starts from.
//
// A component picked its best entering edge, of gain y at that moment, after the picks of its
// members were subtracted. Reduced costs follow from y alone (docs/internals/proofs.md). All gains
// are whole numbers (numbers/scale.hpp).
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/numbers/scale.hpp"
#include "engine/solve/indices.hpp"
#include "graph/intervals.hpp"

namespace coppice::engine {

struct CertifiedTree {
  // The tree: head, gain and (multigraphs) edge id into every node. From the gains of root edges
  // the price is taken off, here and wherever the rooms behind this one speak of gains.
  Indexed<Node, Node> head;
  Indexed<Node, double> gain;
  Indexed<Node, EdgeId> edge;

  // The dual: parent component and y.
  Indexed<Component, Component> parent;
  Indexed<Component, double> y;
  // Under the single-root rule every tree pays it once, so that no gap changes.
  double root_price = 0.0;

  Node nodes() const { return static_cast<Node>(head.size()); }
  bool contracted() const { return y.size() > head.size(); }
  // kNoEdge in a dense graph.
  EdgeId edge_into(Node v) const { return edge.empty() ? kNoEdge : edge[v]; }
  // How much it loses in all, the price left out.
  double loss() const;
  void reset(Node nodes);
};

// An edge that is not in the tree, but cheap enough to be in one of the wanted trees.
struct Candidate {
  double reduced_cost;  // every tree with this edge is at least so much worse than the best
  double loss;          // gain of the tree edge it replaces minus its own
  Node head;
  Node dependent;
  EdgeId edge;  // kNoEdge in a dense graph
};
using CandidateList = Indexed<CandidateId, Candidate>;

// Reduced costs of single edges in O(log N), after O(N) preparation.
class ReducedCost {
 public:
  void prepare(const CertifiedTree& tree);

  // rc(s -> t) >= 0.
  double operator()(Node s, Node t, double gain) const {
    return contracted_ ? sum_up_to(Component(t), outer(entered(s, t))) - gain
                       : tree_->y[Component(t)] - gain;
  }
  // No edge into t, whatever its source, has a reduced cost below this minus its gain.
  double least(Node t) const { return least_[t]; }

  // Are there contracted components? Only then:
  bool contracted() const { return contracted_; }
  std::size_t components() const { return tree_->y.size(); }
  // The next one around a component or a node, or kNoComponent.
  Component outer(Component c) const { return tree_->parent[c]; }
  bool contains(Component c, Node s) const { return intervals_.contains(c, s); }
  // All sources but those that no edge into t comes from, in groups: calls visit(sources, sum) with
  // the sum of y over all components that an edge from them to t enters.
  template <class Visit>
  void for_each_ring(Node t, Visit visit) const {
    const std::span<const Node> nodes = intervals_.nodes();
    Component inner(t);
    while (inner != kNoComponent) {
      const Component around = outer(inner);
      const bool last = around == kNoComponent;
      const std::size_t begin = last ? 0 : intervals_.begin(around);
      const std::size_t end = last ? nodes.size() : intervals_.end(around);
      const double sum = sum_up_to(Component(t), around);
      visit(nodes.subspan(begin, intervals_.begin(inner) - begin), sum);
      visit(nodes.subspan(intervals_.end(inner), end - intervals_.end(inner)), sum);
      inner = around;
    }
  }
  // The largest component, or else the node t, that an edge from s to t enters.
  Component entered(Node s, Node t) const;
  // The same of the edge of the best tree into t.
  Component entered_by_tree(Node t) const { return entered_by_tree_[t]; }
  // Where the best tree enters a component.
  Node entry(Component c) const { return entry_[c]; }
  // The sum of y from a component up to the one before `around`.
  double sum_up_to(Component c, Component around) const {
    return around == kNoComponent ? above_[c] : above_[c] - above_[around];
  }
  // At most 0 for contracted components.
  double y(Component c) const { return tree_->y[c]; }

 private:
  void sum_outwards();
  void find_entries();

  const CertifiedTree* tree_ = nullptr;
  bool contracted_ = false;
  Indexed<Node, double> least_;
  // Sum of y from a component up to its outermost one.
  Indexed<Component, double> above_;
  Indexed<Component, Component> jump_;  // skew-binary ancestor pointers
  Indexed<Component, std::int32_t> depth_;
  Indexed<Node, Component> entered_by_tree_;
  Indexed<Component, Node> entry_;
  Intervals<Component> intervals_;
};

}  // namespace coppice::engine
