// The ways to list the best trees once the best one is known with its certificate. The predicates
// that choose among them stand in list() and list_legal(); nothing else in the engine chooses.
//
//   way           for                                     falls back
//   best          K = 1                                   -
//   ties          K trees are seen to tie with the best   -
//   combinations  dense graphs without a contraction,     to best_first, where too many tie or
//                 longer lists                            are cyclic
//   best_first    dense graphs without a contraction      after too many cyclic combinations
//   sweep         reduced graphs that are not large       after too many search states
//   reduced       the partition queue on reduced graphs   -
//   whole         the partition queue on the graph        -
//   projective    rules::projective() alone               -
//   exact         weights that float64 cannot hold as whole numbers (planner.hpp)
//
// The fallback is the partition queue, which is always right and never slow. Gaps are in units of
// the scale and count from the best tree of all, legal or not.
#pragma once

#include <coppice/problem.hpp>
#include <cstdint>
#include <optional>

#include "engine/list/best_first.hpp"
#include "engine/list/combinations.hpp"
#include "engine/list/sweep.hpp"
#include "engine/partition/legality.hpp"
#include "engine/partition/partition_queue.hpp"
#include "engine/partition/projective_queue.hpp"
#include "engine/prune/candidates.hpp"
#include "engine/prune/reduced_graph.hpp"
#include "engine/solve/tree_solver.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

enum class Way : std::uint8_t {
  none,
  best,
  ties,
  combinations,
  best_first,
  sweep,
  reduced,
  whole,
  projective,
  exact
};
const char* name_of(Way way);

class Ways {
 public:
  struct Query {
    std::int64_t k;
    double max_gap;  // from the first tree of the list
    double known;    // from the best tree of all: no tree behind it may be listed
  };

  explicit Ways(const Tuning& tuning);

  // Of the tree that the solver has found. Graph, solver and legality must stay where they are.
  void start(Graph graph, TreeSolver& solver, Legality& legality);

  // The trees of the query, in order: legal ones only, where there are rules. Under rules the
  // search may stop for want of solves (gap_ahead()).
  void list(const Query& query, TreeEdits& trees);
  void list_legal(const Query& query, TreeEdits& trees);
  // Which way the last list was found.
  Way way = Way::none;
  // Where the last search stopped for want of solves: no tree that was not given has a smaller gap.
  std::optional<double> gap_ahead() const;

  // --- for streams: no K in advance ---

  // An upper bound on the gap of the k-th best tree; +inf if there may be fewer.
  double bound(std::int64_t k);
  // All trees up to this gap, in order. False where they are far more than k.
  bool range(std::int64_t k, double up_to, TreeEdits& trees);
  // The trees one by one, up to the gap that is returned: this one, or `most` where going on to
  // that costs nothing.
  double start_source(double up_to, double most);
  TreeSource<double>& source() { return *source_; }

 private:
  const CertifiedTree& tree() const { return solver_->tree(); }
  void start_candidates();
  bool sweep(std::int64_t k, double up_to, TreeEdits& trees);
  bool reduce(double up_to);
  void start_queue(double up_to);
  void start_projective();
  void list_graph();
  double count_bound(std::int64_t k);
  double tighten(double counted, std::int64_t k);
  bool take_next(const Query& query, double up_to, TreeEdits& trees);
  void take(const Query& query, double up_to, TreeEdits& trees);
  bool list_legal_among_best(const Query& query, TreeEdits& trees);
  bool take_projective(const Query& query, TreeEdits& trees);
  void list_legal_in_stages(const Query& query, TreeEdits& trees);

  Tuning tuning_;
  std::optional<Graph> graph_;
  TreeSolver* solver_ = nullptr;
  Legality* legality_ = nullptr;
  Combinations combinations_;
  BestFirst best_first_;
  bool candidates_started_ = false;
  Candidates candidates_;
  ReducedGraph reduced_;
  Sweep sweep_;
  bool whole_ = false;  // the reduced graph would be no smaller
  Sparse<double> reduced_lists_;
  ListedGraph<double> listed_;
  PartitionQueue<double> queue_;
  ProjectiveQueue<double> projective_;
  TreeSource<double>* source_ = nullptr;
};

}  // namespace coppice::engine
