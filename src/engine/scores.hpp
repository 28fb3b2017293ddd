// The scores that trees are reported with and ordered by (docs/engine.md, section 8), in float64 or
// exactly in int64; all of them to be maximised.
#pragma once

#include <cmath>
#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "engine/candidate.hpp"
#include "engine/found.hpp"
#include "engine/order.hpp"
#include "engine/solver.hpp"
#include "engine/sums.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

// Is a gap no larger than this? Of integers, without rounding them.
inline bool is_within(double gap, double most) { return gap <= most; }
inline bool is_within(std::int64_t gap, double most) {
  return most >= 0x1p63 || (most >= -0x1p63 && gap <= static_cast<std::int64_t>(std::floor(most)));
}

// The same of two trees, by the scores that they are reported with.
inline bool is_within(Scalar scalar, const TreeRef& best, const TreeRef& tree, double most) {
  return scalar == Scalar::int64
             ? is_within(std::abs(best.integer_score - tree.integer_score), most)
             : is_within(std::abs(best.score - tree.score), most);
}

class Scores {
 public:
  virtual ~Scores() = default;

  // Trees are told by how they differ from this one.
  virtual void start(const Solver& solver, const Solution& solution) = 0;
  double best() const { return best_; }
  std::int64_t integer_best() const { return integer_best_; }

  // Trees that are certainly behind so many others may get any score behind those, too.
  virtual void run(const FoundTrees& found, const CandidateList& candidates,
                   std::int64_t wanted) = 0;
  // Of the trees given to run(); integer scores only of int64 weights.
  std::span<const double> scores() const { return scores_; }
  std::span<const std::int64_t> integer_scores() const { return integer_scores_; }
  // Their indices, the best first and of equals the first found; valid until the next call.
  virtual std::vector<std::uint32_t>& order() = 0;

 protected:
  explicit Scores(const Tuning& tuning) : order_(tuning) {}
  Scores(const Scores&) = default;
  Scores& operator=(const Scores&) = default;

  double best_ = 0.0;
  std::int64_t integer_best_ = 0;
  std::vector<double> scores_;
  std::vector<std::int64_t> integer_scores_;
  Order order_;
};

class FloatScores final : public Scores {
 public:
  explicit FloatScores(const Tuning& tuning) : Scores(tuning), sums_(tuning) {}
  void start(const Solver& solver, const Solution& solution) override;
  void run(const FoundTrees& found, const CandidateList& candidates, std::int64_t wanted) override;
  std::vector<std::uint32_t>& order() override { return order_.of(scores_); }

 private:
  const Indexed<Node, double>* weights_ = nullptr;  // of the best tree, as given
  const Solver* priced_ = nullptr;                  // where root edges pay a price
  Indexed<Node, double> unpriced_;
  bool started_ = false;
  Sums sums_;
};

class IntegerScores final : public Scores {
 public:
  explicit IntegerScores(const Tuning& tuning) : Scores(tuning) {}
  void start(const Solver& solver, const Solution& solution) override;
  void run(const FoundTrees& found, const CandidateList& candidates, std::int64_t wanted) override;
  std::vector<std::uint32_t>& order() override { return order_.of(integer_scores_); }

 private:
  std::int64_t weight_of_tree(Node v) const;

  const Solver* solver_ = nullptr;
  const Solution* solution_ = nullptr;
};

}  // namespace coppice::engine
