#include "engine/solver.hpp"

#include <functional>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {

bool Solver::solve(RootRule rule, Solution& solution) {
  if (!find_best_edges(solution)) return false;
  const bool single = rule == RootRule::single;
  if (greedy(solution) && (!single || solution.root_edges() == 1)) return true;
  if (single && greedy_at_a_price(solution)) return true;
  start_contraction();
  if (!contract(solution)) return false;
  if (single && !leave_one_root_edge(solution)) return false;
  expand(solution);
  return true;
}

// Is there a price at which one node alone wants a root edge, and the best edges are a tree? If
// not, the contraction begins with this price or, where root edges were made cheaper, with none.
bool Solver::greedy_at_a_price(Solution& solution) {
  const TwoLargest gains = root_gains(solution);
  if (gains.owner == kNoComponent || gains.second == kNever) return false;
  const double price = std::max(gains.second, std::min(0.0, gains.first));
  if (price <= 0.0 && !breaks_all_cycles(gains.owner.value())) return false;
  find_best_edges_at(price, gains.owner.value(), solution);
  if (greedy(solution)) return true;
  if (price < 0.0) find_best_edges_at(0.0, kNoNode, solution);
  return false;
}

void Solver::find_best_edges_at(double price, Node root_child, Solution& solution) {
  const double old_price = std::exchange(solution.root_price, price);
  set_price(price);
  for (Node v = 1; v < solution.nodes(); ++v) {
    poll_at(v);
    find_best_edge(v, v == root_child, old_price, solution);
  }
}

// Raises the price until one component hangs from the root. The one that is to give up its root
// edge first takes its best other edge; where that closes a cycle, this becomes a component. False:
// two of them have no other.
bool Solver::leave_one_root_edge(Solution& solution) {
  find_root_children(solution);
  double price = solution.root_price;
  while (root_children_.size() > 1) {
    poll();
    std::pop_heap(root_children_.begin(), root_children_.end(), std::greater<>());
    const auto [highest, c] = root_children_.back();
    root_children_.pop_back();
    if (highest == kNever) return false;
    price = std::max(price, highest);
    pick_other_edge(c, solution);
    if (const Component above = forest_.top(source(c)); root_child_above(above) != c) {
      towards_root_[c] = above;
      continue;
    }
    const Component merged = contract_cycle_through(c, solution);
    root_children_.push_back({highest_price(merged, solution), merged});
    std::push_heap(root_children_.begin(), root_children_.end(), std::greater<>());
  }
  if (price != solution.root_price) set_price(solution.root_price = price);
  pick_root_edge(root_children_.front().component, solution);
  return true;
}

void Solver::find_root_children(const Solution& solution) {
  root_children_.clear();
  towards_root_.resize(place_of(forest_.end()));
  for (Component c(1); c < forest_.end(); ++c) {
    if (forest_.parent(c) != kNoComponent) continue;
    const Component above = forest_.top(source(c));
    towards_root_[c] = above == Component(0) ? c : above;
    if (above == Component(0)) root_children_.push_back({0.0, c});
  }
  if (root_children_.size() == 1) return;
  for (RootChild& child : root_children_)
    child.highest_price = highest_price(child.component, solution);
  std::make_heap(root_children_.begin(), root_children_.end(), std::greater<>());
}

Component Solver::root_child_above(Component c) {
  while (towards_root_[c] != c) c = towards_root_[c] = towards_root_[towards_root_[c]];
  return c;
}

Component Solver::contract_root_child(Component c, Solution& solution) {
  towards_root_.resize(place_of(forest_.end()));
  while (highest_price(c, solution) != kNever) {
    poll();
    pick_other_edge(c, solution);
    c = contract_cycle_through(c, solution);
  }
  return c;
}

Component Solver::contract_cycle_through(Component c, Solution& solution) {
  cycle_.assign(1, c);
  for (Component above = forest_.top(source(c)); above != c; above = forest_.top(source(above)))
    cycle_.push_back(above);
  const Component merged = merge(cycle_, solution);
  towards_root_.push_back(merged);
  for (Component member : cycle_) towards_root_[member] = merged;
  return merged;
}

}  // namespace coppice::engine
