#include "engine/combinations.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/bound.hpp"
#include "engine/simd.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

constexpr std::int64_t kMostWanted = 30'000;  // what the counts can hold
constexpr int kMostTries = 8;
constexpr double kMostSteps = simd::kSteps - 1;
constexpr std::size_t kFewSteps = simd::kSteps / 4;
constexpr int kMostLooks = 8;  // each closer by a factor of 4 or more

// To the nearest; kSteps: that or more.
std::size_t steps_of(double loss, double per_step) {
  return static_cast<std::size_t>(std::min(loss * per_step + 0.5, double{simd::kSteps}));
}

// Into steps: neither nothing, nor so little that the steps per unit overflow, nor everything.
bool can_be_divided(double range) {
  return range > kMostSteps * std::numeric_limits<double>::min() &&
         range < std::numeric_limits<double>::infinity();
}

}  // namespace

bool Combinations::run(const GreedyCase& graph, std::int64_t k, double max_gap) {
  if (k > kMostWanted / 2) return false;
  start(graph, k);
  double range = std::min(guess(k + 1), max_gap);
  // The estimate is rough and does not know all cycles: some more than k.
  std::int64_t wanted = k + k / 16 + 1;
  for (int tries = 0; tries < kMostTries && wanted <= kMostWanted; ++tries) {
    if (!collect(range + graph.slack(range))) return false;
    if (range == 0.0 && too_many_tie()) return false;
    double limit = estimate(std::min(range, greatest_), wanted);
    const bool whole = range >= max_gap;
    if (limit == kInfinity && !whole) {
      range = std::min(range == 0.0 ? kInfinity : 2.0 * range, max_gap);
      continue;
    }
    limit = std::min(limit, range);
    if (counted_too_many_) return false;
    if (!build(limit + graph.slack(limit))) return false;
    const std::int64_t found = std::count_if(
        trees_.begin(), trees_.end(), [&](CombinationId id) { return -gains_[id] <= limit; });
    if (found >= k || limit == max_gap) return true;
    wanted += std::max(wanted / 8, 2 * (k - found));
  }
  return false;
}

void Combinations::start(const GreedyCase& graph, std::int64_t k) {
  graph_ = &graph;
  combinations_.of(graph.heads());
  most_ = static_cast<std::size_t>(
      std::max<std::int64_t>(1, tuning_.combinations + tuning_.combinations_per_tree * k));
  indices_.resize(std::max(graph.stride(), simd::padded(most_)));
  gains_.resize(simd::padded(most_));
  root_children_.resize(most_);
  options_.resize(place_of(graph.nodes()));
}

// How much so many combinations of second best edges lose at most: those of all edges lose less.
double Combinations::guess(std::int64_t wanted) {
  losses_.clear();
  for (Node v = 1; v < graph_->nodes(); ++v)
    if (v != graph_->root_child() && graph_->second(v) != kNoWeight)
      losses_.push_back(graph_->weight(v) - graph_->second(v));
  const double range = Bound::guess(losses_, wanted);
  if (!can_be_divided(range)) return range;
  start_counting();
  for (const double loss : losses_) {
    if (loss <= range)
      steps_.push_back(static_cast<std::uint8_t>(steps_of(loss, kMostSteps / range)));
    step_ends_.push_back(static_cast<std::uint32_t>(steps_.size()));
  }
  const std::size_t steps = count_up_to(wanted);
  return std::min(range, (static_cast<double>(steps) + 0.5) * range / kMostSteps);
}

// Makes candidates_ hold all edges that lose no more than the limit. False: too many.
bool Combinations::collect(double limit) {
  candidates_.clear();
  greatest_ = 0.0;
  for (Node v = 1; v < graph_->nodes(); ++v) {
    options_[v] = collect_into(v, limit);
    if (candidates_.size() > most_) return false;
  }
  root_edges_.begin = candidates_.end_index();
  if (graph_->single_root()) {
    double greatest = 0.0;
    for (Node v = 1; v < graph_->nodes(); ++v) {
      const double weight = graph_->root_weight(v);
      const double loss = graph_->weight(v) - weight;
      if (v == graph_->root_child() || !(loss <= limit) || weight == kNoWeight) continue;
      candidates_.push_back({loss, loss, weight, 0, v, kNoEdge});
      greatest = std::max(greatest, loss);
    }
    greatest_ += greatest;
  }
  root_edges_.end = candidates_.end_index();
  return true;
}

Combinations::Range Combinations::collect_into(Node v, double limit) {
  const CandidateId begin = candidates_.end_index();
  const double weight = graph_->weight(v);
  if (graph_->weight(v) - graph_->second(v) <= limit) {
    const double* column = graph_->column(v);
    const Node head = graph_->head(v);
    double greatest = 0.0;
    const std::size_t found =
        simd::kernels().at_least(column, weight - limit, graph_->stride(), indices_.data());
    for (std::size_t i = 0; i < found; ++i) {
      const Node source = indices_[i];
      if (source == head || column[source] == kNoWeight) continue;
      if (source == 0 && graph_->single_root()) continue;
      const double loss = weight - column[source];
      greatest = std::max(greatest, loss);
      candidates_.push_back({loss, loss, column[source], source, v, kNoEdge});
    }
    greatest_ += greatest;
  }
  return {begin, candidates_.end_index()};
}

