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
  prefix_.resize(weights.size());
  prefix_[0] = 0.0;
  for (Node v = 1; v < weights.end_index(); ++v) prefix_[v] = prefix_[v - 1] + weights[v];
}

void Sums::run(const CandidateList& candidates, const FoundTrees& trees,
               std::vector<double>& sums) {
  sums.resize(trees.size());
  for (std::size_t first = 0; first < trees.size(); first += kLanes) {
    poll();
    std::size_t count = std::min(kLanes, trees.size() - first);
    const Lanes lanes = weights_->size() <= tuning_.small_table
                            ? sum_table(candidates, trees, first, count)
                            : sum_stretches(candidates, trees, first, count);
    std::copy_n(lanes.begin(), count, sums.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void Sums::gather(const CandidateList& candidates, const FoundTrees& trees, std::size_t first,
                  std::size_t count) {
  changes_.resize(trees.replacements(first, first + count));
  auto change = changes_.begin();
  trees.for_each(first, first + count, [&](std::size_t tree, CandidateId i) {
    const auto lane = static_cast<std::uint32_t>(tree - first);
    *change++ = {candidates[i].dependent, lane, weight(candidates[i])};
  });
}

Sums::Lanes Sums::sum_table(const CandidateList& candidates, const FoundTrees& trees,
                            std::size_t first, std::size_t count) {
  gather(candidates, trees, first, count);
  for (const Change& change : changes_) table_[change.node][change.lane] = change.weight;
  Lanes sums;
  simd::kernels().sum_rows(table_[1].data(), table_.size() - 1, sums.data());
  for (const Change& change : changes_) table_[change.node][change.lane] = (*weights_)[change.node];
  return sums;
}

// From one change to the next all lanes add the same.
Sums::Lanes Sums::sum_stretches(const CandidateList& candidates, const FoundTrees& trees,
                                std::size_t first, std::size_t count) {
  gather(candidates, trees, first, count);
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.node < b.node; });
  const Node nodes = weights_->end_index();
  changes_.push_back({nodes, 0, 0.0});
  Lanes sums;
  Node v = changes_.front().node;
  sums.fill(prefix_[v - 1]);
  for (std::size_t i = 0; changes_[i].node < nodes;) {
    Lanes here;
    here.fill((*weights_)[v]);
    for (; changes_[i].node == v; ++i) here[changes_[i].lane] = changes_[i].weight;
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += here[lane];
    for (++v; v < changes_[i].node; ++v)
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += (*weights_)[v];
  }
  return sums;
}

}  // namespace coppice::engine
