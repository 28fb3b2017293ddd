#include "engine/solver.hpp"

#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {

bool Solver::solve(RootRule rule, Solution& solution, Wanted wanted) {
  if (!find_best_edges(solution)) return false;
  const bool single = rule == RootRule::single;
  if (greedy(solution) && (!single || solution.root_edges() == 1)) return true;
  if (single && greedy_at_a_price(solution)) return true;
  start_contraction();
  if (!contract(solution)) return false;
  if (single && !settle_root_edge(wanted, solution)) return false;
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

struct Solver::Picks {
  Solver& solver;
  Solution& solution;

  Component source(Component c) const { return solver.source(c); }
  double highest_price(Component c) const { return solver.highest_price(c, solution); }
  void pick_other_edge(Component c) const { solver.pick_other_edge(c, solution); }
  Component merge(std::span<const Component> cycle) const { return solver.merge(cycle, solution); }
};

bool Solver::settle_root_edge(Wanted wanted, Solution& solution) {
  const Picks picks{*this, solution};
  double price = solution.root_price;
  root_children_.find(forest_, picks);
  if (wanted == Wanted::tree && !root_children_.leave(2, forest_, picks, price)) return false;
  if (wanted == Wanted::tree && root_children_.size() == 2 &&
      last_gives_up(root_children_, solution))
    pick_other_edge(root_children_.last(), solution);
  else if (!root_children_.leave(1, forest_, picks, price))
    return false;
  if (price != solution.root_price) set_price(solution.root_price = price);
  pick_root_edge(root_children_.first(), solution);
  return true;
}

Component Solver::leave_one_root_edge(double& price, Solution& solution) {
  return root_children_.leave_one(forest_, Picks{*this, solution}, price);
}

Component Solver::contract_root_child(Component c, Solution& solution) {
  return root_children_.contract(c, forest_, Picks{*this, solution});
}

}  // namespace coppice::engine
