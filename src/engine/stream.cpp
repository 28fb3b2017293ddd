#include "engine/stream.hpp"

#include <algorithm>

#include "engine/scores.hpp"
#include "graph/constraints.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::engine {

Stream::Stream(Graph graph, const Which& which, const HowMany& how_many, const Tuning& tuning)
    : graph_(graph), which_(which), how_many_(how_many), pipeline_(tuning) {
  check_limits(how_many, false);
  left_ = how_many.k.value_or(std::numeric_limits<std::int64_t>::max());
  more_stages_ = pipeline_.solve(graph_.get(), which_);
  pipeline_.set_budget(how_many.budget);
  if (which.rules.empty() && how_many.max_gap) most_ = *how_many.max_gap;
  reset_stage();
}

void Stream::reset_stage() {
  const Graph graph = graph_.get();
  TreeBuilder(stage_).reset(graph);
  given_ = 0;
}

std::optional<Tree> Stream::next() {
  while (left_ > 0 && find_next()) {
    if (within_max_gap()) {
      --left_;
      return stage_.copy(given_++);
    }
    ++given_;
    // Legal trees beyond it would be looked for without end.
    if (!which_.rules.empty()) left_ = 0;
  }
  return std::nullopt;
}

// Makes stage_ hold a tree that has not been given; false when there is none left.
bool Stream::find_next() {
  while (given_ == stage_.size()) {
    reset_stage();
    if (one_by_one_) {
      one_by_one_ = pipeline_.next(above_, up_to_, stage_);
    } else if (more_stages_ && complete()) {
      next_stage();
    } else {
      return false;
    }
  }
  return true;
}

// max_gap is measured from the first tree that was given. Rounding may make its score better than
// that of the tree which stages are measured from; under rules it may be worse by any amount.
bool Stream::within_max_gap() {
  if (!how_many_.max_gap) return true;
  // Not stage_[given_], which would write out all its trees.
  const TreeRef tree{{},
                     {},
                     stage_.score(given_),
                     stage_.integer_scores().empty() ? 0 : stage_.integer_scores()[given_]};
  if (!first_) {
    first_ = tree;
    if (!which_.rules.empty()) most_ = pipeline_.gap_of(tree.score) + *how_many_.max_gap;
  }
  return is_within(graph_.get().scalar(), *first_, tree, *how_many_.max_gap);
}

double Stream::gap_of_stage() {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (which_.rules.empty()) return pipeline_.bound(k_);
  if (k_ > kMost) return std::numeric_limits<double>::infinity();
  return std::max(2.0 * above_, pipeline_.bound(k_));
}

void Stream::next_stage() {
  above_ = up_to_;
  do {
    k_ *= 4;
    up_to_ = std::min(most_, gap_of_stage());
  } while (up_to_ <= above_ && up_to_ < most_);
  // To list all trees is no way to find the legal ones where these are few.
  constexpr std::int64_t kFew = 16;
  const bool may_list = which_.rules.empty() || k_ <= kFew;
  one_by_one_ = !(may_list && pipeline_.range(k_, above_, up_to_, stage_));
  if (one_by_one_) up_to_ = pipeline_.one_by_one(up_to_, most_);
  more_stages_ = up_to_ < most_;
}

}  // namespace coppice::engine
