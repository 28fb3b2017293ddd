// From a kernel to its trees (docs/engine.md, section 5): by the sweep, which is fast, or by the
// queue, which is never slow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/candidates.hpp"
#include "engine/found.hpp"
#include "engine/kernel.hpp"
#include "engine/rounding.hpp"
#include "engine/sweep.hpp"
#include "engine/tree_queue.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Enumeration {
 public:
  explicit Enumeration(const Tuning& tuning) : tuning_(tuning), sweep_(tuning) {}

  // What follows is about the trees of this kernel; it and its candidates must stay where they are.
  // With `integral` the queue sums int64 weights.
  void start(const Kernel& kernel, const Candidates& candidates, const Rounding& rounding,
             bool integral);

  // The k best trees of gap <= up_to, and others that are equal to the last of them within the
  // slack: their reported scores decide.
  void best(std::int64_t k, double up_to, FoundTrees& found);
  // The trees that are equal to the best one within the slack. False where they are too many to be
  // told apart.
  bool ties_of_best(FoundTrees& found);

  // All trees of gap <= up_to; false where there are far more than k of them.
  bool all(std::int64_t k, double up_to, FoundTrees& found);
  // The same one by one, beginning anew. next() gives those that rounding makes equal together;
  // false when there is none left.
  void one_by_one(double up_to);
  bool next(double up_to, FoundTrees& found);

 private:
  void take_from_queue(std::int64_t k, double up_to, FoundTrees& found);
  bool pull(FoundTrees& found);

  Tuning tuning_;
  const Kernel* kernel_ = nullptr;
  const Candidates* candidates_ = nullptr;
  Rounding rounding_;
  Sweep sweep_;
  TreeQueueOf<double> float_queue_;
  TreeQueueOf<std::int64_t> integer_queue_;
  TreeQueue* queue_ = nullptr;  // one of the two

  double gap_ = 0.0;  // of the tree that pull() gave last
  // A tree of the queue that is kept for the next call of next().
  std::vector<CandidateId> held_;
  std::optional<double> held_gap_;
};

}  // namespace coppice::engine
