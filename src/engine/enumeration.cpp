#include "engine/enumeration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t budget(std::int64_t states, std::int64_t states_per_tree, std::int64_t k) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return states + states_per_tree * std::min(k, kMost);
}

// By how much larger a gap is than one with so many trees if it has k of them: their number grows
// by a factor with every step of the gap, more or less.
double steps_to(std::int64_t k, std::int64_t found) {
  return std::log(static_cast<double>(k)) / std::log1p(static_cast<double>(found));
}
constexpr double kMostSteps = 2.0;

}  // namespace

void Enumeration::start(const Kernel& kernel, const Candidates& candidates,
                        const Rounding& rounding, bool integral) {
  kernel_ = &kernel;
  candidates_ = &candidates;
  rounding_ = rounding;
  integral_ = integral;
  if (legality_.empty())
    kernel_queue_ = integral ? static_cast<KernelQueue*>(&integer_queue_) : &float_queue_;
  else
    kernel_queue_ =
        integral ? static_cast<KernelQueue*>(&legal_integer_queue_) : &legal_float_queue_;
  queue_ = kernel_queue_;
}

void Enumeration::start(TreeQueue& queue, const Candidates& candidates, const Rounding& rounding) {
  kernel_ = nullptr;
  candidates_ = &candidates;
  rounding_ = rounding;
  queue_ = &queue;
}

Sweep::Outcome Enumeration::sweep(std::int64_t k, double up_to) {
  const double slack = rounding_.slack(up_to);
  const double half = up_to * tuning_.first_gap;
  double gap = half;
  const bool contracted = candidates_->solution().contracted();
  const std::int64_t states =
      contracted ? contracted_budget(k) : budget(tuning_.states, tuning_.states_per_tree, k);
  if (rounding_.looked() && !rounding_.imprecise()) {  // ties are likely
    const auto outcome =
        sweep_.run_at_best(*kernel_, rounding_.slack(0.0), ties_are_equal(), k, states);
    // What takes too long here takes no less within a larger gap.
    if (outcome != Sweep::Outcome::complete || sweep_.trees_up_to(0.0) >= k) return outcome;
    gap = std::min(gap, gap_beyond_ties(k));
    up_to = std::min(up_to, sweep_.kth_gap(k));
  }
  if (!contracted) return sweep_.run(*kernel_, up_to + slack, slack, k, states);
  // The bound counts few of the trees that leave a component by another way, so that it may be far
  // above the K-th gap: most often a part of it is enough.
  while (gap < up_to) {
    const Sweep::Outcome outcome = sweep_.run(*kernel_, gap + slack, slack, k, states);
    const std::int64_t found = sweep_.trees_up_to(gap);
    if (outcome == Sweep::Outcome::abandoned || found >= k) return outcome;
    gap = std::max(gap * tuning_.next_gap * std::clamp(steps_to(k, found), 1.0, kMostSteps), half);
  }
  return sweep_.run(*kernel_, up_to + slack, slack, k, states);
}

// Where so many trees equal the best within the slack that k of them cannot be much worse, as far
// as that many let expect.
double Enumeration::gap_beyond_ties(std::int64_t k) const {
  const double slack = rounding_.slack(0.0);
  const bool many = slack > 0.0 && steps_to(k, sweep_.trees_up_to(slack)) <= kMostSteps;
  return many ? kMostSteps * slack : kInfinity;
}

// Have all trees that equal the best within the slack the very weights of the best, node by node?
// Then they have its score, however sums round.
bool Enumeration::ties_are_equal() const {
  if (integral_ || candidates_->solution().root_price != 0.0) return false;
  const double most = 2.0 * rounding_.slack(0.0);
  for (KernelNode v(0); v < kernel_->end(); ++v)
    for (const Kernel::Option& option : kernel_->options(v))
      if (option.reduced_cost <= most && option.loss != 0.0) return false;
  return true;
}

std::int64_t Enumeration::contracted_budget(std::int64_t k) const {
  return budget(tuning_.contracted_states, tuning_.contracted_states_per_tree, k);
}

void Enumeration::best(std::int64_t k, double up_to, FoundTrees& found) {
  if (!best_swept(k, up_to, found)) take_from_queue(k, up_to, kInfinity, found);
}

bool Enumeration::best_swept(std::int64_t k, double up_to, FoundTrees& found) {
  if (kernel_ == nullptr) return false;
  const Sweep::Outcome outcome = sweep(k, up_to);
  const bool undecided = outcome == Sweep::Outcome::tied && integral_;
  if (outcome == Sweep::Outcome::abandoned || undecided) return false;
  sweep_.list(found);
  return true;
}

