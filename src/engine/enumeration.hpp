// From a kernel to its trees (docs/engine.md, section 5): by the sweep, which is fast, or by the
// queue, which is never slow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/candidates.hpp"
#include "engine/found.hpp"
#include "engine/kernel.hpp"
#include "engine/legal_tree_queue.hpp"
#include "engine/rounding.hpp"
#include "engine/sweep.hpp"
#include "engine/tree_queue.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Enumeration {
 public:
  Enumeration(const Tuning& tuning, Legality& legality)
      : tuning_(tuning),
        legality_(legality),
        sweep_(tuning),
        float_queue_(tuning),
        integer_queue_(tuning),
        legal_float_queue_(legality),
        legal_integer_queue_(legality) {}

  // What follows is about the trees of this kernel; it and its candidates must stay where they are.
  // With `integral` the queue sums int64 weights. Under rules only legal trees are found.
  void start(const Kernel& kernel, const Candidates& candidates, const Rounding& rounding,
             bool integral);
  // Or about those that this queue gives, which has been started.
  void start(TreeQueue& queue, const Candidates& candidates, const Rounding& rounding);

  // The k best trees of gap <= up_to, and others that are equal to the last of them within the
  // slack: their reported scores decide.
  void best(std::int64_t k, double up_to, FoundTrees& found);
  // The same by a sweep alone; false if that takes too long, or does not tell.
  bool best_swept(std::int64_t k, double up_to, FoundTrees& found);
  // Under rules: the legal trees among the `listed` best of gap <= up_to. False where these are not
  // known, or less than k of them are legal and there may be more.
  bool legal_among_best(std::int64_t k, std::int64_t listed, double up_to, FoundTrees& found);
  // The same of the trees of a queue, however good they are.
  bool legal_among_first(std::int64_t k, std::int64_t listed, FoundTrees& found);
  // Under rules: the k best legal trees of gap <= up_to that are worse than the first of them by at
  // most max_gap, and what rounding makes equal. True if there are k.
  bool best_legal(std::int64_t k, double up_to, double max_gap, FoundTrees& found);

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
  bool take_from_queue(std::int64_t k, double up_to, double max_gap, FoundTrees& found);
  std::int64_t most_tied() const;
  bool pull(double up_to, FoundTrees& found);
  Sweep::Outcome sweep(std::int64_t k, double up_to);
  double gap_beyond_ties(std::int64_t k) const;
  bool ties_are_equal() const;
  std::int64_t contracted_budget(std::int64_t k) const;

  Tuning tuning_;
  Legality& legality_;
  const Kernel* kernel_ = nullptr;  // or there is but the queue
  const Candidates* candidates_ = nullptr;
  Rounding rounding_;
  Sweep sweep_;
  KernelQueueOf<double> float_queue_;
  KernelQueueOf<std::int64_t> integer_queue_;
  LegalTreeQueueOf<double> legal_float_queue_;
  LegalTreeQueueOf<std::int64_t> legal_integer_queue_;
  KernelQueue* kernel_queue_ = nullptr;  // one of the four
  TreeQueue* queue_ = nullptr;           // that one, or another
  bool integral_ = false;

  double gap_ = 0.0;  // of the tree that pull() gave last
  // A tree of the queue that is kept for the next call of next().
  std::vector<CandidateId> held_;
  std::optional<double> held_gap_;
};

}  // namespace coppice::engine
