// The trees of a graph one by one, best first, for about one solve a tree and never more than
// three (docs/engine.md, section 5). The sweep is faster on most kernels; this one is never slow.
//
// A queue of subproblems (edges that must be in, edges that must be out). The one in front is
// solved and its best tree given. Its other trees fall into parts: for the edges e_1, e_2, ... of
// that tree by ascending swap, "with e_1 .. e_{i-1}, without e_i". Such a family of parts stands in
// the queue with its next part only, at the weight that the swap of e_i leaves. The best tree of
// the part weighs that, or less. The first part of a family always attains it. Where a later one
// does not, what is left of the family is solved again: its first part attains its weight anew.
// (Where trees tie, that solve may find another tree than the one the family began with; then it
// is one more tree to be given, and the family goes on with an edge that this one lacks.)
//
// Under the single-root rule a subproblem whose root edge is not fixed is solved with an open root;
// its trees are those with the root edge of its best tree, a family, and those without, again an
// open subproblem.
//
// Solver is ListSolver or DenseSolver.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/tuning.hpp"
#include "graph/indexed.hpp"

namespace coppice::engine {

template <class Solver>
class Queue {
 public:
  using W = typename Solver::Weight;
  using Edge = typename Solver::Edge;

  explicit Queue(const Tuning& tuning) : most_parts_(tuning.most_parts) {}

  // The solver must be loaded and stay where it is. Trees that are worse than the best by more than
  // `limit` may be left out; weights that differ by no more than `slack` count as equal.
  void start(Solver& solver, double limit, double slack);

  // A hint: no more than so many trees will be asked for.
  void want(std::int64_t trees) { wanted_ = trees; }

  // Solves for the next best tree, which the solver then holds until the next call; false when all
  // have been given, or all that are worse than the best by no more than `up_to`.
  bool next(double up_to);
  // How much worse than the best it is.
  double gap() const { return static_cast<double>(*best_weight_ - solver_->weight()); }
  // How many solves there have been.
  std::int64_t solves() const { return solves_; }

 private:
  using Swap = typename Solver::Swap;
  static constexpr std::int32_t kNone = -1;

  struct Step {
    std::int32_t before;
    bool include;
    Edge edge;
  };
  struct Family {
    std::int32_t steps;         // so far
    W weight;                   // of its best tree, which has been given
    std::vector<Edge> changes;  // of that tree, against the first tree of all
    std::vector<Swap> swaps;
    std::size_t next;
    bool more;  // parts beyond those kept
  };
  enum class Kind : std::uint8_t {
    part,   // its best tree weighs what the entry says, or less
    exact,  // exactly that
    rest,   // what is left of a family
  };
  struct Entry {
    W weight;  // of its best tree, or more
    std::uint64_t sequence;
    std::int32_t steps;
    std::int32_t family;  // or kNone
    Kind kind;
    bool operator<(const Entry& other) const {
      return weight < other.weight || (!(other.weight < weight) && sequence > other.sequence);
    }
  };

  std::int32_t add_step(std::int32_t before, Edge edge, bool include);
  void push(const Entry& entry);
  Entry pop();
  bool solve(std::int32_t steps);
  bool attains(const Entry& entry) const;
  bool within(W weight, double up_to) const;
  std::int32_t new_family();
  void note_changes(Family& family);
  Edge lacking(const Family& family) const;
  void split(const Entry& entry);
  void list_parts(Family& family);
  void push_part(std::int32_t family);
  void renew(std::int32_t family);
  void leave(std::int32_t family);

  std::int64_t most_parts_;
  Solver* solver_ = nullptr;
  double limit_ = 0.0, slack_ = 0.0;
  std::optional<W> best_weight_;
  std::vector<Entry> queue_;        // a heap
  std::optional<Entry> undivided_;  // its best tree is in the solver and was the last to be given
  std::vector<Step> steps_;
  std::vector<Family> families_;
  std::vector<std::int32_t> free_families_;
  Indexed<Node, Edge> first_tree_;
  std::uint64_t sequence_ = 0;
  std::int64_t wanted_ = 0, given_ = 0;
  std::int64_t solves_ = 0;
};

}  // namespace coppice::engine
