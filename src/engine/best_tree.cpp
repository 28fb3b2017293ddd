#include "engine/best_tree.hpp"

namespace coppice::engine {

bool BestTree::solve(Graph graph, const Which& which) {
  constraints_.load(graph, which);
  if (const DenseView* view = graph.dense()) {
    dense_.load(*view, constraints_, which.objective);
    solver_ = &dense_;
  } else {
    sparse_.load(*graph.multigraph(), constraints_, which.objective);
    solver_ = &sparse_;
  }
  return solver_->solve(which.root, solution_);
}

}  // namespace coppice::engine
