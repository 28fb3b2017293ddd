#include "engine/solution.hpp"

#include <algorithm>
#include <cmath>

namespace coppice::engine {

Node Solution::root_edges() const {
  return static_cast<Node>(std::count(head.begin(), head.end(), 0));
}

double Solution::magnitude() const {
  double sum = std::abs(root_price);
  for (Component c(1); c < y.end_index(); ++c) sum += std::abs(y[c]);
  return sum;
}

void Solution::reset(Node nodes) {
  head.assign(place_of(nodes), kNoNode);
  weight.assign(place_of(nodes), 0.0);
  edge.clear();
  parent.assign(place_of(nodes), kNoComponent);
  y.assign(place_of(nodes), 0.0);
  root_price = 0.0;
}

void ReducedCost::prepare(const Solution& solution) {
  solution_ = &solution;
  contracted_ = solution.contracted();
  if (!contracted_) {
    least_.assign(solution.y.begin(), solution.y.end());
    return;
  }
  sum_outwards();
  intervals_.build(solution.nodes(), solution.parent);
  find_entries();
}

// From the outside in: parents have higher numbers.
void ReducedCost::sum_outwards() {
  const Solution& solution = *solution_;
  above_.resize(components());
  lost_above_.resize(components());
  jump_.resize(components());
  depth_.resize(components());
  for (Component c = above_.end_index(); --c >= Component(0);) {
    const Component parent = solution.parent[c];
    above_[c] = solution.y[c];
    lost_above_[c] = 0.0;
    depth_[c] = 0;
    jump_[c] = kNoComponent;
    if (parent == kNoComponent) continue;
    // Knuth's sum with its error.
    const double outer = above_[parent], inner = solution.y[c], sum = outer + inner;
    const double inner_part = sum - outer;
    above_[c] = sum;
    lost_above_[c] = lost_above_[parent] + ((outer - (sum - inner_part)) + (inner - inner_part));
    depth_[c] = depth_[parent] + 1;
    const Component hop = jump_[parent];
    const bool even = hop != kNoComponent && jump_[hop] != kNoComponent &&
                      depth_[parent] - depth_[hop] == depth_[hop] - depth_[jump_[hop]];
    jump_[c] = even ? jump_[hop] : parent;
  }
  // Components of several nodes have y <= 0.
  least_.resize(place_of(solution.nodes()));
  for (Node v = 0; v < solution.nodes(); ++v) least_[v] = sum_up_to(Component(v), kNoComponent);
}

void ReducedCost::find_entries() {
  const Solution& solution = *solution_;
  entry_.resize(components());
  entered_by_tree_.resize(place_of(solution.nodes()));
  for (Node v = 1; v < solution.nodes(); ++v) {
    Component c(v);
    for (Component around; (around = outer(c)) != kNoComponent; entry_[c = around] = v)
      if (contains(around, solution.head[v])) break;
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
