// Trees of a multigraph that are one swap away from the best (docs/engine.md, section 5).
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

void Sparse::find_swaps(const Solution& solution, const ReducedCost& reduced,
                        const Preorder& preorder, RootRule rule, std::size_t most,
                        std::vector<Swap>& swaps) {
  Cheapest cheapest(kNever, most, swaps);
  swap_inner(solution, reduced, preorder, rule, cheapest);
  cheapest.tighten();
  if (rule == RootRule::single && may_change_root(solution, reduced, cheapest.limit()))
    swap_root(solution, cheapest);
  cheapest.sort();
}

// Under the single-root rule the root edge stays.
void Sparse::swap_inner(const Solution& solution, const ReducedCost& reduced,
                        const Preorder& preorder, RootRule rule, Cheapest& swaps) const {
  for (Node t = 1; t < nodes_ && swaps.limit() > 0.0; ++t) {
    poll_at(t);
    // An edge costs no less than this minus its weight.
    const double least = reduced.least(t);
    if (!(least - second_[t] < swaps.limit()) && solution.weight[t] == solution.y[Component(t)])
      continue;
    for (Slot e = begin(t); e < end(t); ++e) {
      const auto& [weight, source, id] = edges_[e];
      if (!(least - weight < swaps.limit()) || id == solution.edge[t] ||
          (rule == RootRule::single && source == 0))
        continue;
      const Component c = swapped(reduced, preorder, source, t);
      if (c == kNoComponent) continue;
      const double y =
          reduced.contracted() ? reduced.sum_up_to(Component(t), reduced.outer(c)) : solution.y[c];
      swaps.add({std::max(0.0, y - weight), e, c});
    }
  }
}

// Can a tree with another root edge be so good?
bool Sparse::may_change_root(const Solution& solution, const ReducedCost& reduced,
                             double limit) const {
  return std::any_of(root_edges_.begin(), root_edges_.end(), [&](Slot e) {
    const Node t = target(e);
    return edges_[e].id != solution.edge[t] && reduced(0, t, edges_[e].weight) < limit;
  });
}

// The component that hangs from the root is contracted until trees in which anything else enters it
// cost as much as the limit, or as one of those that have another root edge into it. It keeps the
// root edge of the best tree.
void Sparse::contract_words(const Solution& solution, double limit, bool one_is_enough) {
  if (words_ == kNoComponent) {
    rooted_.y = solution.y;
    if (!contracted_) {
      start_contraction();
      contract(rooted_);
    }
    root_edge_of_tree_ = *std::find_if(root_edges_.begin(), root_edges_.end(), [&](Slot e) {
      return edges_[e].id == solution.edge[target(e)];
    });
    words_ = forest_.top(Component(target(root_edge_of_tree_)));
  }
  while (highest_price(words_, rooted_) < price_ + limit) {
    poll();
    words_ = contract_root_child(words_, rooted_);
    if (one_is_enough) limit = std::min(limit, other_root_edge_);
  }
  picked_[words_] = picked(root_edge_of_tree_);
  sum_up_to_path_of(target(root_edge_of_tree_));
}

// For the components around v: the sum of y of those inside it. For others: where they meet that
// path, and the sum of y up to there.
void Sparse::sum_up_to_path_of(Node v) {
  above_.assign(place_of(forest_.end()), 0.0);
  meets_.assign(place_of(forest_.end()), kNoComponent);
  meets_[words_] = words_;
  for (Component c(v); c != words_; c = forest_.parent(c)) {
    meets_[c] = c;
    above_[forest_.parent(c)] = above_[c] + rooted_.y[c];
  }
  for (Component c = words_; --c > Component(0);) {
    const Component outer = forest_.parent(c);
    if (meets_[c] == c || outer == kNoComponent || meets_[outer] == kNoComponent) continue;
    meets_[c] = meets_[outer];
    above_[c] = rooted_.y[c] + (meets_[outer] == outer ? 0.0 : above_[outer]);
  }
}

// Then root edges alone compete, each at what it weighs less the y of what is around its end. What
// is around the end of the tree's root edge as well is left out: it may be much larger.
void Sparse::swap_root(const Solution& solution, Cheapest& swaps) {
  contract_words(solution, swaps.limit(), swaps.most() == 1);
  const Slot kept = root_edge_of_tree_;
  for (Slot e : root_edges_) {
    const Component t(target(e));
    if (e == kept || !is_inside(target(e), words_)) continue;
    double cost = edges_[kept].weight - edges_[e].weight;
    if (target(e) != target(kept)) cost += above_[t] - above_[meets_[t]];
    swaps.add({std::max(0.0, cost), e, kNoComponent});
  }
}

void Sparse::list_edges(const Swap& swap, const Solution& solution, std::vector<Numbered>& edges) {
  edges.clear();
  auto add = [&](Node v, Slot e) {
    edges.push_back({edges_[e].source, v, edges_[e].weight, edges_[e].id});
  };
  if (swap.entered == kNoComponent)
    open(words_, swap.edge);
  else if (is_node(swap.entered))
    return add(swap.entered.value(), swap.edge);
  else
    open(swap.entered, swap.edge);
  for (Node v = 1; v < nodes_; ++v)
    if (edges_[tree_[v]].id != solution.edge[v]) add(v, tree_[v]);
}

}  // namespace coppice::engine
