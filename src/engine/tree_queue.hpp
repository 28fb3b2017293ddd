// The trees of a kernel or of a whole graph one by one, best first (docs/engine.md, section 5),
// whatever their weights are summed in.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/candidates.hpp"
#include "engine/dense_solver.hpp"
#include "engine/found.hpp"
#include "engine/kernel.hpp"
#include "engine/list_solver.hpp"
#include "engine/queue.hpp"
#include "engine/sparse.hpp"
#include "engine/tied_trees.hpp"

namespace coppice::engine {

class TreeQueue {
 public:
  virtual ~TreeQueue() = default;

  // No more than so many trees will be asked for.
  virtual void want(std::int64_t trees) = 0;
  // Adds the replacements of the next tree, not finished; false when there is none left. One worse
  // than the best by more than `up_to` is not wanted: where it would be work to find it, false too.
  virtual bool next(double up_to, FoundTrees& found) = 0;
  // How much worse than the best the last one was.
  virtual double gap() const = 0;
  // Are the sums exact, so that ties are equal?
  virtual bool exact() const = 0;
  // What a solve looks at.
  virtual std::int64_t edges() const = 0;
};

// Of a kernel.
class KernelQueue : public TreeQueue {
 public:
  // Trees that are worse than the best by more than `limit` may be left out.
  virtual void start(const Kernel& kernel, const Candidates& candidates, double limit,
                     const Rounding& rounding) = 0;
};

// The kernel as edges for a solver. The root comes first; ids are candidates, or kNoCandidate for
// edges of the best tree. W is double, or std::int64_t for exact sums.
template <class W>
void load(const Kernel& kernel, const Candidates& candidates,
          std::vector<typename ListSolver<W>::Input>& edges, ListSolver<W>& solver);

template <class W>
class KernelQueueOf final : public KernelQueue {
 public:
  explicit KernelQueueOf(const Tuning& tuning) : queue_(tuning) {}

  void start(const Kernel& kernel, const Candidates& candidates, double limit,
             const Rounding& rounding) override;
  void want(std::int64_t trees) override { queue_.want(trees); }
  bool next(double up_to, FoundTrees& found) override;
  double gap() const override { return queue_.gap(); }
  bool exact() const override { return exact_; }
  std::int64_t edges() const override { return solver_.edges(); }

 private:
  bool exact_ = false;
  std::vector<typename ListSolver<W>::Input> edges_;
  ListSolver<W> solver_;
  Queue<ListSolver<W>> queue_;
};

// Of a whole graph, by lists of its edges. What differs from the best tree becomes a candidate.
template <class W>
class ListQueue final : public TreeQueue {
 public:
  explicit ListQueue(const Tuning& tuning) : queue_(tuning) {}

  void start(Candidates& candidates, double limit, const Rounding& rounding);

  void want(std::int64_t trees) override { queue_.want(trees); }
  bool next(double up_to, FoundTrees& found) override;
  double gap() const override { return queue_.gap(); }
  bool exact() const override { return exact_; }
  std::int64_t edges() const override { return candidates_->solver().edges(); }

 private:
  void adopt();

  bool exact_ = false;
  Candidates* candidates_ = nullptr;
  ListSolver<W> solver_;
  Queue<ListSolver<W>> queue_;
  Indexed<Node, typename ListSolver<W>::Edge> best_;  // of the best tree
};

// The best tree of a whole sparse graph, and those that are one swap away from it.
class SwappedTrees {
 public:
  // The gap of the k-th best of them, a bound on that of the k-th best of all; +inf if they are
  // fewer. For k = 2 it is no bound, but the gap. k is at least 2.
  double kth_gap(Sparse& sparse, Candidates& candidates, std::int64_t k);
  // Afterwards: the trees among those k whose gap is this one, at most so many.
  void add(double gap, std::size_t most, FoundTrees& found);
  // The second best, not finished.
  void add_second(FoundTrees& found) { add_edges(swaps_.front(), found); }

 private:
  void add_edges(const Sparse::Swap& swap, FoundTrees& found);

  Sparse* sparse_ = nullptr;
  Candidates* candidates_ = nullptr;
  std::vector<Sparse::Swap> swaps_;
  std::vector<Solver::Numbered> edges_;
};

// All trees of a whole sparse graph by lists but, where no more than two are wanted, the second
// without a solve.
class SparseQueue final : public TreeQueue {
 public:
  explicit SparseQueue(const Tuning& tuning) : list_queue_(tuning) {}

  void start(Sparse& sparse, Candidates& candidates, double limit, const Rounding& rounding);

  void want(std::int64_t trees) override { wanted_ = trees; }
  bool next(double up_to, FoundTrees& found) override;
  double gap() const override { return in_list_ ? list_queue_.gap() : gap_; }
  bool exact() const override { return rounding_->exact(limit_); }
  std::int64_t edges() const override { return sparse_->edges(); }

 private:
  Sparse* sparse_ = nullptr;
  Candidates* candidates_ = nullptr;
  const Rounding* rounding_ = nullptr;
  double limit_ = 0.0;
  std::int64_t wanted_ = 0, given_ = 0;
  bool in_list_ = false;
  double gap_ = 0.0;
  SwappedTrees swapped_;
  ListQueue<double> list_queue_;
};

// Of a whole dense graph, by columns.
class ColumnQueue final : public TreeQueue {
 public:
  explicit ColumnQueue(const Tuning& tuning) : queue_(tuning) {}

  // Changes the graph that has been loaded.
  void start(Dense& dense, Candidates& candidates, double limit, const Rounding& rounding);

  void want(std::int64_t trees) override;
  bool next(double up_to, FoundTrees& found) override;
  double gap() const override { return gap_; }
  bool exact() const override { return exact_; }
  std::int64_t edges() const override { return candidates_->solver().edges(); }

 private:
  bool next_of_queue(double up_to);

  bool exact_ = false;
  Candidates* candidates_ = nullptr;
  DenseSolver solver_;
  Queue<DenseSolver> queue_;
  std::int64_t left_ = 0;  // trees that may be asked for, if that is known
  double gap_ = 0.0;
  int looks_ = 0;         // at trees of this gap, for ties_
  bool all_tie_ = false;  // all that may be asked for have it: ties_
  TiedTrees ties_;
};

}  // namespace coppice::engine
