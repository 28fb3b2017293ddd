// Which edges beside those of the best tree can matter (docs/engine.md, section 3): a bound on the
// gap of the K-th best tree, and all edges whose reduced cost is within it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/bound.hpp"
#include "engine/candidate.hpp"
#include "engine/rounding.hpp"
#include "engine/solver.hpp"
#include "engine/tuning.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

class Candidates {
 public:
  explicit Candidates(const Tuning& tuning) : tuning_(tuning) {}

  // Solver and solution must stay where they are.
  void start(Solver& solver, const Solution& solution, const Rounding& rounding, RootRule rule);

  // An upper bound on the gap of the k-th best tree; +inf if there may be fewer.
  double bound(std::int64_t k);

  // Makes list() hold all edges of reduced cost <= limit that are not in the best tree.
  void collect(double limit);
  const CandidateList& list() const { return list_; }

  const Solver& solver() const { return *solver_; }
  const Solution& solution() const { return *solution_; }
  const ReducedCost& reduced() const { return reduced_; }
  const Preorder& preorder() const { return preorder_; }
  RootRule rule() const { return rule_; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double guess(std::int64_t k);

  Tuning tuning_;
  Solver* solver_ = nullptr;
  const Solution* solution_ = nullptr;
  Rounding rounding_;
  RootRule rule_ = RootRule::any;
  ReducedCost reduced_;
  Preorder preorder_;

  CandidateList list_;
  double collected_ = 0.0;  // list_ holds all edges up to this reduced cost
  std::vector<double> losses_;
  Bound bound_;
};

}  // namespace coppice::engine
