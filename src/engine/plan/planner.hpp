// The engine: from a graph to its K best trees. It decides by predicates which way to go, before it
// goes, and has one fallback: the partition queue, which is always right and never slow.
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
//   exact         weights that float64 cannot hold as whole numbers (numbers/scale.hpp)
#pragma once

#include <coppice/tree.hpp>
#include <coppice/which.hpp>
#include <cstdint>
#include <memory>

#include "engine/list/best_first.hpp"
#include "engine/list/combinations.hpp"
#include "engine/list/sweep.hpp"
#include "engine/partition/legality.hpp"
#include "engine/partition/partition_queue.hpp"
#include "engine/partition/projective_queue.hpp"
#include "engine/plan/exact_trees.hpp"
#include "engine/plan/score_writer.hpp"
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

// All state is workspace: reused from graph to graph, so that after warm-up nothing is allocated.
class Planner {
 public:
  explicit Planner(const Tuning& tuning = {});
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // The best tree, whatever the rules say. False: there is no tree. The graph, and the rules of
  // `which`, must stay where they are until the last call of the methods below; they give legal
  // trees only. Without a certificate only best() may follow.
  bool solve(Graph graph, const Which& which, bool certificate);
  void best(TreeList& trees);
  void kbest(const HowMany& how_many, TreeList& trees);

  // Which way the last list was found.
  Way way() const { return way_; }
  // The best tree with its certificate, where one was asked for and way() is not exact.
  const TreeSolver& solver() const { return solver_; }

  // --- for streams: no K in advance; gaps are in units of the scale ---

  // Trees must come from the exact way; and from which gap on.
  bool is_exact() const { return exact_ != nullptr; }
  double reach() const { return solver_.reach(); }
  double units(double max_gap) const;
  // An upper bound on the gap of the k-th best tree; +inf if there may be fewer.
  double bound(std::int64_t k);
  // All trees with a gap in (above, up_to], in order. False where they are far more than k; then
  // one_by_one() and next() give them, up to the gap that one_by_one() returns: this one, or `most`
  // where going on to that costs nothing.
  bool range(std::int64_t k, double above, double up_to, TreeList& trees);
  double one_by_one(double up_to, double most);
  // The next tree of a gap in (above, up_to]; false when there is none left, or when it must come
  // from the exact way, to which this call went over.
  bool next(double above, double up_to, TreeList& trees);
  // Goes on in the exact way, from the best tree. Trees that narrow numbers can give up to this gap
  // have been given.
  void go_exact(double given_up_to);
  // The next tree in the exact way; max_gap counts from the first tree of this way, in the weights.
  bool next_exact(double max_gap, TreeList& trees);
  // How much more the last tree that next() gave loses than the best of all, legal or not.
  double last_gap() const { return trees_.gap(0); }

  // --- under rules ---

  void set_budget(std::optional<std::int64_t> solves);
  bool out_of_budget() const { return legality_.budget.spent; }
  double score_ahead() const { return legality_.budget.score_ahead; }

 private:
  struct Query {
    std::int64_t k;
    double max_gap;  // in units
  };

  void start_rest();
  bool list(const Query& query);
  bool sweep(std::int64_t k, double up_to);
  double bound_of(std::int64_t k);
  bool reduce(double up_to);
  TreeSource<double>& start_queue(double up_to);
  bool take(TreeSource<double>& source, const Query& query, double up_to);
  bool is_certain(const Query& query) const;
  double best_score() const;
  bool loses_digits(double gap) const;
  bool some_lose_digits() const;
  bool was_given(std::span<const Node> heads, std::span<const EdgeId> edges) const;

  bool list_legal(const Query& query);
  bool list_legal_among_best(const Query& query);
  bool take_projective(const Query& query);
  bool list_legal_in_stages(const Query& query);
  void note_budget();
  void write(TreeList& trees);
  void list_exactly(std::int64_t k, double max_gap, TreeList& trees);

  Tuning tuning_;
  std::optional<Graph> graph_;
  const Which* which_ = nullptr;
  TreeSolver solver_;
  bool rest_started_ = false, whole_ = false;
  Way way_ = Way::none;

  Combinations combinations_;
  BestFirst best_first_;
  Candidates candidates_;
  ReducedGraph reduced_;
  Sweep sweep_;
  Sparse<double> reduced_lists_;
  ListedGraph<double> listed_;
  PartitionQueue<double> queue_;
  ProjectiveQueue<double> projective_;
  TreeSource<double>* source_ = nullptr;  // of one_by_one()
  Legality legality_;
  std::unique_ptr<ExactTrees> exact_;
  double given_up_to_ = 0.0;
  TreeEdits trees_;
  ScoreWriter writer_;
};

}  // namespace coppice::engine
