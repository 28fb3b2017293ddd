// The trees of a listed graph one by one, best first, for about one solve a tree and never more
// than three (docs/internals/proofs.md). Other ways are faster on most graphs; this one is never
// slow.
//
// A queue of subproblems (edges that must be in, edges that must be out). The one in front is
// solved and its best tree given. Its other trees fall into parts: for the edges e_1, e_2, ... of
// that tree by ascending swap, "with e_1 .. e_{i-1}, without e_i". Such a family of parts stands in
// the queue with its next part only, at the gain that the swap of e_i leaves. The best tree of the
// part gains that, or less. The first part of a family always attains it. Where a later one does
// not, what is left of the family is solved again: its first part attains its gain anew. (Where
// trees tie, that solve may find another tree than the one the family began with; then that one is
// one more tree to be given, and the family goes on with an edge that it lacks.)
//
// Under the single-root rule a subproblem whose root edge is not fixed is solved with an open root;
// its trees are those with the root edge of its best tree, a family, and those without, again an
// open subproblem.
//
// Under rules the best tree of a subproblem may break a clause. Then the ways to mend the clause
// split the subproblem: way i, with all ways before it ruled out. The tree is in none of the parts,
// every legal tree of the subproblem is in exactly one.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/partition/clauses.hpp"
#include "engine/partition/tree_source.hpp"
#include "engine/tuning.hpp"
#include "graph/indexed.hpp"

namespace coppice::engine {

template <class W>
class PartitionQueue final : public TreeSource<W> {
 public:
  explicit PartitionQueue(const Tuning& tuning)
      : most_parts_(static_cast<std::size_t>(tuning.most_parts)) {}

  // The graph must stay where it is. Trees that lose more than the best by more than `limit` may be
  // left out. Under rules (legality is not null) only legal trees are given, and solves are taken
  // off the budget.
  void start(const ListedGraph<W>& graph, const W& limit, Legality* legality);

  bool next(const W& up_to) override;
  W gap() const override { return *best_gain_ - lists().gain(); }
  void list_edits(TreeEdits& trees) const override;

  std::optional<W> gap_ahead() const override {
    if (!stopped_) return std::nullopt;
    return best_gain_ ? *best_gain_ - queue_.front().gain : W{};
  }
  // How many solves there have been.
  std::int64_t solves() const { return solves_; }

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::int32_t kRest = -2;  // what is left of a family, to be solved again

  struct Step {
    std::int32_t before;
    bool include;
    Slot edge;
  };
  struct Family {
    std::int32_t steps;         // so far
    W gain;                     // of its best tree, which has been given
    std::vector<Slot> changes;  // of that tree, against the first tree of all
    std::vector<Swap<W>> swaps;
    std::size_t next;
    bool more;  // parts beyond those kept
  };
  struct Entry {
    W gain;  // of its best legal tree, or more
    std::uint64_t sequence;
    std::int32_t steps;   // or kRest
    std::int32_t family;  // or kNone
    bool operator<(const Entry& other) const {
      return gain < other.gain || (!(other.gain < gain) && sequence > other.sequence);
    }
  };

  Sparse<W>& lists() const { return *graph_->lists; }
  bool out_of_budget() const { return legality_ != nullptr && legality_->budget.is_over(); }
  std::int32_t add_step(std::int32_t before, Slot edge, bool include);
  void push(const W& gain, std::int32_t steps, std::int32_t family = kNone);
  bool solve(std::int32_t steps);
  bool solve_legal(const Entry& entry);
  bool is_within(const W& gain, const W& up_to) const {
    return !best_gain_ || up_to == highest<W>() || !(up_to < *best_gain_ - gain);
  }
  W room() const { return limit_ == highest<W>() ? limit_ : limit_ - gap(); }
  void split(std::int32_t steps);
  void mend(std::int32_t steps);
  std::int32_t new_family();
  void note_changes(Family& family);
  Slot lacking(const Family& family) const;
  void list_parts(Family& family);
  void push_part(std::int32_t family);
  void renew(std::int32_t family);

  std::size_t most_parts_;
  const ListedGraph<W>* graph_ = nullptr;
  Legality* legality_ = nullptr;
  Clauses<W> clauses_;
  W limit_{};
  std::optional<W> best_gain_;
  std::vector<Entry> queue_;               // a heap
  std::optional<std::int32_t> undivided_;  // the steps to the tree in the lists, the last given
  std::vector<Step> steps_;
  std::vector<Family> families_;
  std::vector<std::int32_t> free_families_;
  Indexed<Node, Slot> first_tree_;
  std::uint64_t sequence_ = 0;
  std::int64_t solves_ = 0;
  bool stopped_ = false;  // by the budget, with subproblems left
};

}  // namespace coppice::engine
