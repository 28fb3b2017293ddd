#include "engine/stream.hpp"

#include <algorithm>

#include "graph/constraints.hpp"

namespace coppice::engine {

Stream::Stream(Graph graph, const Which& which, const HowMany& how_many, const Tuning& tuning)
    : graph_(graph), which_(which), how_many_(how_many), pipeline_(tuning) {
  check_limits(how_many, false);
  left_ = how_many.k.value_or(std::numeric_limits<std::int64_t>::max());
  more_stages_ = pipeline_.solve(graph_.get(), which_);
  reset_stage();
}

void Stream::reset_stage() {
  const Graph graph = graph_.get();
  stage_.reset(graph.nodes(), graph.multigraph() != nullptr, graph.scalar() == Scalar::int64);
  given_ = 0;
}

std::optional<Tree> Stream::next() {
  if (left_ == 0) return std::nullopt;
  while (given_ == stage_.size()) {
    reset_stage();
    if (one_by_one_) {
      one_by_one_ = pipeline_.next(above_, up_to_, stage_);
    } else if (more_stages_) {
      next_stage();
    } else {
      return std::nullopt;
    }
  }
  --left_;
  return stage_.copy(given_++);
}

void Stream::next_stage() {
  const double most = how_many_.max_gap.value_or(std::numeric_limits<double>::infinity());
  above_ = up_to_;
  do {
    k_ *= 4;
    up_to_ = std::min(most, pipeline_.bound(k_));
  } while (up_to_ <= above_ && up_to_ < most);
  more_stages_ = up_to_ < most;
  if (pipeline_.range(k_, above_, up_to_, stage_)) return;
  pipeline_.one_by_one(up_to_);
  one_by_one_ = true;
}

}  // namespace coppice::engine
