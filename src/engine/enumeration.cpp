#include "engine/enumeration.hpp"

#include <algorithm>
#include <limits>

namespace coppice::engine {
namespace {

std::int64_t budget(std::int64_t states, std::int64_t states_per_tree, std::int64_t k) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return states + states_per_tree * std::min(k, kMost);
}

}  // namespace

void Enumeration::start(const Kernel& kernel, const Candidates& candidates,
                        const Rounding& rounding, bool integral) {
  kernel_ = &kernel;
  candidates_ = &candidates;
  rounding_ = rounding;
  queue_ = &float_queue_;
  if (integral) queue_ = &integer_queue_;
}

void Enumeration::best(std::int64_t k, double up_to, FoundTrees& found) {
  const double slack = rounding_.slack(up_to);
  const std::int64_t states =
      candidates_->solution().contracted()
          ? budget(tuning_.contracted_states, tuning_.contracted_states_per_tree, k)
          : budget(tuning_.states, tuning_.states_per_tree, k);
  const Sweep::Outcome outcome = sweep_.run(*kernel_, up_to + slack, slack, k, states);
  const bool undecided = outcome == Sweep::Outcome::tied && queue_->exact();
  if (outcome == Sweep::Outcome::abandoned || undecided)
    take_from_queue(k, up_to, found);
  else
    sweep_.list(found);
}

bool Enumeration::ties_of_best(FoundTrees& found) {
  const double slack = rounding_.slack(0.0);
  const std::int64_t states =
      budget(tuning_.contracted_states, tuning_.contracted_states_per_tree, 1);
  if (sweep_.run(*kernel_, slack, slack, 1, states) == Sweep::Outcome::complete) {
    sweep_.list(found);
    return true;
  }
  if (!queue_->exact()) return false;
  take_from_queue(1, 0.0, found);
  return true;
}

bool Enumeration::all(std::int64_t k, double up_to, FoundTrees& found) {
  constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
  const double slack = rounding_.slack(up_to);
  const std::int64_t states = budget(0, tuning_.stream_states_per_tree, k);
  const Sweep::Outcome outcome = sweep_.run(*kernel_, up_to + slack, slack, kAll, states);
  if (outcome != Sweep::Outcome::complete) return false;
  sweep_.list(found);
  return true;
}

void Enumeration::take_from_queue(std::int64_t k, double up_to, FoundTrees& found) {
  one_by_one(up_to);
  found.clear();
  double last_gap = 0.0;  // of the first k
  for (std::int64_t taken = 0; taken - tuning_.most_tied_in_queue < k && pull(found); ++taken) {
    if (gap_ > up_to + 2.0 * rounding_.slack(up_to)) break;
    if (taken >= k && gap_ > last_gap + 2.0 * rounding_.slack(gap_)) break;
    found.finish();
    if (taken < k) last_gap = std::max(last_gap, gap_);
  }
  found.undo();
}

void Enumeration::one_by_one(double up_to) {
  held_gap_.reset();
  queue_->start(*kernel_, *candidates_, up_to + 2.0 * rounding_.slack(up_to), rounding_);
}

// The queue gives trees in the order of its own sums.
bool Enumeration::next(double up_to, FoundTrees& found) {
  found.clear();
  double worst = 0.0;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, tuning_.most_tied_in_queue));
  while (found.size() < most && pull(found)) {
    if (gap_ > up_to + 2.0 * rounding_.slack(up_to)) break;
    if (!found.empty() && gap_ > worst + 2.0 * rounding_.slack(gap_)) {
      held_.assign(found.unfinished().begin(), found.unfinished().end());
      held_gap_ = gap_;
      break;
    }
    worst = std::max(worst, gap_);
    found.finish();
  }
  found.undo();
  return !found.empty();
}

// Adds the replacements of the tree that was held back, or of the next one of the queue.
bool Enumeration::pull(FoundTrees& found) {
  if (held_gap_) {
    for (CandidateId candidate : held_) found.replace(candidate);
    gap_ = *held_gap_;
    held_gap_.reset();
    return true;
  }
  if (!queue_->next(found)) return false;
  gap_ = queue_->gap();
  return true;
}

}  // namespace coppice::engine
