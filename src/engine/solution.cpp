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
  root_part.assign(place_of(nodes), 0);
  root_last = false;
  root_price = 0.0;
}

void Solution::add_component() {
  y.push_back(0.0);
  root_part.push_back(0);
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
  outermost_y_.resize(components());
  root_above_.resize(components());
  jump_.resize(components());
  depth_.resize(components());
  for (Component c = above_.end_index(); --c >= Component(0);) {
    const Component parent = solution.parent[c];
    const bool single = c < Component(solution.nodes());
    above_[c] = solution.y[c];
    lost_above_[c] = 0.0;
    outermost_y_[c] = single ? 0.0 : solution.y[c];
    root_above_[c] = solution.root_part[c];
    depth_[c] = 0;
    jump_[c] = kNoComponent;
    if (parent == kNoComponent) continue;
    // Knuth's sum with its error.
    const double outer = above_[parent], inner = solution.y[c], sum = outer + inner;
    const double inner_part = sum - outer;
    above_[c] = sum;
    lost_above_[c] = lost_above_[parent] + ((outer - (sum - inner_part)) + (inner - inner_part));
    outermost_y_[c] = outermost_y_[parent];
    root_above_[c] += root_above_[parent];
    depth_[c] = depth_[parent] + 1;
    const Component hop = jump_[parent];
    const bool even = hop != kNoComponent && jump_[hop] != kNoComponent &&
                      depth_[parent] - depth_[hop] == depth_[hop] - depth_[jump_[hop]];
    jump_[c] = even ? jump_[hop] : parent;
  }
  // Components of several nodes have y <= 0, but for an outermost one that was entered last from
  // the root; an edge may or may not enter that one.
  least_.resize(place_of(solution.nodes()));
  for (Node v = 0; v < solution.nodes(); ++v)
    least_[v] = sum_up_to(Component(v), kNoComponent) - std::max(0.0, outermost_y_[Component(v)]);
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

double ReducedCost::among_components(Node s, Node t, double weight) const {
  if (!contracted_) {
    if (s == 0 && solution_->root_part[Component(t)] == 0) return kNever;
    return solution_->y[Component(t)] - weight;
  }
  const Component around = outer(entered(s, t));
  const bool outermost = around == kNoComponent;
  const double sum = sum_up_to(Component(t), around);
  if (solution_->root_last) {
    const int root = root_above_[Component(t)] - (outermost ? 0 : root_above_[around]);
    if (root + (s == 0 ? 1 : 0) > 0) return kNever;
  }
  return sum - weight;
}

}  // namespace coppice::engine
