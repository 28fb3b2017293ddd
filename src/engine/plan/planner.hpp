// The engine: from a graph to its best trees.
//
// The best tree is found with its certificate, in whole numbers of float64. Which way lists the
// others is decided before it runs (ways.hpp). All of that is right up to the gap `known()`: trees
// behind it have edges that the scale left out, or scores whose digits it hides
// (numbers/scale.hpp). They come from the exact way, in wider numbers, behind those that were
// listed. So the best tree is the first of every list and of every stream, and both have the same
// order.
#pragma once

#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/partition/legality.hpp"
#include "engine/plan/exact_trees.hpp"
#include "engine/plan/score_writer.hpp"
#include "engine/plan/ways.hpp"
#include "engine/solve/tree_solver.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

// All state is workspace: reused from graph to graph, so that after warm-up nothing is allocated.
class Planner {
 public:
  explicit Planner(const Tuning& tuning = {});
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // The best tree, whatever the rules say. False: there is no tree. The graph, and the rules of
  // `problem`, must stay where they are until the last call of the methods below; they give legal
  // trees only. Without a certificate only best() may follow.
  bool solve(Graph graph, const Problem& problem, bool certificate);
  void best(TreeList& trees);
  void kbest(const Request& request, TreeList& trees);

  // Which way the last list was found.
  Way way() const { return exact_ != nullptr ? Way::exact : ways_.way; }
  // The best tree with its certificate, where one was asked for and is_exact() is false.
  const TreeSolver& solver() const { return solver_; }
  bool is_exact() const { return exact_ != nullptr; }

  // --- for streams: no K in advance; gaps are in units of the scale ---

  double units(double max_gap) const;
  // The least of this gap and the largest one up to which trees need not come from the exact way.
  double known(double gap);
  double bound(std::int64_t k) { return ways_.bound(k); }
  // All trees with a gap in (above, up_to], in order. False where they are far more than k; then
  // one_by_one() and next() give them, up to the gap that one_by_one() returns: this one, or `most`
  // where going on to that costs nothing.
  bool range(std::int64_t k, double above, double up_to, TreeList& trees);
  double one_by_one(double up_to, double most) { return ways_.start_source(up_to, most); }
  // The next tree of a gap in (above, up_to]; false when there is none left.
  bool next(double above, double up_to, TreeList& trees);
  // How much more the last tree that next() gave loses than the best of all, legal or not.
  double last_gap() const { return trees_.gap(0); }
  // From now on next_exact() gives the trees behind this gap. It gives none where max_gap, counted
  // in the weights from the best legal tree, ends before.
  void go_exact(double given_up_to);
  bool next_exact(double max_gap, TreeList& trees);

  // --- under rules ---

  void set_budget(const Request& request) { legality_.budget = Budget(request); }
  bool out_of_budget() const { return legality_.budget.spent; }
  double score_ahead() const { return legality_.budget.score_ahead; }

 private:
  bool find_exactly(double max_gap);
  bool was_given() const;
  void note_budget();
  void spend_budget(double loss);

  std::optional<Graph> graph_;
  const Problem* problem_ = nullptr;
  TreeSolver solver_;
  Legality legality_;
  Ways ways_;
  TreeEdits trees_;
  ScoreWriter writer_;
  double faint_gap_ = 0.0;  // scores behind it are so near to 0 that the scale may hide digits

  std::unique_ptr<ExactTrees> exact_;  // null as long as nothing is needed from there
  double given_up_to_ = 0.0;           // by other ways
  TreeEdits found_;                    // there: one tree, and ...
  Indexed<Node, Node> heads_;          // ... its heads and edges
  Indexed<Node, EdgeId> edges_;
  Tuning tuning_;
};

}  // namespace coppice::engine
