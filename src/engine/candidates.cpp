#include "engine/candidates.hpp"

#include <algorithm>

#include "graph/poll.hpp"

namespace coppice::engine {

void Candidates::start(Solver& solver, const Solution& solution, const Rounding& rounding,
                       RootRule rule) {
  solver_ = &solver;
  solution_ = &solution;
  rounding_ = &rounding;
  rule_ = rule;
  reduced_.prepare(solution);
  poll();
  arranged_ = Arranged::none;
  list_.clear();
  collected_ = -kInfinity;
  complete_ = true;
  limited_ = true;
  wanted_ = 1;
}

std::size_t Candidates::most() const {
  if (!limited_) return std::numeric_limits<std::size_t>::max();
  const auto edges = static_cast<std::size_t>(solver_->edges());
  const auto wanted = static_cast<std::size_t>(std::min(wanted_, std::int64_t{1} << 40));
  return std::max({tuning_.most_candidates, edges / tuning_.edges_per_candidate,
                   wanted * tuning_.candidates_per_tree});
}

bool Candidates::collect(double limit) {
  if (limit <= collected_ && complete_) return true;
  if (limit >= collected_ && !complete_) return false;
  collected_ = limit;
  list_.clear();
  complete_ = solver_->collect(*solution_, reduced_, limit, most(), list_);
  arrange();
  return complete_;
}

// Few edges need a small part of a large tree. Whoever asks again has them all.
void Candidates::arrange() {
  constexpr std::size_t kNodesPerEdge = 16;
  const Node nodes = solution_->nodes();
  if (arranged_ != Arranged::none || list_.size() * kNodesPerEdge > place_of(nodes)) {
    whole_preorder();
    return;
  }
  arranged_ = Arranged::part;
  ends_.clear();
  for (const Candidate& edge : list_) ends_.insert(ends_.end(), {edge.dependent, edge.head});
  preorder_.build_above(ends_, nodes, [&](Node v) { return solution_->head[v]; });
}

const Preorder& Candidates::whole_preorder() {
  if (arranged_ != Arranged::whole)
    preorder_.build(solution_->nodes(), [&](Node v) { return solution_->head[v]; });
  arranged_ = Arranged::whole;
  return preorder_;
}

CandidateId Candidates::add(const Candidate& candidate) {
  collected_ = -kInfinity;  // to be collected anew
  complete_ = true;
  list_.push_back(candidate);
  return CandidateId(list_.end_index().value() - 1);
}

double Candidates::bound(std::int64_t k) {
  wanted_ = k;
  // Candidates up to a guess give a bound; where they give none, there must be more of them.
  double limit = guess(k);
  auto guesses = std::min<std::int64_t>(tuning_.most_guesses, k / 2);
  if (solution_->nodes() <= tuning_.small_graph) guesses = 0;
  while (true) {
    const bool complete = collect(limit + rounding_->slack(limit));
    const double gap = bound_.kth_gap(list_, collected_, preorder_, *solution_, rule_, k);
    if (gap <= collected_ || !complete) return gap;
    const double next = std::max(8.0 * limit, 1e-6 * rounding_->magnitude());
    const bool grow = gap == kInfinity && next > limit && --guesses >= 0;
    limit = grow ? next : gap;
    if (limit == kInfinity && static_cast<std::size_t>(solver_->edges()) > most()) {
      complete_ = false;
      return kInfinity;
    }
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

void Candidates::keep_counted() {
  counted_.clear();
  for (CandidateId i : bound_.counted()) counted_.push_back(list_[i]);
}

void Candidates::add_counted(double gap, std::size_t most, FoundTrees& found) {
  exact_sums_.start(bound_.losses(), bound_.group_end(), gap);
  for (; most > 0 && exact_sums_.next(); --most) {
    for (std::uint32_t place : exact_sums_.chosen()) found.replace(add(counted_[place]));
    found.finish();
  }
}

}  // namespace coppice::engine
