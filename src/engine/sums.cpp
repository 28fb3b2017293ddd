#include "engine/sums.hpp"

#include <algorithm>

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

void Sums::run(const CandidateList& candidates, const FoundTrees& trees,
               std::vector<double>& sums) {
  sums.resize(trees.size());
  if (weights_->size() <= tuning_.small_table)
    sum_table(candidates, trees, sums);
  else
    sum_blocks(candidates, trees, sums);
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

void Sums::sum_blocks(const CandidateList& candidates, const FoundTrees& trees,
                      std::vector<double>& sums) {
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    poll();
    changes_.clear();
    for (CandidateId i : trees[tree])
      changes_.push_back({candidates[i].dependent, weight(candidates[i])});
    std::sort(changes_.begin(), changes_.end(),
              [](const auto& a, const auto& b) { return a.node < b.node; });
    sums[tree] = blocks_.with(changes_);
  }
}

}  // namespace coppice::engine
