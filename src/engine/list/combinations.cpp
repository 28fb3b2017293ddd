#include "engine/list/combinations.hpp"

#include <algorithm>
#include <numeric>

#include "engine/prune/bound.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

constexpr std::int64_t kMostWanted = 30'000;  // what the counts can hold
constexpr int kMostTries = 8;
constexpr double kMostSteps = simd::kSteps - 1;
constexpr std::size_t kFewSteps = simd::kSteps / 4;
constexpr std::uint32_t kManyInBucket = 32;
constexpr int kMostLooks = 8;  // each closer by a factor of 4 or more

// To the nearest; kSteps: that or more.
std::size_t steps_of(double loss, double per_step) {
  return static_cast<std::size_t>(std::min(loss * per_step + 0.5, double{simd::kSteps}));
}

}  // namespace

bool Combinations::run(const Dense& graph, const CertifiedTree& tree, std::int64_t k,
                       double max_gap, TreeEdits& trees) {
  if (k > kMostWanted / 2) return false;
  graph_ = &graph;
  tree_ = &tree;
  start(k);
  double range = std::min(guess(k + 1), max_gap);
  // The estimate is rough and does not know all cycles: some more than k.
  std::int64_t wanted = k + k / 16 + 1;
  for (int tries = 0; tries < kMostTries && wanted <= kMostWanted; ++tries) {
    if (!collect(range)) return false;
    double limit = estimate(range, wanted);
    const bool whole = range >= max_gap;
    if (limit == kInfinity && !whole) {
      range = std::min(range == 0.0 ? kInfinity : 2.0 * range, max_gap);
      continue;
    }
    limit = std::min(limit, range);
    if (counted_too_many_ || !build(limit)) return false;
    const auto found = static_cast<std::int64_t>(found_.size());
    if (found >= k || limit == max_gap) {
      list(k, trees);
      return true;
    }
    wanted += std::max(wanted / 8, 2 * (k - found));
  }
  return false;
}

void Combinations::start(std::int64_t k) {
  const auto nodes = place_of(graph_->nodes());
  combinations_.of(tree_->head);
  root_child_ = graph_->single_root() && !combinations_.words().empty()
                    ? combinations_.words().front()
                    : kNoNode;
  most_ = static_cast<std::size_t>(
      std::max<std::int64_t>(1, tuning_.combinations + tuning_.combinations_per_tree * k));
  indices_.resize(std::max(graph_->stride(), simd::padded(most_)));
  gains_.resize(simd::padded(most_));
  rerooted_.resize(most_);
  options_.resize(nodes);
}

// How much so many combinations of second best edges lose at most: those of all edges lose less.
double Combinations::guess(std::int64_t wanted) {
  losses_.clear();
  for (Node v = 1; v < graph_->nodes(); ++v)
    if (v != root_child_ && graph_->second(v) != kNoWeight)
      losses_.push_back(tree_->gain[v] - graph_->second(v));
  const double range = Bound::guess(losses_, wanted);
  if (range == 0.0 || range == kInfinity) return range;
  start_counting();
  for (const double loss : losses_) {
    if (loss <= range)
      steps_.push_back(static_cast<std::uint8_t>(steps_of(loss, kMostSteps / range)));
    step_ends_.push_back(static_cast<std::uint32_t>(steps_.size()));
  }
  const std::size_t steps = count_up_to(wanted);
  return std::min(range, (static_cast<double>(steps) + 0.5) * range / kMostSteps);
}

// Makes candidates_ hold all edges that lose no more than the limit. False: too many. Under the
// single-root rule another root edge needs an edge from a word into the root's child: what the
// cheapest of these loses is part of the loss of every other root edge.
bool Combinations::collect(double limit) {
  candidates_.clear();
  double inner = 0.0;
  if (root_child_ != kNoNode) {
    const Range range = options_[root_child_] = collect_into(root_child_, limit);
    inner = kInfinity;
    for (const Candidate& edge : candidates_) inner = std::min(inner, edge.loss);
    for (CandidateId i = range.begin; i < range.end; ++i) candidates_[i].loss -= inner;
  }
  for (Node v = 1; v < graph_->nodes(); ++v) {
    if (v == root_child_) continue;
    options_[v] = collect_into(v, limit);
    const double loss = tree_->gain[v] - (graph_->root_gain(v) - tree_->root_price) + inner;
    if (root_child_ != kNoNode && loss <= limit && loss < kInfinity) {
      candidates_.push_back({loss, loss, 0, v, kNoEdge});
      ++options_[v].end;
    }
    if (candidates_.size() > most_) return false;
  }
  return true;
}

Combinations::Range Combinations::collect_into(Node v, double limit) {
  const CandidateId begin = candidates_.end_index();
  const double gain = tree_->gain[v];
  // Of the root's child the second best edge may be dearer than the best other one.
  if (v == root_child_ || gain - graph_->second(v) <= limit) {
    const double* column = graph_->column(v);
    const std::size_t found =
        simd::kernels().at_least(column, gain - limit, graph_->stride(), indices_.data());
    for (std::size_t i = 0; i < found; ++i) {
      const Node source = indices_[i];
      if (source == tree_->head[v] || column[source] == kNoWeight) continue;
      if (source == 0 && graph_->single_root()) continue;
      const double loss = gain - column[source];
      candidates_.push_back({loss, loss, source, v, kNoEdge});
    }
  }
  return {begin, candidates_.end_index()};
}

