// The K best trees where the best edge into every node is in the best tree (docs/engine.md,
// section 10): no contraction, and the gap of a tree is the sum of what its replaced edges lose.
// Parsers' scores are so, nearly always.
//
// Best first over combinations of replaced edges, cycles among them. What replaces an edge is
// looked up in the column of its node when it is first asked for: little is touched beyond what the
// trees need.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/candidate.hpp"
#include "engine/changed_trees.hpp"
#include "engine/found.hpp"
#include "engine/frontier.hpp"
#include "engine/greedy_case.hpp"
#include "engine/legality.hpp"
#include "engine/tied_trees.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class BestFirst {
 public:
  explicit BestFirst(const Tuning& tuning) : tuning_(tuning) {}

  enum class Outcome {
    complete,   // every tree that counts is there
    tied,       // too many trees are equal within rounding: some of those at the border are missing
    abandoned,  // too many combinations were cyclic
  };

  // The trees of a gap up to max_gap, k at most; and all that are equal to the last one within
  // rounding, for their reported scores decide. Under rules legal ones only; others are cyclic
  // combinations, as it were.
  Outcome run(const GreedyCase& graph, std::int64_t k, double max_gap,
              Legality* legality = nullptr);

  const CandidateList& candidates() const { return candidates_; }
  // The trees in the order of their gaps. Once for every run.
  void list(FoundTrees& found);

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // The combination `before`, which loses `base`, and one more replacement, of the node at a
  // position.
  struct State {
    double base;
    CombinationId before;
    CandidateId candidate;
    std::int32_t position;
    Node root_child;  // single root: the new one, or kNoNode
  };

  void start(const GreedyCase& graph, double max_gap);
  double first_loss(Node v);
  std::int64_t most_tied(std::int64_t k) const;
  bool find_ties(std::int64_t k);
  void list_ties(FoundTrees& found);
  bool search(std::int64_t k);
  void expand(const State& state, double gap, CombinationId id);
  void push(const State& state);
  void push_next_root_child();
  bool sums_are_exact(double gap) const;
  bool all_ties_are_equal(double gap);
  bool is_wanted(CombinationId id);

  CandidateId add(Node head, Node dependent, double weight);
  CandidateId option_after(Node v, double weight, Node head);
  CandidateId first_option(Node v);
  CandidateId next_option(CandidateId candidate);
  std::int32_t position_after(std::int32_t position, Node root_child);

  Tuning tuning_;
  const GreedyCase* graph_ = nullptr;
  double limit_ = 0.0;  // no tree of a larger gap is wanted
  bool too_many_tie_ = false;

  CandidateList candidates_;
  Indexed<CandidateId, CandidateId> next_;  // the next best into the same node
  Indexed<Node, CandidateId> first_;        // the best into a node
  Indexed<Node, double> gains_;             // minus the loss of that one; -inf: none
  std::vector<Node> positions_;             // nodes by this loss, as far as they were asked for
  Indexed<Node, double> root_gains_;        // single root: minus the loss of a root edge
  double last_root_gain_ = 0.0;
  Node last_root_child_ = 0;

  ChangedTrees combinations_;
  Frontier<State> frontier_;
  std::vector<CombinationId> found_;  // combinations that are trees
  Legality* legality_ = nullptr;      // null: all of them are legal
  FoundTrees judged_;                 // one of them
  std::vector<Node> sources_;

  std::int64_t of_ties_ = 0;  // so many trees are listed, which all tie: the best one and ties_
  TiedTrees ties_;
  std::vector<CandidateId> tied_;  // by their numbers there
};

}  // namespace coppice::engine
