// The engine: from a graph to its K best trees, step by step as docs/engine.md has it.
#pragma once

#include <coppice/tree.hpp>
#include <coppice/which.hpp>
#include <cstdint>
#include <optional>

#include "engine/best_tree.hpp"
#include "engine/candidates.hpp"
#include "engine/enumeration.hpp"
#include "engine/found.hpp"
#include "engine/greedy.hpp"
#include "engine/kernel.hpp"
#include "engine/legality.hpp"
#include "engine/projective_queue.hpp"
#include "engine/report.hpp"
#include "engine/rounding.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

// All state is workspace: reused from graph to graph, so that after warm-up nothing is allocated.
class Pipeline {
 public:
  explicit Pipeline(const Tuning& tuning = {})
      : best_tree_(tuning),
        greedy_(tuning),
        tuning_(tuning),
        candidates_(tuning),
        kernel_(tuning),
        enumeration_(tuning, legality_),
        report_(tuning) {}
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // The best tree and its certificate (sections 1 and 6), whatever the rules say. False: there is
  // no tree. The graph must stay where it is until the last call of the methods below; they give
  // legal trees only. Where the best tree alone is wanted, only best() may follow.
  bool solve(Graph graph, const Which& which, Solver::Wanted wanted = Solver::Wanted::certificate);
  const Solution& solution() const { return best_tree_.solution(); }
  // What its weights and its y were lowered by (Solver::base).
  double base(Node v) const { return best_tree_.solver().base(v); }

  // The best tree alone.
  void best(TreeList& trees);
  void kbest(const HowMany& how_many, TreeList& trees);

  // --- under rules (docs/rules.md) ---

  // How many solves all calls that follow may do together.
  void set_budget(std::optional<std::int64_t> solves);
  // They were too few: there may be more legal trees, none with a better score than score_ahead().
  bool out_of_budget() const { return legality_.budget.spent; }
  double score_ahead() const { return report_.score_at(legality_.budget.gap_ahead); }
  // How much worse a tree of this score is than the best of all, legal or not.
  double gap_of(double score) const { return report_.gap_of(score); }

  // --- for streams: no K in advance (section 7) ---

  // An upper bound on the reported gap of the k-th best tree; +inf if there may be fewer.
  double bound(std::int64_t k);
  // All trees with a gap in (above, up_to], in order. False where they are far more than k; then
  // one_by_one() and next() give them, up to the gap that one_by_one() returns: this one, or `most`
  // where going on to that costs nothing.
  bool range(std::int64_t k, double above, double up_to, TreeList& trees);
  double one_by_one(double up_to, double most);
  // The next tree of a gap in (above, up_to], with those that rounding makes equal to it, in order;
  // false when there is none left.
  bool next(double above, double up_to, TreeList& trees);

 private:
  std::optional<GreedyCase> greedy_case() const;
  bool take_greedily(std::int64_t k, double max_gap);
  void list(std::optional<std::int64_t> wanted, const Report::Range& range, TreeList& trees);
  void prepare();
  void legal_kbest(std::int64_t k, double max_gap, TreeList& trees);
  void legal_in_stages(std::int64_t k, double max_gap, TreeList& trees);
  bool start_projective();
  bool take_projective(std::int64_t k, double max_gap);
  bool take_legal_greedily(std::int64_t k, double max_gap);
  bool legal_among_best(std::int64_t k, double max_gap, TreeList& trees);
  void look_for_ties(double up_to);
  void enumerate(double up_to);
  bool bound_by_swaps(std::int64_t k, double& bound);
  bool take_swapped(std::int64_t k, double bound, double max_gap);
  void take_second(double gap, double max_gap);
  void take_below(double bound, std::int64_t k);

  RootRule rule_ = RootRule::any;
  bool integral_ = false;
  BestTree best_tree_;
  Rounding rounding_;
  Greedy greedy_;
  bool prepared_ = false;
  bool whole_ = false;  // the enumeration works on the graph itself
  Tuning tuning_;
  Candidates candidates_;
  Kernel kernel_;
  Legality legality_;
  Enumeration enumeration_;
  ProjectiveQueueOf<double> projective_;
  ProjectiveQueueOf<std::int64_t> integer_projective_;
  FoundTrees found_;
  Report report_;
};

}  // namespace coppice::engine