bool Enumeration::legal_among_best(std::int64_t k, std::int64_t listed, double up_to,
                                   FoundTrees& found) {
  if (sweep(listed, up_to) != Sweep::Outcome::complete) return false;
  sweep_.list(found);
  const bool all = std::cmp_less(found.size(), listed);
  legality_.keep_legal(candidates_->solution(), candidates_->list(), found);
  return all || std::cmp_greater_equal(found.size(), k);
}

bool Enumeration::legal_among_first(std::int64_t k, std::int64_t listed, FoundTrees& found) {
  const bool more = take_from_queue(listed, kInfinity, kInfinity, found);
  legality_.keep_legal(candidates_->solution(), candidates_->list(), found);
  return !more || std::cmp_greater_equal(found.size(), k);
}

bool Enumeration::best_legal(std::int64_t k, double up_to, double max_gap, FoundTrees& found) {
  return take_from_queue(k, up_to, max_gap, found);
}

bool Enumeration::ties_of_best(FoundTrees& found) {
  if (kernel_ == nullptr) {
    take_from_queue(1, 0.0, kInfinity, found);
    return true;
  }
  const double slack = rounding_.slack(0.0);
  if (sweep_.run(*kernel_, slack, slack, 1, contracted_budget(1)) == Sweep::Outcome::complete) {
    sweep_.list(found);
    return true;
  }
  if (!integral_) return false;
  take_from_queue(1, 0.0, kInfinity, found);
  return true;
}

bool Enumeration::all(std::int64_t k, double up_to, FoundTrees& found) {
  if (kernel_ == nullptr) return false;
  constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
  const double slack = rounding_.slack(up_to);
  const std::int64_t states = budget(0, tuning_.stream_states_per_tree, k);
  const Sweep::Outcome outcome = sweep_.run(*kernel_, up_to + slack, slack, kAll, states);
  if (outcome != Sweep::Outcome::complete) return false;
  sweep_.list(found);
  legality_.keep_legal(candidates_->solution(), candidates_->list(), found);
  return true;
}

// True if there are k trees of gap <= up_to.
bool Enumeration::take_from_queue(std::int64_t k, double up_to, double max_gap, FoundTrees& found) {
  one_by_one(up_to);
  found.clear();
  double first_gap = 0.0, last_gap = 0.0;  // of the first k
  std::int64_t taken = 0;
  const std::int64_t more = std::min(k / 4, most_tied());
  queue_->want(k > std::numeric_limits<std::int64_t>::max() - more ? k : k + more);
  for (; taken - more < k; ++taken) {
    double most = up_to;
    if (taken > 0) most = std::min(most, first_gap + max_gap);
    if (taken >= k) most = std::min(most, last_gap);
    if (!pull(rounding_.for_queue(most), found) || gap_ > rounding_.for_queue(most)) break;
    found.finish();
    if (taken == 0) first_gap = gap_;
    if (taken < k) last_gap = std::max(last_gap, gap_);
  }
  found.undo();
  return taken >= k && last_gap <= up_to;
}

void Enumeration::one_by_one(double up_to) {
  held_gap_.reset();
  if (kernel_ == nullptr) return;
  kernel_queue_->start(*kernel_, *candidates_, rounding_.for_queue(up_to), rounding_);
}

// How many trees beyond the wanted ones may be looked at because they equal the last of these
// within the slack.
std::int64_t Enumeration::most_tied() const {
  if (queue_->exact()) return 0;
  return std::min(tuning_.most_tied_in_queue, tuning_.tied_edges / (queue_->edges() + 1));
}

// The queue gives trees in the order of its own sums.
bool Enumeration::next(double up_to, FoundTrees& found) {
  found.clear();
  double worst = 0.0;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, most_tied()));
  while (found.size() < most &&
         pull(rounding_.for_queue(found.empty() ? up_to : std::min(up_to, worst)), found)) {
    if (gap_ > rounding_.for_queue(up_to)) break;
    if (!found.empty() && gap_ - 2.5 * rounding_.slack(gap_) > worst) {
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
bool Enumeration::pull(double up_to, FoundTrees& found) {
  if (held_gap_) {
    for (CandidateId candidate : held_) found.replace(candidate);
    gap_ = *held_gap_;
    held_gap_.reset();
    return true;
  }
  if (!queue_->next(up_to, found)) return false;
  gap_ = queue_->gap();
  return true;
}

}  // namespace coppice::engine
