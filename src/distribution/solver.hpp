// The partition function and the marginals of any graph: in float64 where its range allows, else
// with wider numbers. Short sentences of equal length are solved together.
#pragma once

#include <array>
#include <coppice/error.hpp>
#include <coppice/graph.hpp>
#include <memory>
#include <optional>
#include <span>

#include "distribution/elimination.hpp"
#include "distribution/float64.hpp"
#include "distribution/lanes.hpp"
#include "graph/exact_sum.hpp"

namespace coppice::distribution {

class Solver {
 public:
  struct Task {
    DenseView scores;
    double* marginals = nullptr;  // if wanted: [head][dependent], rows `pitch` apart
    std::size_t pitch = 0;
    const Matrix<double>* rest = nullptr;  // what the scores lack by rounding, if that matters

    std::optional<ExactSum> log_partition = {};  // nothing where there is no tree
    double entropy = 0.0;                        // with the marginals
    Failure failure = {};                        // what is wrong with the weights
  };

  // How many sentences of so many words may be solved together.
  static std::size_t most_together(Node words) { return words <= Lanes::kMostWords ? kLanes : 1; }

  // That many at most, of equal length, all with marginals or none. What is found for one does not
  // depend on the others.
  void solve(std::span<Task> tasks, RootRule root);

  std::size_t memory() const;  // in numbers

 private:
  static void solve_by_panels(Float64& float64, Task& task, Float64::Order order);
  void solve_alone(Float64& float64, Task& task, RootRule root);

  std::array<Float64, kLanes> float64_;  // those of one group
  Lanes lanes_;
};

// A solver with the memory of the last one of this thread, unless that was large: memory fresh from
// the system costs more than a short sentence.
class WarmSolver {
 public:
  WarmSolver();
  ~WarmSolver();
  WarmSolver(const WarmSolver&) = delete;
  WarmSolver& operator=(const WarmSolver&) = delete;

  Solver* operator->() { return solver_.get(); }

 private:
  std::unique_ptr<Solver> solver_;
};

}  // namespace coppice::distribution
