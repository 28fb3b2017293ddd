#include "engine/solve/certified_tree.hpp"

namespace coppice::engine {

double CertifiedTree::loss() const {
  double gains = 0.0;
  for (Node v = 1; v < nodes(); ++v) gains += head[v] == 0 ? gain[v] + root_price : gain[v];
  return -gains;
}

void CertifiedTree::reset(Node nodes) {
  head.assign(place_of(nodes), kNoNode);
  gain.assign(place_of(nodes), 0.0);
  edge.clear();
  parent.assign(place_of(nodes), kNoComponent);
  y.assign(place_of(nodes), 0.0);
  root_price = 0.0;
}

void ReducedCost::prepare(const CertifiedTree& tree) {
  tree_ = &tree;
  contracted_ = tree.contracted();
  if (!contracted_) {
    least_.assign(tree.y.begin(), tree.y.end());
    return;
  }
  sum_outwards();
  intervals_.build(tree.nodes(), tree.parent);
  find_entries();
}

// From the outside in: parents have higher numbers.
void ReducedCost::sum_outwards() {
  const CertifiedTree& tree = *tree_;
  above_.resize(components());
  jump_.resize(components());
  depth_.resize(components());
  for (Component c = above_.end_index(); --c >= Component(0);) {
    const Component parent = tree.parent[c];
    above_[c] = tree.y[c];
    depth_[c] = 0;
    jump_[c] = kNoComponent;
    if (parent == kNoComponent) continue;
    above_[c] += above_[parent];
    depth_[c] = depth_[parent] + 1;
    const Component hop = jump_[parent];
    const bool even = hop != kNoComponent && jump_[hop] != kNoComponent &&
                      depth_[parent] - depth_[hop] == depth_[hop] - depth_[jump_[hop]];
    jump_[c] = even ? jump_[hop] : parent;
  }
  // Components of several nodes have y <= 0.
  least_.resize(place_of(tree.nodes()));
  for (Node v = 0; v < tree.nodes(); ++v) least_[v] = above_[Component(v)];
}

void ReducedCost::find_entries() {
  const CertifiedTree& tree = *tree_;
  entry_.resize(components());
  entered_by_tree_.resize(place_of(tree.nodes()));
  for (Node v = 1; v < tree.nodes(); ++v) {
    Component c(v);
    for (Component around; (around = outer(c)) != kNoComponent; entry_[c = around] = v)
      if (contains(around, tree.head[v])) break;
    entered_by_tree_[v] = c;
  }
}

Component ReducedCost::entered(Node s, Node t) const {
  // Components around t that contain s come after those that do not.
  Component c(t);
  while (outer(c) != kNoComponent && !contains(outer(c), s)) {
    const Component hop = jump_[c];
    c = hop != kNoComponent && !contains(hop, s) ? hop : outer(c);
  }
  return c;
}

}  // namespace coppice::engine
