#include "engine/plan/stream.hpp"

#include <algorithm>
#include <cmath>
#include <coppice/legal.hpp>
#include <utility>

#include "graph/constraints.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::engine {

Stream::Stream(Graph graph, const Problem& problem, const Request& request, const Tuning& tuning)
    : graph_(graph), problem_(problem), request_(request), planner_(tuning) {
  check_limits(request, false);
  left_ = request.k.value_or(std::numeric_limits<std::int64_t>::max());
  max_gap_ = request.max_gap.value_or(max_gap_);
  if (planner_.solve(graph_.get(), problem_, true))
    state_ = planner_.is_exact() ? State::exact : State::stages;
  planner_.set_budget(request_);
  if (problem.rules.empty() && state_ == State::stages) most_ = planner_.units(max_gap_);
}

std::optional<Tree> Stream::next() {
  if (left_ == 0) return std::nullopt;
  if (!find_next()) {
    if (!std::exchange(first_, false) || complete()) return std::nullopt;
    std::optional<Tree> found = find_legal(graph_.get(), problem_, request_);
    if (found) bound_gap_ = std::abs(bound() - found->score);
    return found;
  }
  --left_;
  first_ = false;
  return stage_.copy(given_++);
}

// Makes stage_ hold a tree that has not been given; false when there is none left.
bool Stream::find_next() {
  while (given_ == stage_.size()) {
    if (state_ == State::done || !complete()) return false;
    const Graph graph = graph_.get();
    TreeBuilder(stage_).reset(graph);
    given_ = 0;
    if (state_ == State::stages) {
      next_stage();
    } else if (state_ == State::one_by_one) {
      next_one();
    } else if (!planner_.next_exact(max_gap_, stage_)) {
      state_ = State::done;
    }
  }
  return true;
}

// Under rules max_gap is measured from the first tree that is given, which may be any amount worse
// than the best of all.
void Stream::next_one() {
  if (!planner_.next(above_, std::min(up_to_, most_), stage_))
    state_ = State::stages;
  else if (first_ && !problem_.rules.empty())
    most_ = planner_.last_gap() + planner_.units(max_gap_);
}

double Stream::gap_of_stage() {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (problem_.rules.empty()) return planner_.bound(k_);
  if (k_ > kMost) return kInfinity;
  return std::max(2.0 * above_, planner_.bound(k_));
}

void Stream::next_stage() {
  if (up_to_ >= most_) {
    state_ = State::done;
    return;
  }
  if (up_to_ >= known_) {
    planner_.go_exact(up_to_);
    state_ = State::exact;
    return;
  }
  above_ = up_to_;
  do {
    k_ *= 4;
    up_to_ = std::min(most_, std::floor(gap_of_stage()));
  } while (up_to_ <= above_ && up_to_ < most_);
  limit(up_to_);
  // To list all trees is no way to find the legal ones where these are few.
  constexpr std::int64_t kFew = 16;
  const bool may_list = problem_.rules.empty() || (k_ <= kFew && std::isinf(max_gap_));
  if (may_list && planner_.range(k_, above_, up_to_, stage_)) return;
  double most = most_;
  limit(most);
  up_to_ = planner_.one_by_one(up_to_, most);
  state_ = State::one_by_one;
}

// Trees behind a known gap come from the exact way.
void Stream::limit(double& gap) {
  if (const double known = planner_.known(gap); known < gap) gap = known_ = known;
}

}  // namespace coppice::engine
