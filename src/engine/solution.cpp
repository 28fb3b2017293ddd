#include "engine/solution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coppice::engine {

Node Solution::root_edges() const {
  return static_cast<Node>(std::count(head.begin(), head.end(), 0));
}

double Solution::magnitude() const {
  double sum = 0.0;
  for (std::size_t c = 1; c < y.size(); ++c) sum += std::abs(y[c]);
  return sum;
}

void Solution::reset(Node nodes) {
  head.assign(at(nodes), kNoNode);
  weight.assign(at(nodes), 0.0);
  edge.clear();
  parent.assign(at(nodes), kNoNode);
  y.assign(at(nodes), 0.0);
  root_part.assign(at(nodes), 0);
  root_last = false;
}

Component Solution::add_component() {
  parent.push_back(kNoNode);
  y.push_back(0.0);
  root_part.push_back(0);
  return components() - 1;
}

void ReducedCost::prepare(const Solution& solution) {
  solution_ = &solution;
  auto nodes = at(solution.nodes());
  auto components = at(solution.components());
  contracted_ = components > nodes;
  if (!contracted_) {
    least_ = solution.y;
    return;
  }
  // From the outside in: parents have higher numbers.
  above_.resize(components);
  outermost_y_.resize(components);
  root_above_.resize(components);
  jump_.resize(components);
  depth_.resize(components);
  for (std::size_t c = components; c-- > 0;) {
    Component parent = solution.parent[c];
    above_[c] = solution.y[c];
    bool single = c < nodes;
    outermost_y_[c] = single ? 0.0 : solution.y[c];
    root_above_[c] = solution.root_part[c];
    depth_[c] = 0;
    jump_[c] = kNoNode;
    if (parent == kNoNode) continue;
    above_[c] += above_[at(parent)];
    outermost_y_[c] = outermost_y_[at(parent)];
    root_above_[c] += root_above_[at(parent)];
    depth_[c] = depth_[at(parent)] + 1;
    Component hop = jump_[at(parent)];
    bool even =
        hop != kNoNode && jump_[at(hop)] != kNoNode &&
        depth_[at(parent)] - depth_[at(hop)] == depth_[at(hop)] - depth_[at(jump_[at(hop)])];
    jump_[c] = even ? jump_[at(hop)] : parent;
  }
  // Components of several nodes have y <= 0, but for an outermost one that was entered last from
  // the root; an edge may or may not enter that one.
  least_.resize(nodes);
  for (std::size_t v = 0; v < nodes; ++v) least_[v] = above_[v] - std::max(0.0, outermost_y_[v]);
  // Intervals: sizes from the inside out, places from the outside in.
  last_.assign(components, 0);
  for (std::size_t v = 0; v < nodes; ++v) last_[v] = 1;
  for (std::size_t c = 0; c < components; ++c)
    if (solution.parent[c] != kNoNode) last_[at(solution.parent[c])] += last_[c];
  first_.resize(components);
  cursor_.resize(components);
  Node outside = 0;
  for (std::size_t c = components; c-- > 0;) {
    Component parent = solution.parent[c];
    Node& from = parent == kNoNode ? outside : cursor_[at(parent)];
    first_[c] = cursor_[c] = from;
    from += last_[c];
    last_[c] = from;
  }
  entry_.resize(components);
  entered_by_tree_.resize(nodes);
  for (Node v = 1; v < solution.nodes(); ++v) {
    Component c = v;
    for (Component around; (around = outer(c)) != kNoNode; entry_[at(c = around)] = v)
      if (contains(around, solution.head[at(v)])) break;
    entered_by_tree_[at(v)] = c;
  }
}

Component ReducedCost::entered(Node s, Node t) const {
  // Components around t that contain s come after those that do not.
  Component c = t;
  while (outer(c) != kNoNode && !contains(outer(c), s)) {
    Component hop = jump_[at(c)];
    c = hop != kNoNode && !contains(hop, s) ? hop : outer(c);
  }
  return c;
}

double ReducedCost::among_components(Node s, Node t, double weight) const {
  if (!contracted_) {
    if (s == 0 && solution_->root_part[at(t)] == 0) return std::numeric_limits<double>::infinity();
    return solution_->y[at(t)] - weight;
  }
  Component around = outer(entered(s, t));
  double sum = above_[at(t)] - (around == kNoNode ? 0.0 : above_[at(around)]);
  if (solution_->root_last) {
    int root = root_above_[at(t)] - (around == kNoNode ? 0 : root_above_[at(around)]);
    if (root + (s == 0 ? 1 : 0) > 0) return std::numeric_limits<double>::infinity();
  }
  return sum - weight;
}

}  // namespace coppice::engine
