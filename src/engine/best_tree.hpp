// The best tree of a graph of either kind (docs/engine.md, sections 1 and 6): here alone it is
// asked which kind it is.
#pragma once

#include <coppice/which.hpp>

#include "engine/dense.hpp"
#include "engine/solution.hpp"
#include "engine/sparse.hpp"
#include "engine/tree_queue.hpp"
#include "graph/constraints.hpp"

namespace coppice::engine {

class BestTree {
 public:
  explicit BestTree(const Tuning& tuning = {})
      : sparse_(tuning), column_queue_(tuning), sparse_queue_(tuning), integer_queue_(tuning) {}

  // False: there is no tree. Throws std::invalid_argument for bad input. The graph must stay where
  // it is as long as the solver is asked.
  bool solve(Graph graph, const Which& which, Solver::Wanted wanted = Solver::Wanted::certificate);

  const Solution& solution() const { return solution_; }
  // The solver that has the graph.
  Solver& solver() const { return *solver_; }
  // The same if the graph is dense, or null.
  const Dense* dense() const { return solver_ == &dense_ ? &dense_ : nullptr; }

  // Trees that are found without another solve (SwappedTrees); or null.
  SwappedTrees* swapped(const Rounding& rounding) {
    return solver_ == &sparse_ && !rounding.imprecise() ? &swapped_ : nullptr;
  }
  Sparse& sparse() { return sparse_; }

  // All trees of the graph, or at least those that are worse than the best by no more than `limit`.
  // For where a kernel would be no smaller. The solver can answer no other questions from then on.
  TreeQueue& start_queue(double limit, const Rounding& rounding, Candidates& candidates);

 private:
  Constraints constraints_;
  Dense dense_;
  Sparse sparse_;
  Solver* solver_ = nullptr;
  Solution solution_;
  bool integral_ = false;
  ColumnQueue column_queue_;
  SwappedTrees swapped_;
  SparseQueue sparse_queue_;
  ListQueue<std::int64_t> integer_queue_;
};

}  // namespace coppice::engine
