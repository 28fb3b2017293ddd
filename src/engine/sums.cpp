#include "engine/sums.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "engine/simd.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {

void Sums::start(const Indexed<Node, double>& weights, const Solver* solver) {
  solver_ = solver;
  weights_ = &weights;
  if (weights.size() <= tuning_.small_table) {
    table_.resize(weights.size());
    for (Node v = 1; v < weights.end_index(); ++v) table_[v].fill(weights[v]);
    return;
  }
  blocks_.start(weights, tuning_.sum_block);
}

void Sums::run(const CandidateList& candidates, const FoundTrees& trees, std::int64_t wanted,
               std::vector<double>& sums) {
  sums.resize(trees.size());
  if (weights_->size() <= tuning_.small_table)
    sum_table(candidates, trees, sums);
  else
    sum_blocks(candidates, trees, wanted, sums);
}

void Sums::sum_table(const CandidateList& candidates, const FoundTrees& trees,
                     std::vector<double>& sums) {
  Lanes lanes;
  for (std::size_t first = 0; first < trees.size(); first += kLanes) {
    poll();
    const std::size_t count = std::min(kLanes, trees.size() - first);
    places_.resize(trees.replacements(first, first + count));
    auto place = places_.begin();
    trees.for_each(first, first + count, [&](std::size_t tree, CandidateId i) {
      const Node node = candidates[i].dependent;
      *place++ = {node, static_cast<std::uint32_t>(tree - first)};
      table_[node][tree - first] = weight(candidates[i]);
    });
    simd::kernels().sum_rows(table_[1].data(), table_.size() - 1, lanes.data());
    for (const Place& changed : places_)
      table_[changed.node][changed.lane] = (*weights_)[changed.node];
    std::copy_n(lanes.begin(), count, sums.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void Sums::sum_blocks(const CandidateList& candidates, const FoundTrees& trees, std::int64_t wanted,
                      std::vector<double>& sums) {
  double least = -std::numeric_limits<double>::infinity();
  if (std::cmp_greater(trees.size(), wanted))
    least = estimate(candidates, trees, static_cast<std::size_t>(std::max<std::int64_t>(1, wanted)),
                     sums);
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    poll();
    if (sums[tree] < least) continue;
    changes_.clear();
    for (CandidateId i : trees[tree])
      changes_.push_back({candidates[i].dependent, weight(candidates[i])});
    std::sort(changes_.begin(), changes_.end(),
              [](const auto& a, const auto& b) { return a.node < b.node; });
    sums[tree] = blocks_.with(changes_);
  }
}

// Estimates of all sums. Those below what is returned belong to trees that so many others are
// better than. By BlockSums::error and what rounds here, a sum is within `error` of the exact value
// of its estimate; so are those of the wanted ones of the best estimates, which are ahead by more
// than 3 errors: ahead also of the estimate itself, rounded.
double Sums::estimate(const CandidateList& candidates, const FoundTrees& trees, std::size_t wanted,
                      std::vector<double>& sums) {
  std::size_t most = 1;
  double magnitude = 0.0;
  gains_.resize(trees.size());
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    double gain = 0.0, moved = 0.0;
    for (CandidateId i : trees[tree]) {
      const double change = weight(candidates[i]) - (*weights_)[candidates[i].dependent];
      gain += change;
      moved += std::abs(change);
    }
    gains_[tree] = gain;
    most = std::max(most, trees[tree].size());
    magnitude = std::max(magnitude, moved);
  }
  for (std::size_t tree = 0; tree < trees.size(); ++tree) sums[tree] = blocks_.sum() + gains_[tree];
  // Room for what rounding takes from `moved`.
  const double error =
      blocks_.error(most, 1.5 * magnitude) + 0x1p-51 * static_cast<double>(most) * magnitude;
  const auto last = gains_.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
  std::nth_element(gains_.begin(), last, gains_.end(), std::greater<>());
  return blocks_.sum() + *last - 4.0 * error;
}

}  // namespace coppice::engine
