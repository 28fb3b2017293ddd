// The legal trees of a graph one by one, best first (docs/rules.md).
//
// A queue of subproblems (edges that must be in, edges that must be out), each with its best tree
// or a bound on it. The one in front:
// - breaks a clause. The ways to mend it split the subproblem: way i, with all ways before it ruled
//   out. Its best tree is in none of the parts, every legal tree in exactly one.
// - is legal. It is the next tree, and what is left of the subproblem is split as in queue.hpp.
// Weights only sink from a subproblem to its parts, so the order is right.
//
// Clauses hold for all trees, so all that have been seen are tested on every tree. What mending
// them costs bounds the subproblem: a clause is mended by another edge into one of its words, which
// costs that edge's reduced cost or more; clauses that have no word in common add up.
#pragma once

#include <coppice/rule.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/legality.hpp"
#include "engine/list_solver.hpp"

namespace coppice::engine {

template <class W>
class LegalQueue {
 public:
  using Solver = ListSolver<W>;
  using Edge = typename Solver::Edge;

  // The solver must be loaded; arcs says which edge of the graph each of its edges is, by their
  // order. Words that the solver does not know have their heads from `base`. Trees that are worse
  // than the best of all, legal or not, by more than `limit` may be left out. Solves
  // are taken off the budget.
  struct Task {
    Solver& solver;
    Legality& legality;
    std::span<const ClauseEdge> arcs;
    TreeRef base;
    double limit;
  };
  void start(const Task& task);

  // False when all have been given, the budget is spent, or the next tree is worse than the best of
  // all by more than `up_to`; it may be asked for again.
  bool next(double up_to);
  // The tree that next() found.
  Edge tree(Node v) const { return tree_[place_of(v)]; }
  // How much worse it is than the best of all.
  double gap() const { return static_cast<double>(*best_weight_ - weight_); }

  // The budget was spent before all trees were given.
  bool stopped() const { return legality_->budget.solves <= 0 && !queue_.empty(); }
  // Trees not yet given are at least so much worse than the best of all.
  double gap_ahead() const;

 private:
  static constexpr std::int32_t kNone = -1;

  struct Step {
    std::int32_t before;
    bool include;
    Edge edge;
  };
  struct Entry {
    W weight;  // of its best tree, or more
    std::uint32_t sequence;
    std::int32_t steps;
    std::int32_t tree;    // its best tree in trees_, or kNone: not yet solved
    std::int32_t clause;  // that this tree breaks, or kNone: none that is known
    bool operator<(const Entry& other) const {
      return weight < other.weight || (!(other.weight < weight) && sequence < other.sequence);
    }
  };
  // A way to mend a broken clause: the word takes one of these edges, or none of them.
  struct Mend {
    Node node;
    bool take;
    std::uint32_t begin, end;  // in named_
  };
  // A clause in terms of the solver's edges.
  struct Known {
    std::uint32_t begin, end;  // in mends_
    bool alive;                // false: no tree of the solver breaks it
  };
  struct Broken {
    W cost;  // of mending it, at least
    std::int32_t clause;
  };

  std::int32_t add_step(std::int32_t before, Edge edge, bool include);
  std::int32_t keep_to(std::int32_t steps, const Mend& mend);
  std::int32_t keep_from(std::int32_t steps, const Mend& mend);
  void push(W weight, std::int32_t steps, std::int32_t tree, std::int32_t clause = kNone);
  Entry pop();
  void apply(std::int32_t steps);
  bool solve(std::int32_t steps);
  bool within_limit(W weight) const {
    return !(static_cast<double>(*best_weight_ - weight) > limit_);
  }
  std::int32_t store();
  void take(const Entry& entry);
  bool legal();

  void push_solved(std::int32_t steps);
  void learn_clauses();
  bool name_edges(const std::vector<ClauseEdge>& edges, bool take);
  bool is_named(const Mend& mend, Edge edge) const;
  bool breaks(const Known& clause) const;
  std::optional<W> cost(const Mend& mend);
  std::optional<W> cost(const Known& clause);
  bool list_broken();
  W cost_of_all();
  void mend(const Entry& entry);
  void split(const Entry& entry);

  Solver* solver_ = nullptr;
  Legality* legality_ = nullptr;
  std::vector<ClauseEdge> arcs_;
  double limit_ = 0.0;
  std::optional<W> best_weight_;

  std::vector<Entry> queue_;  // a heap
  std::vector<Step> steps_;
  std::vector<Edge> trees_;  // one after the other
  std::vector<std::int32_t> free_trees_;
  std::uint32_t sequence_ = 0;

  // The tree under judgement: of the solver, and of the graph.
  std::vector<Edge> tree_;
  W weight_{};
  std::vector<Node> heads_;
  std::vector<EdgeId> edges_;
  std::vector<Node> node_of_;  // of the solver, per word; 0 where it knows none

  // The clauses seen.
  std::vector<Known> known_;
  std::vector<Mend> mends_;
  std::vector<Edge> named_;
  std::vector<Broken> broken_;
  std::vector<std::uint8_t> marked_;  // per node of the solver
  std::vector<typename Solver::Swap> swaps_;
};

}  // namespace coppice::engine
