#include "engine/dense_solver.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "engine/simd.hpp"
#include "engine/swap.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {

void DenseSolver::load(Dense& dense, RootRule rule, const Solution& solution) {
  dense_ = &dense;
  rule_ = rule;
  root_child_ = kNoNode;
  dense_->restore();
  solved_ = dense.is_as_solved();
  if (!solved_) return;
  solution_ = solution;
  solution_.root_price = 0.0;  // no more than the weights have paid
}

void DenseSolver::clear() {
  dense_->restore();
  root_child_ = kNoNode;
}

void DenseSolver::require(Edge edge) {
  dense_->require(head(edge), node(edge));
  if (head(edge) == 0) root_child_ = node(edge);
}

bool DenseSolver::solve() {
  const bool open = rule_ == RootRule::single && root_child_ == kNoNode;
  if (rule_ == RootRule::single && !open)
    for (Node v = 1; v < nodes(); ++v)
      if (v != root_child_) dense_->exclude(0, v);
  open_root_edge_ = kNone;
  const bool solved = solved_ && dense_->is_as_solved();
  if (!solved && !dense_->solve_again(open ? RootRule::single : RootRule::any, solution_))
    return false;
  weight_ = 0.0;
  for (Node v = 1; v < nodes(); ++v) {
    weight_ += solution_.weight[v];
    if (open && solution_.head[v] == 0) open_root_edge_ = tree(v);
  }
  reduced_.prepare(solution_);
  return true;
}

// As ListSolver::root_swap().
std::optional<double> DenseSolver::root_swap() const {
  if (open_root_edge_ == kNone) return std::nullopt;
  const Node root_child = node(open_root_edge_);
  const Component child = outermost(root_child);
  double same = kNever, other = kNever;
  for (Node v = 1; v < nodes(); ++v) {
    if (v == root_child || dense_->weight(0, v) == kNoWeight) continue;
    double& least = outermost(v) == child ? same : other;
    least = std::min(least, reduced_(0, v, dense_->weight(0, v) - solution_.root_price));
  }
  const double entry = solution_.y[child] - dense_->best_other_weight(child);
  const double least = std::min(same, other + entry);
  return least == kNever ? std::nullopt : std::optional(std::max(0.0, least));
}

Component DenseSolver::outermost(Node v) const {
  return reduced_.contracted() ? reduced_.entered(0, v) : Component(v);
}

// What it costs to replace the edge of v, at the level where it was picked, by one that does not
// come from below v.
double DenseSolver::cheapest_swap(Node v) {
  const Component c = reduced_.contracted() ? reduced_.entered_by_tree(v) : Component(v);
  const Node own = solution_.head[v];
  const double y = solution_.y[c];
  const double begin = place_[place_of(v)];
  const double end = static_cast<double>(preorder_.end(v).value());
  // Root edges are no alternative to others where there can be only one.
  const Node also_not = rule_ == RootRule::single ? 0 : own;
  const Dense& dense = *dense_;
  const double best =
      simd::kernels().largest_outside(dense.column(c), place_.data(), begin, end, place_of(own),
                                      place_of(also_not), dense.stride());
  double cost = y - best;
  // From the same source into another node of the component.
  if (c != Component(v))
    dense_->for_each_node(c, [&](Node t) {
      const double weight = dense_->weight(own, t);
      if (t != v && weight != kNoWeight) cost = std::min(cost, reduced_(own, t, weight));
    });
  return cost;
}

// Of the subproblem; root edges stay where there can be only one.
bool DenseSolver::list_ties(std::int64_t least, TiedTrees& ties) {
  const Dense& dense = *dense_;
  heavy_.resize(dense.stride());
  const Node first = rule_ == RootRule::single ? 1 : 0;
  return ties.start(solution_.head, least, [&](Node v, auto visit) {
    poll_at(v);
    const Node own = solution_.head[v];
    const double* weights = dense.column(Component(v));
    if (own < first) return;
    const std::size_t found =
        simd::kernels().at_least(weights, weights[own], dense.stride(), heavy_.data());
    for (const Node s : std::span(heavy_).first(found))
      if (weights[s] == weights[own] && s != own && s >= first) visit(s);
  });
}

bool DenseSolver::swaps(double limit, std::size_t most, std::vector<Swap>& swaps) {
  preorder_.build(nodes(), [&](Node v) { return solution_.head[v]; });
  place_.assign(dense_->stride(), -1.0);
  for (Node v = 1; v < nodes(); ++v)
    place_[place_of(v)] = static_cast<double>(preorder_.place(v).value());
  CheapestSwaps<double, Swap> cheapest(limit, most, swaps);
  for (Node v = 1; v < nodes(); ++v) {
    if (tree(v) == open_root_edge_) continue;
    if (const double cost = cheapest_swap(v); cost < kNever) cheapest.add({cost, tree(v)});
  }
  return cheapest.sort();
}

}  // namespace coppice::engine
