// From the trees found to the list that the caller gets: scored, ordered, cut and written.
#pragma once

#include <coppice/tree.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/candidate.hpp"
#include "engine/found.hpp"
#include "engine/scores.hpp"
#include "engine/solver.hpp"
#include "engine/tuning.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::engine {

class Report {
 public:
  explicit Report(const Tuning& tuning)
      : tuning_(tuning), float_scores_(tuning), integer_scores_(tuning) {}

  // Solver and solution must stay where they are.
  void start(const Solver& solver, const Solution& solution, bool integral, Objective objective);

  void write_best(TreeList& trees) const;

  // The score of a tree that is so much worse than the best, and the other way round.
  double score_at(double gap) const { return reported(scores_->best() - gap); }
  double gap_of(double score) const { return scores_->best() - reported(score); }

  // At most k trees, of gaps in (above, up_to]. Without `above` they are a whole list, which
  // measures gaps from its first tree. A stream cannot know whether rounding will bring a better
  // one yet: it measures all of them from the tree that was found first.
  struct Range {
    std::int64_t k = std::numeric_limits<std::int64_t>::max();
    std::optional<double> above = std::nullopt;
    double up_to = std::numeric_limits<double>::infinity();
  };
  void write(const FoundTrees& found, const CandidateList& candidates, const Range& range,
             TreeList& trees);

 private:
  template <class T>
  static void cut(const Range& range, std::span<const T> scores, T best,
                  std::vector<std::uint32_t>& order);
  template <class T>
  T reported(T score) const {
    return objective_ == Objective::minimize ? T{} - score : score;
  }

  Tuning tuning_;
  const Solution* solution_ = nullptr;
  Objective objective_ = Objective::maximize;
  FloatScores float_scores_;
  IntegerScores integer_scores_;
  Scores* scores_ = nullptr;  // one of the two
  std::vector<TreeBuilder::Change> changes_;
};

}  // namespace coppice::engine
