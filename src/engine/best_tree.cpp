#include "engine/best_tree.hpp"

namespace coppice::engine {

bool BestTree::solve(Graph graph, const Which& which, Solver::Wanted wanted) {
  constraints_.load(graph, which);
  integral_ = graph.scalar() == Scalar::int64;
  if (const DenseView* view = graph.dense()) {
    dense_.load(*view, constraints_, which.objective);
    solver_ = &dense_;
  } else {
    sparse_.load(*graph.multigraph(), constraints_, which.objective);
    solver_ = &sparse_;
  }
  return solver_->solve(which.root, solution_, wanted);
}

TreeQueue& BestTree::start_queue(double limit, const Rounding& rounding, Candidates& candidates) {
  if (integral_ && !rounding.exact(limit)) {
    integer_queue_.start(candidates, limit, rounding);
    return integer_queue_;
  }
  if (solver_ == &dense_) {
    column_queue_.start(dense_, candidates, limit, rounding);
    return column_queue_;
  }
  sparse_queue_.start(sparse_, candidates, limit, rounding);
  return sparse_queue_;
}

}  // namespace coppice::engine
