#include "engine/report.hpp"

#include <algorithm>

#include "graph/tree_builder.hpp"

namespace coppice::engine {

void Report::start(const Solver& solver, const Solution& solution, bool integral,
                   Objective objective) {
  solution_ = &solution;
  objective_ = objective;
  scores_ = &float_scores_;
  if (integral) scores_ = &integer_scores_;
  scores_->start(solver, solution);
}

void Report::write_best(TreeList& trees) const {
  TreeBuilder(trees).start(1, solution_->head, solution_->edge, tuning_.long_list);
  TreeBuilder(trees).fill(0, reported(scores_->best()), reported(scores_->integer_best()), {});
}

void Report::write(const FoundTrees& found, const CandidateList& candidates, const Range& range,
                   TreeList& trees) {
  // A part of a stream may begin behind some of the trees found.
  scores_->run(found, candidates, range.above ? Range{}.k : range.k);
  std::vector<std::uint32_t>& order = scores_->order();
  const std::span<const double> scores = scores_->scores();
  const std::span<const std::int64_t> integers = scores_->integer_scores();
  if (integers.empty())
    cut(range, scores, scores_->best(), order);
  else
    cut(range, integers, scores_->integer_best(), order);
  TreeBuilder(trees).start(order.size(), solution_->head, solution_->edge, tuning_.long_list);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::uint32_t tree = order[rank];
    const double score = reported(scores[tree]);
    const std::int64_t integer_score = integers.empty() ? 0 : reported(integers[tree]);
    if (TreeBuilder(trees).keeps_changes()) {
      changes_.clear();
      for (CandidateId i : found[tree])
        changes_.push_back({candidates[i].dependent, candidates[i].head, candidates[i].edge});
      TreeBuilder(trees).fill(rank, score, integer_score, changes_);
      continue;
    }
    const TreeBuilder::Row row = TreeBuilder(trees).fill(rank, score, integer_score);
    for (CandidateId i : found[tree]) {
      const Candidate& edge = candidates[i];
      row.heads[place_of(edge.dependent)] = edge.head;
      if (!row.edges.empty()) row.edges[place_of(edge.dependent)] = edge.edge;
    }
  }
}

template <class T>
void Report::cut(const Range& range, std::span<const T> scores, T best,
                 std::vector<std::uint32_t>& order) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const T reference = range.above || order.empty() ? best : scores[order.front()];
  auto outside = [&](std::uint32_t tree) {
    const T gap = reference - scores[tree];
    return is_within(gap, range.above.value_or(-kInfinity)) || !is_within(gap, range.up_to);
  };
  if (range.above || range.up_to != kInfinity) std::erase_if(order, outside);
  if (order.size() > static_cast<std::uint64_t>(range.k))
    order.resize(static_cast<std::size_t>(range.k));
}

}  // namespace coppice::engine
