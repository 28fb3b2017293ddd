#include "engine/prune/candidates.hpp"

#include <algorithm>

#include "graph/poll.hpp"

namespace coppice::engine {

void Candidates::start(TreeSolver& solver) {
  solver_ = &solver;
  reduced_.prepare(tree());
  poll();
  whole_tree_ = false;
  list_.clear();
  collected_ = -kInfinity;
  complete_ = true;
  limited_ = true;
  wanted_ = 1;
}

// Of every component an edge from inside into its entry costs nothing by itself. The reduced graph
// drops most of these.
std::size_t Candidates::most() const {
  if (!limited_) return std::numeric_limits<std::size_t>::max();
  const std::size_t components = tree().y.size() - tree().head.size();
  const auto edges = static_cast<std::size_t>(solver_->edges());
  const auto wanted = static_cast<std::size_t>(std::min(wanted_, std::int64_t{1} << 40));
  return components + std::max({tuning_.most_candidates, edges / tuning_.edges_per_candidate,
                                wanted * tuning_.candidates_per_tree});
}

bool Candidates::collect(double limit) {
  if (limit <= collected_ && complete_) return true;
  if (limit >= collected_ && !complete_) return false;
  collected_ = limit;
  list_.clear();
  complete_ = solver_->collect(reduced_, limit, most(), list_);
  arrange();
  return complete_;
}

// Few edges need a small part of a large tree.
void Candidates::arrange() {
  constexpr std::size_t kNodesPerEdge = 16;
  const Node nodes = tree().nodes();
  auto up = [&](Node v) { return tree().head[v]; };
  if (whole_tree_) return;
  whole_tree_ = list_.size() * kNodesPerEdge > place_of(nodes);
  if (whole_tree_) return preorder_.build(nodes, up);
  ends_.clear();
  for (const Candidate& edge : list_) ends_.insert(ends_.end(), {edge.dependent, edge.head});
  preorder_.build_above(ends_, nodes, up);
}

double Candidates::bound(std::int64_t k) {
  wanted_ = k;
  // Candidates up to a guess give a bound; where they give none, there must be more of them.
  double limit = guess(k);
  std::int64_t guesses = tuning_.most_guesses;
  if (solver_->dense() == nullptr) guesses = std::min(guesses, k / 2);
  while (true) {
    const bool complete = collect(limit);
    const double gap = bound_.kth_gap(list_, collected_, preorder_, tree(), rule(), k);
    if (gap <= collected_ || !complete) return gap;
    const double next = std::max(8.0 * limit, 1.0);
    const bool grow = gap == kInfinity && next > limit && --guesses >= 0;
    limit = grow ? next : gap;
    if (limit == kInfinity && static_cast<std::size_t>(solver_->edges()) > most()) {
      complete_ = false;
      return kInfinity;
    }
  }
}

double Candidates::bound_by_swaps(std::int64_t k) {
  if (k > tree().nodes()) return kInfinity;  // a swap replaces one edge of the tree
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(1, k - 1));
  solver_->whole().swaps(kInfinity, wanted, swaps_);
  return swaps_.size() < wanted ? kInfinity : swaps_.back().cost;
}

// What the gap of the k-th best tree may be, judged by the cheapest replacement of each edge alone.
double Candidates::guess(std::int64_t k) {
  losses_.clear();
  for (Node v = 1; v < tree().nodes(); ++v) {
    const double gain = tree().gain[v];
    if (gain < tree().y[Component(v)]) continue;  // the best edge into v is not in the tree
    const double loss = std::max(0.0, gain - solver_->second(v));
    if (loss < kInfinity) losses_.push_back(loss);
  }
  return Bound::guess(losses_, k);
}

}  // namespace coppice::engine
