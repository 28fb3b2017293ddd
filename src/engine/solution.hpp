// A best tree with its proof: what every later step of the engine starts from.
//
// Components are numbered: 0..N are the nodes, contracted ones follow after their members. A
// component picked its best entering edge with weight y at that moment, after the picks of its
// members were subtracted. Reduced costs follow from y alone (docs/engine.md, section 1).
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <vector>

namespace coppice::engine {

using Component = std::int32_t;

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Solution {
  // The tree: head, weight and (multigraphs) edge index into every node.
  std::vector<Node> head;
  std::vector<double> weight;
  std::vector<EdgeId> edge;

  // The dual: parent component or -1, y, and under the single-root rule the first part of y.
  std::vector<Component> parent;
  std::vector<double> y;
  std::vector<std::int8_t> root_part;
  // True where y is a certificate for lexicographic weights, root edges being (-1, w).
  bool root_last = false;

  Node nodes() const { return static_cast<Node>(head.size()); }
  Component components() const { return static_cast<Component>(parent.size()); }
  Node root_edges() const;
  // The sum of all |y|: what rounding errors are measured by.
  double magnitude() const;

  void reset(Node nodes);
  Component add_component();
};

// Reduced costs of single edges in O(log N), after O(N) preparation.
class ReducedCost {
 public:
  void prepare(const Solution& solution);

  // rc(s -> t) >= 0 up to rounding; +inf if the first part of the pair is positive: under the
  // single-root rule no tree has such an edge.
  double operator()(Node s, Node t, double weight) const {
    return contracted_ || solution_->root_last ? among_components(s, t, weight)
                                               : solution_->y[at(t)] - weight;
  }
  // No edge into t, whatever its source, has a reduced cost below this minus its weight.
  double least(Node t) const { return least_[at(t)]; }

  // Are there contracted components? Only then:
  bool contracted() const { return contracted_; }
  Component components() const { return solution_->components(); }
  // The next one around a component or a node, or kNoNode.
  Component outer(Component c) const { return solution_->parent[at(c)]; }
  bool contains(Component c, Node s) const {
    return first_[at(c)] <= first_[at(s)] && first_[at(s)] < last_[at(c)];
  }
  // The largest component, or else the node t, that an edge from s to t enters.
  Component entered(Node s, Node t) const;
  // The same of the edge of the best tree into t.
  Component entered_by_tree(Node t) const { return entered_by_tree_[at(t)]; }
  // Where the best tree enters a component.
  Node entry(Component c) const { return entry_[at(c)]; }
  // At most 0 for contracted components that can be entered from elsewhere than the root.
  double y(Component c) const { return solution_->y[at(c)]; }
  bool entered_from_root(Component c) const { return solution_->root_part[at(c)] != 0; }

 private:
  double among_components(Node s, Node t, double weight) const;

  const Solution* solution_ = nullptr;
  bool contracted_ = false;
  std::vector<double> least_;
  // Sum of y from a component up to its outermost one, and of the first parts.
  std::vector<double> above_;
  std::vector<double> outermost_y_;
  std::vector<int> root_above_;
  std::vector<Component> jump_;  // skew-binary ancestor pointers
  std::vector<std::int32_t> depth_;
  std::vector<Component> entered_by_tree_;
  std::vector<Node> entry_;
  std::vector<Node> first_, last_, cursor_;  // every component an interval of node numbers
};

}  // namespace coppice::engine