// About how much so many combinations lose at most; infinity if there are not so many within the
// range. Losses are rounded to steps, and the combinations of each number of steps are counted.
double Combinations::estimate(double range, std::int64_t wanted) {
  counted_too_many_ = false;
  double greatest = 0.0;  // no combination of the candidates loses more
  for (const Candidate& edge : candidates_) greatest += edge.loss;
  range = std::min(range, greatest);
  // Most sums of a range that is too wide are alike: then look again, closer.
  for (int looks = 0; looks < kMostLooks && range > 0.0; ++looks) {
    start_counting();
    count_combinations(kMostSteps / range);
    const std::size_t steps = count_up_to(wanted);
    if (steps == simd::kSteps) return kInfinity;
    const auto first = counts_.begin() + simd::kSteps;
    const auto counted =
        std::accumulate(first, first + static_cast<std::ptrdiff_t>(steps) + 1, std::size_t{0});
    counted_too_many_ = counted > most_ / 2;  // as many again are cyclic
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

// Leaves out edges that close a cycle by themselves. Other root edges are counted with the edge
// into the root's child.
void Combinations::count_combinations(double per_step) {
  for (Node v = 1; v < graph_->nodes(); ++v) {
    if (v == root_child_) continue;
    for (CandidateId i = options_[v].begin; i < options_[v].end; ++i) {
      const Candidate& edge = candidates_[i];
      if (is_root_edge(edge)) {
        const Range inner = options_[root_child_];
        for (CandidateId j = inner.begin; j < inner.end; ++j) {
          const std::size_t steps = steps_of(edge.loss + candidates_[j].loss, per_step);
          if (steps < simd::kSteps && combinations_.is_below(candidates_[j].head, v))
            ++counts_[simd::kSteps + steps];
        }
      } else if (!combinations_.is_below(edge.head, v)) {
        const std::size_t steps = steps_of(edge.loss, per_step);
        if (steps < simd::kSteps) steps_.push_back(static_cast<std::uint8_t>(steps));
      }
    }
    if (options_[v].begin != options_[v].end)
      step_ends_.push_back(static_cast<std::uint32_t>(steps_.size()));
  }
}

// Every combination of candidates up to the limit. False: too many.
bool Combinations::build(double limit) {
  combinations_.clear();
  found_.assign(1, {0.0, ChangedTrees::kBest});
  gains_[ChangedTrees::kBest] = 0.0;
  rerooted_[ChangedTrees::kBest] = 0;
  // From below: then no later edge opens a cycle, and no cyclic combination needs to be kept.
  const std::span<const Node> words = combinations_.words();
  return std::all_of(words.rbegin(), words.rend(), [&](Node v) { return extend(v, limit); });
}

// Adds every combination so far with every option of v. The root's child comes last: it must take
// an option where another node hangs from the root, and in no other case.
bool Combinations::extend(Node v, double limit) {
  poll();
  const bool last = v == root_child_;
  const auto end = static_cast<std::int32_t>(combinations_.size());
  for (CombinationId id(0); last && id < CombinationId(end); ++id)
    if (rerooted_[id] == 0) gains_[id] = -kInfinity;  // nothing follows
  for (CandidateId i = options_[v].begin; i < options_[v].end; ++i) {
    const Candidate& edge = candidates_[i];
    if (edge.loss > limit) continue;
    const bool reroots = is_root_edge(edge);
    const std::size_t found = simd::kernels().at_least(
        gains_.data(), edge.loss - limit, simd::padded(place_of(end)), indices_.data());
    for (std::size_t j = 0; j < found && indices_[j] < end; ++j) {
      const CombinationId before(indices_[j]);
      const bool rerooted = rerooted_[before] != 0;
      if (last ? !rerooted : reroots && rerooted) continue;
      if (combinations_.size() == most_) return false;
      const CombinationId id = combinations_.add(before, i, edge);
      if (!combinations_.is_tree(id)) {
        combinations_.drop_last();
        continue;
      }
      const double gap = edge.loss - gains_[before];
      gains_[id] = -gap;
      rerooted_[id] = reroots || rerooted ? 1 : 0;
      if (last || rerooted_[id] == 0) found_.push_back({gap, id});
    }
  }
  return true;
}

// Dealt by steps of the gap first: then hardly two are in one bucket, and what is left to sort has
// no branches that cannot be predicted.
void Combinations::list(std::int64_t k, TreeEdits& trees) {
  const std::size_t buckets = found_.size();
  double largest = 0.0;
  for (const Found& tree : found_) largest = std::max(largest, tree.gap);
  const double scale = largest > 0.0 ? static_cast<double>(buckets - 1) / largest : 0.0;
  auto bucket_of = [&](const Found& tree) { return static_cast<std::size_t>(tree.gap * scale); };
  ends_.assign(buckets + 1, 0);
  for (const Found& tree : found_) ++ends_[bucket_of(tree) + 1];
  const bool many = *std::max_element(ends_.begin(), ends_.end()) > kManyInBucket;
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  dealt_.resize(buckets);
  for (const Found& tree : found_) dealt_[ends_[bucket_of(tree)]++] = tree;
  if (many) std::sort(dealt_.begin(), dealt_.end());
  for (std::size_t i = 1; i < buckets && !many; ++i) {
    const Found tree = dealt_[i];
    std::size_t to = i;
    for (; to > 0 && tree < dealt_[to - 1]; --to) dealt_[to] = dealt_[to - 1];
    dealt_[to] = tree;
  }
  trees.clear();
  for (std::size_t i = 0; i < buckets && std::cmp_less(i, k); ++i) {
    combinations_.list(dealt_[i].id, candidates_, trees);
    trees.finish(dealt_[i].gap);
  }
}

}  // namespace coppice::engine
