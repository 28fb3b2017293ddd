// The second best tree of a multigraph by one swap (docs/engine.md, section 5).
#include <algorithm>

#include "engine/sparse.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// The largest component around t at whose level the edge s -> t can take the place of the edge of
// the best tree, or kNoComponent. What is larger contains s, or s hangs from its entry.
Component swapped(const ReducedCost& reduced, const Preorder& preorder, Node s, Node t) {
  if (!reduced.contracted()) return preorder.is_below(s, t) ? kNoComponent : Component(t);
  auto fits = [&](Component c) {
    const Node entry = c == Component(t) ? t : reduced.entry(c);
    return !preorder.is_below(s, entry) && !reduced.contains(reduced.entered_by_tree(entry), s);
  };
  Component c(t);
  if (!fits(c)) return kNoComponent;
  while (reduced.outer(c) != kNoComponent && fits(reduced.outer(c))) {
    const Component hop = reduced.jump(c);
    c = fits(hop) ? hop : reduced.outer(c);
  }
  return c;
}

}  // namespace

bool Sparse::find_second(const Solution& solution, const ReducedCost& reduced,
                         const Preorder& preorder, RootRule rule, Second& second) {
  second.gap = kNever;
  second.edges.clear();
  const Swap swap = cheapest_swap(solution, reduced, preorder, rule);
  if (swap.edge != kNoSlot) list_edges(swap, solution, second);
  if (rule == RootRule::single && may_change_root(solution, reduced, second.gap)) {
    const Swap root = cheapest_root_swap(solution);
    if (root.cost < second.gap) list_edges(root, solution, second);
  }
  return second.gap < kNever;
}

// Under the single-root rule the root edge stays.
Sparse::Swap Sparse::cheapest_swap(const Solution& solution, const ReducedCost& reduced,
                                   const Preorder& preorder, RootRule rule) const {
  Swap best;
  for (Node t = 1; t < nodes_ && best.cost > 0.0; ++t) {
    poll_at(t);
    // An edge costs no less than this minus its weight.
    const double least = reduced.least(t);
    if (!(least - second_[t] < best.cost) && solution.weight[t] == solution.y[Component(t)])
      continue;
    for (Slot e = begin(t); e < end(t); ++e) {
      const auto& [weight, source, id] = edges_[e];
      if (!(least - weight < best.cost) || id == solution.edge[t] ||
          (rule == RootRule::single && source == 0))
        continue;
      const Component c = swapped(reduced, preorder, source, t);
      if (c == kNoComponent) continue;
      const double y =
          reduced.contracted() ? reduced.sum_up_to(Component(t), reduced.outer(c)) : solution.y[c];
      if (y - weight < best.cost) best = {std::max(0.0, y - weight), e, c};
    }
  }
  return best;
}

// Can a tree with another root edge be so good?
bool Sparse::may_change_root(const Solution& solution, const ReducedCost& reduced,
                             double limit) const {
  return std::any_of(root_edges_.begin(), root_edges_.end(), [&](Slot e) {
    const Node t = target(e);
    return edges_[e].id != solution.edge[t] && reduced(0, t, edges_[e].weight) < limit;
  });
}

// The component that hangs from the root is contracted until nothing else enters it: then root
// edges into it alone compete, each at what it weighs less the y of the components around its end.
// Of these, those around the end of the tree's root edge as well are left out: they may be large.
Sparse::Swap Sparse::cheapest_root_swap(const Solution& solution) {
  rooted_.y = solution.y;
  if (!contracted_) {
    start_contraction();
    contract(rooted_);
  }
  const auto child = std::find(solution.head.begin() + 1, solution.head.end(), 0);
  const Node root_child = static_cast<Node>(child - solution.head.begin());
  const Component all = contract_root_child(forest_.top(Component(root_child)), rooted_);
  sum_up_to_path_of(root_child, all);
  Swap best;
  for (Slot e : root_edges_) {
    const Node t = target(e);
    if (!is_inside(t, all) || edges_[e].id == solution.edge[t]) continue;
    double cost = solution.weight[root_child] - edges_[e].weight;
    if (t != root_child) cost += above_[Component(t)] - above_[meets_[Component(t)]];
    if (cost < best.cost) best = {cost, e, all};
  }
  best.cost = std::max(0.0, best.cost);
  return best;
}

// For components around v, up to `all`: the sum of y of those inside it. For others: where they
// meet that path, and the sum of y up to there.
void Sparse::sum_up_to_path_of(Node v, Component all) {
  above_.assign(place_of(forest_.end()), 0.0);
  meets_.assign(place_of(forest_.end()), kNoComponent);
  meets_[all] = all;
  for (Component c(v); c != all; c = forest_.parent(c)) {
    meets_[c] = c;
    above_[forest_.parent(c)] = above_[c] + rooted_.y[c];
  }
  for (Component c = all; --c > Component(0);) {
    const Component outer = forest_.parent(c);
    if (meets_[c] == c || outer == kNoComponent || meets_[outer] == kNoComponent) continue;
    meets_[c] = meets_[outer];
    above_[c] = rooted_.y[c] + (meets_[outer] == outer ? 0.0 : above_[outer]);
  }
}

// What differs from the best tree when the component is entered by another edge.
void Sparse::list_edges(const Swap& swap, const Solution& solution, Second& second) {
  second.gap = swap.cost;
  second.edges.clear();
  auto add = [&](Node v, Slot e) {
    second.edges.push_back({edges_[e].source, v, edges_[e].weight, edges_[e].id});
  };
  if (is_node(swap.entered)) return add(swap.entered.value(), swap.edge);
  open(swap.entered, swap.edge);
  for (Node v = 1; v < nodes_; ++v)
    if (edges_[tree_[v]].id != solution.edge[v]) add(v, tree_[v]);
}

}  // namespace coppice::engine
