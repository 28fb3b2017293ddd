#include "engine/scores.hpp"

namespace coppice::engine {

void FloatScores::start(const Solver& solver, const Solution& solution) {
  weights_ = &solution.weight;
  priced_ = nullptr;
  if (solution.root_price != 0.0) {
    priced_ = &solver;
    unpriced_ = solution.weight;
    weights_ = &unpriced_;
    for (Node v = 1; v < solution.nodes(); ++v)
      if (solution.head[v] == 0) unpriced_[v] = solver.unpriced(v, solution.edge_into(v));
  }
  started_ = false;
  best_ = 0.0;
  for (Node v = 1; v < solution.nodes(); ++v) best_ += (*weights_)[v];
}

void FloatScores::run(const FoundTrees& found, const CandidateList& candidates,
                      std::int64_t wanted) {
  if (!started_) sums_.start(*weights_, priced_);
  started_ = true;
  sums_.run(candidates, found, wanted, scores_);
}

void IntegerScores::start(const Solver& solver, const Solution& solution) {
  solver_ = &solver;
  solution_ = &solution;
  integer_best_ = 0;
  for (Node v = 1; v < solution.nodes(); ++v) integer_best_ += weight_of_tree(v);
  best_ = static_cast<double>(integer_best_);
}

void IntegerScores::run(const FoundTrees& found, const CandidateList& candidates,
                        std::int64_t /*wanted*/) {
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
