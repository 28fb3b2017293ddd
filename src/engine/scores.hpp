// The scores that trees are reported with and ordered by (docs/engine.md, section 8), in float64 or
// exactly in int64; all of them to be maximised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/candidate.hpp"
#include "engine/found.hpp"
#include "engine/order.hpp"
#include "engine/solver.hpp"
#include "engine/sums.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Scores {
 public:
  virtual ~Scores() = default;

  // Trees are told by how they differ from this one.
  virtual void start(const Solver& solver, const Solution& solution) = 0;
  double best() const { return best_; }
  std::int64_t integer_best() const { return integer_best_; }

  virtual void run(const FoundTrees& found, const CandidateList& candidates) = 0;
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
  void run(const FoundTrees& found, const CandidateList& candidates) override;
  std::vector<std::uint32_t>& order() override { return order_.of(scores_); }

 private:
  const Solution* solution_ = nullptr;
  bool started_ = false;
  Sums sums_;
};

class IntegerScores final : public Scores {
 public:
  explicit IntegerScores(const Tuning& tuning) : Scores(tuning) {}
  void start(const Solver& solver, const Solution& solution) override;
  void run(const FoundTrees& found, const CandidateList& candidates) override;
  std::vector<std::uint32_t>& order() override { return order_.of(integer_scores_); }

 private:
  std::int64_t weight_of_tree(Node v) const;

  const Solver* solver_ = nullptr;
  const Solution* solution_ = nullptr;
};

}  // namespace coppice::engine
