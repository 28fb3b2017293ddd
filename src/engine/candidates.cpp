#include "engine/candidates.hpp"

#include <algorithm>

#include "graph/poll.hpp"

namespace coppice::engine {

void Candidates::start(Solver& solver, const Solution& solution, const Rounding& rounding,
                       RootRule rule) {
  solver_ = &solver;
  solution_ = &solution;
  rounding_ = rounding;
  rule_ = rule;
  reduced_.prepare(solution);
  poll();
  preorder_.build(solution.nodes(), [&](Node v) { return solution.head[v]; });
  list_.clear();
  collected_ = -kInfinity;
}

void Candidates::collect(double limit) {
  if (limit <= collected_) return;
  collected_ = limit;
  list_.clear();
  solver_->collect(*solution_, reduced_, limit, list_);
}

double Candidates::bound(std::int64_t k) {
  // Candidates up to a guess give a bound; where they give none, there must be more of them.
  double limit = guess(k);
  int guesses = solution_->nodes() <= tuning_.small_graph ? 0 : tuning_.most_guesses;
  while (true) {
    collect(limit + rounding_.slack(limit));
    const double gap = bound_.kth_gap(list_, collected_, preorder_, *solution_, rule_, k);
    if (gap <= collected_) return gap;
    const bool grow = gap == kInfinity && --guesses >= 0;
    limit = grow ? std::max(8.0 * limit, 1e-6 * rounding_.magnitude()) : gap;
  }
}

// What the gap of the k-th best tree may be, judged by the cheapest replacement of each edge alone.
double Candidates::guess(std::int64_t k) {
  losses_.clear();
  for (Node v = 1; v < solution_->nodes(); ++v) {
    const double weight = solution_->weight[v];
    if (weight < solution_->y[Component(v)]) continue;  // the best edge into v is not in the tree
    const double loss = solver_->loss_of_second(v, weight);
    if (loss < kInfinity) losses_.push_back(loss);
  }
  return Bound::guess(losses_, k);
}

}  // namespace coppice::engine