// About how much so many combinations lose at most; infinity if there are not so many within the
// range. Losses are rounded to steps, and the combinations of each number of steps are counted.
double Combinations::estimate(double range, std::int64_t wanted) {
  counted_too_many_ = false;
  // Most sums of a range that is too wide are alike: then look again, closer.
  for (int looks = 0; looks < kMostLooks && can_be_divided(range); ++looks) {
    start_counting();
    count_combinations(kMostSteps / range);
    const std::size_t steps = count_up_to(wanted);
    if (steps == simd::kSteps) return kInfinity;
    counted_too_many_ = count_within(steps) > most_ / 2;  // as many again are cyclic
    range = std::min((static_cast<double>(steps) + 0.5) * range / kMostSteps, range);
    if (steps >= kFewSteps) break;
  }
  return range;
}

void Combinations::start_counting() {
  counts_.fill(0);
  counts_[simd::kSteps] = 1;
  steps_.clear();
  step_ends_.clear();
}

// The least number of steps that so many combinations make, or kSteps.
std::size_t Combinations::count_up_to(std::int64_t wanted) {
  std::uint16_t* counts = counts_.data() + simd::kSteps;
  simd::kernels().count_sums(steps_.data(), step_ends_.data(), step_ends_.size(), counts);
  std::size_t steps = 0;
  while (steps < simd::kSteps && (wanted -= counts[steps]) > 0) ++steps;
  return steps;
}

// How many combinations make so many steps, or less.
std::size_t Combinations::count_within(std::size_t steps) const {
  const auto begin = counts_.begin() + simd::kSteps;
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(steps) + 1, std::size_t{0});
}

// Leaves out edges that close a cycle by themselves.
void Combinations::count_combinations(double per_step) {
  if (graph_->single_root()) {
    const Range inner = options_[graph_->root_child()];
    for (CandidateId i = root_edges_.begin; i < root_edges_.end; ++i)
      for (CandidateId j = inner.begin; j < inner.end; ++j) {
        if (!combinations_.is_below(candidates_[j].head, candidates_[i].dependent)) continue;
        const std::size_t steps = steps_of(candidates_[i].loss + candidates_[j].loss, per_step);
        if (steps < simd::kSteps) ++counts_[simd::kSteps + steps];
      }
  }
  for (Node v = 1; v < graph_->nodes(); ++v) {
    if (v == graph_->root_child()) continue;
    for (CandidateId i = options_[v].begin; i < options_[v].end; ++i) {
      const std::size_t steps = steps_of(candidates_[i].loss, per_step);
      if (steps < simd::kSteps && !combinations_.is_below(candidates_[i].head, v))
        steps_.push_back(static_cast<std::uint8_t>(steps));
    }
    if (options_[v].begin != options_[v].end)
      step_ends_.push_back(static_cast<std::uint32_t>(steps_.size()));
  }
}

// Are there more combinations that lose nothing than may be made?
bool Combinations::too_many_tie() const {
  double tied = 1.0;
  for (Node v = 1; v < graph_->nodes(); ++v) {
    if (v == graph_->root_child()) continue;
    int options = 1;
    for (CandidateId i = options_[v].begin; i < options_[v].end; ++i)
      if (candidates_[i].loss == 0.0) ++options;
    tied *= options;
    if (tied > static_cast<double>(most_)) return true;
  }
  return false;
}

// Every combination of candidates up to the limit. False: too many.
bool Combinations::build(double limit) {
  combinations_.clear();
  trees_.assign(1, ChangedTrees::kBest);
  gains_[ChangedTrees::kBest] = 0.0;
  root_children_[ChangedTrees::kBest] = kNoNode;
  if (graph_->single_root()) {
    // Another root edge, and for the root's child a head among the words.
    const Range inner = options_[graph_->root_child()];
    for (CandidateId i = root_edges_.begin; i < root_edges_.end; ++i) {
      const CombinationId alone = combinations_.end();
      const Candidate& edge = candidates_[i];
      if (!append(ChangedTrees::kBest, i, kNoWeight, edge.dependent)) return false;
      for (CandidateId j = inner.begin; j < inner.end; ++j) {
        const double loss = edge.loss + candidates_[j].loss;
        if (loss <= limit && !append(alone, j, -loss, edge.dependent)) return false;
      }
    }
  }
  // From below, so that where the root's child is kept no cycle can be opened later on.
  const std::span<const Node> words = combinations_.words();
  return std::all_of(words.rbegin(), words.rend(),
                     [&](Node v) { return v == graph_->root_child() || extend(v, limit); });
}

// Adds every combination so far with every option of v.
bool Combinations::extend(Node v, double limit) {
  poll();
  const CombinationId end = combinations_.end();
  for (CandidateId i = options_[v].begin; i < options_[v].end; ++i) {
    const double loss = candidates_[i].loss;
    if (loss > limit) continue;
    const std::size_t found = simd::kernels().at_least(
        gains_.data(), loss - limit, simd::padded(place_of(end)), indices_.data());
    for (std::size_t j = 0; j < found; ++j) {
      const CombinationId before(indices_[j]);
      if (before >= end) break;
      const Node root_child = root_children_[before];
      if (root_child != v && !append(before, i, gains_[before] - loss, root_child)) return false;
    }
  }
  return true;
}

void Combinations::list(FoundTrees& found) const {
  found.clear();
  for (const CombinationId id : trees_) combinations_.list(id, found);
}

}  // namespace coppice::engine
