// Which edges beside those of the best tree can matter (docs/engine.md, section 3): a bound on the
// gap of the K-th best tree, and all edges whose reduced cost is within it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/bound.hpp"
#include "engine/candidate.hpp"
#include "engine/exact_sums.hpp"
#include "engine/found.hpp"
#include "engine/rounding.hpp"
#include "engine/solver.hpp"
#include "engine/tuning.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

class Candidates {
 public:
  explicit Candidates(const Tuning& tuning) : tuning_(tuning) {}

  // Solver, solution and rounding must stay where they are.
  void start(Solver& solver, const Solution& solution, const Rounding& rounding, RootRule rule);

  // An upper bound on the gap of the k-th best tree; +inf if there may be fewer.
  double bound(std::int64_t k);

  // From now on no number of them is too many.
  void allow_all() { limited_ = false; }

  // Makes list() hold all edges of reduced cost <= limit that are not in the best tree. False if
  // they are too many; then it holds some of them.
  bool collect(double limit);
  const CandidateList& list() const { return list_; }
  bool complete() const { return complete_; }
  // An edge that is wanted all the same, at the end of the list.
  CandidateId add(const Candidate& candidate);

  // The trees whose gap is `gap` exactly among those that the last bound counted, at most so many.
  // Sums must be exact. Candidates may be collected in between, once they are kept.
  void keep_counted();
  void add_counted(double gap, std::size_t most, FoundTrees& found);

  const Solver& solver() const { return *solver_; }
  const Solution& solution() const { return *solution_; }
  const ReducedCost& reduced() const { return reduced_; }
  // The best tree as far as the edges in the list go; all of it.
  const Preorder& preorder() const { return preorder_; }
  const Preorder& whole_preorder();
  RootRule rule() const { return rule_; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double guess(std::int64_t k);
  std::size_t most() const;
  void arrange();

  Tuning tuning_;
  Solver* solver_ = nullptr;
  const Solution* solution_ = nullptr;
  const Rounding* rounding_ = nullptr;
  RootRule rule_ = RootRule::any;
  ReducedCost reduced_;
  Preorder preorder_;
  enum class Arranged { none, part, whole } arranged_ = Arranged::none;
  std::vector<Node> ends_;  // of the edges in the list

  CandidateList list_;
  double collected_ = 0.0;  // list_ holds all edges up to this reduced cost
  bool complete_ = true;    // it does
  bool limited_ = true;
  std::int64_t wanted_ = 1;
  std::vector<Candidate> counted_;  // of keep_counted()
  std::vector<double> losses_;
  Bound bound_;
  ExactSums exact_sums_;
};

}  // namespace coppice::engine
