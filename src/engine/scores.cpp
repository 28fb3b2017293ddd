#include "engine/scores.hpp"

namespace coppice::engine {

void FloatScores::start(const Solver& /*solver*/, const Solution& solution) {
  solution_ = &solution;
  started_ = false;
  best_ = 0.0;
  for (Node v = 1; v < solution.nodes(); ++v) best_ += solution.weight[v];
}

void FloatScores::run(const FoundTrees& found, const CandidateList& candidates) {
  if (!started_) sums_.start(solution_->weight);
  started_ = true;
  sums_.run(candidates, found, scores_);
}

void IntegerScores::start(const Solver& solver, const Solution& solution) {
  solver_ = &solver;
  solution_ = &solution;
  integer_best_ = 0;
  for (Node v = 1; v < solution.nodes(); ++v) integer_best_ += weight_of_tree(v);
  best_ = static_cast<double>(integer_best_);
}

void IntegerScores::run(const FoundTrees& found, const CandidateList& candidates) {
  scores_.clear();
  integer_scores_.clear();
  for (std::size_t tree = 0; tree < found.size(); ++tree) {
    std::int64_t sum = integer_best_;
    for (CandidateId i : found[tree]) {
      const Candidate& edge = candidates[i];
      sum += solver_->integer_weight(edge.head, edge.dependent, edge.edge) -
             weight_of_tree(edge.dependent);
    }
    scores_.push_back(static_cast<double>(sum));
    integer_scores_.push_back(sum);
  }
}

std::int64_t IntegerScores::weight_of_tree(Node v) const {
  return solver_->integer_weight(solution_->head[v], v, solution_->edge_into(v));
}

}  // namespace coppice::engine
