// The engine: from a graph to its K best trees, step by step as docs/engine.md has it.
#pragma once

#include <coppice/tree.hpp>
#include <coppice/which.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/bound.hpp"
#include "engine/dense.hpp"
#include "engine/kernel.hpp"
#include "engine/list_solver.hpp"
#include "engine/order.hpp"
#include "engine/queue.hpp"
#include "engine/solution.hpp"
#include "engine/sparse.hpp"
#include "engine/sums.hpp"
#include "engine/sweep.hpp"
#include "graph/constraints.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

// All state is workspace: reused from graph to graph, so that after warm-up nothing is allocated.
class Pipeline {
 public:
  // The best tree and its certificate (sections 1 and 6). False: there is no tree. Graph and
  // which must stay where they are until the last call of the methods below.
  bool solve(Graph graph, const Which& which);
  const Solution& solution() const { return solution_; }

  // The best tree alone.
  void best(TreeList& trees);
  void kbest(const HowMany& how_many, TreeList& trees);

  // --- for streams: no K in advance (section 7) ---

  // An upper bound on the gap of the k-th best tree; +inf if there may be fewer.
  double bound(std::int64_t k);
  // All trees with a gap in (above, up_to], in order. False where the budget of search states does
  // not suffice; then enumerate() and next() give them one by one.
  bool range(double above, double up_to, std::int64_t budget, TreeList& trees);
  // Starts the queue on the kernel of all trees up to this gap.
  void enumerate(double up_to);
  // Its next tree of a gap in (above, up_to], with those that rounding makes equal to it, in order;
  // false when there is none left.
  bool next(double above, double up_to, TreeList& trees);

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Score {  // to be maximised
    double value;
    std::int64_t integer;
  };

  void prepare();
  double guess(std::int64_t k);
  void collect(double limit);
  void build_kernel(double up_to);
  double slack(double gap) const;
  bool integral() const { return graph_->scalar() == Scalar::int64; }
  bool exact() const { return integral() && magnitude_ < 0x1p50; }
  bool imprecise() const;

  template <class W>
  struct Enumeration {
    std::vector<typename ListSolver<W>::Input> edges;
    ListSolver<W> solver;
    Queue<ListSolver<W>> queue;
  };
  template <class W>
  void start_queue(Enumeration<W>& enumeration, double up_to);
  template <class W>
  bool pull(Enumeration<W>& enumeration);
  bool pull();
  void take_from_sweep();
  void take_from_queue(std::int64_t k, double up_to);
  bool take_held();
  void score_found();
  void write(std::int64_t k, std::optional<double> above, double up_to, TreeList& trees);
  std::int64_t integer_weight_of_tree(Node v) const;
  Score from_integer(std::int64_t sum) const;
  template <class T>
  T reported(T score) const {
    return which_->objective == Objective::minimize ? T{} - score : score;
  }

  std::optional<Graph> graph_;
  const Which* which_ = nullptr;
  Constraints constraints_;
  Dense dense_;
  Sparse sparse_;
  Solver* solver_ = nullptr;  // the one of the two that has the graph
  Solution solution_;
  double magnitude_ = 0.0;  // of the dual: what rounding errors are measured by
  Score best_score_{};

  // After prepare().
  bool prepared_ = false;
  ReducedCost reduced_;
  Preorder preorder_;
  Sums sums_;

  CandidateList candidates_;
  double collected_ = 0.0;  // candidates_ holds all edges up to this reduced cost
  std::vector<double> losses_;
  Bound bound_;
  Kernel kernel_;
  Sweep sweep_;

  Enumeration<double> queue_;
  Enumeration<std::int64_t> integer_queue_;

  // The trees found, with their replacements and scores.
  std::vector<CandidateId> replacements_;
  std::vector<Sums::Tree> found_;
  std::vector<double> scores_;  // to be maximised
  std::vector<std::int64_t> integer_scores_;
  Order order_;
  std::vector<TreeList::Change> changes_;

  double pulled_gap_ = 0.0;  // of the tree that pull() gave last
  // A tree of the queue that is kept for the next call of next().
  struct Held {
    std::vector<CandidateId> replacements;
    double gap;
  };
  std::optional<Held> held_;
};

}  // namespace coppice::engine
