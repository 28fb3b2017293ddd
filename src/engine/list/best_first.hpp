// The K best trees of a dense graph in which nothing is contracted, as it is with nearly all scores
// of parsers: the best edge into every node is in the best tree, but for one root edge at a price.
// Then the gap of a tree is the sum of what its edits lose (docs/internals/proofs.md).
//
// Best first over combinations of edits, cycles among them. What replaces an edge is looked up in
// the column of its node when it is first asked for: little is touched beyond what the trees need.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/list/changed_trees.hpp"
#include "engine/list/frontier.hpp"
#include "engine/solve/certified_tree.hpp"
#include "engine/solve/dense.hpp"
#include "engine/solve/tree_edits.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class BestFirst {
 public:
  explicit BestFirst(const Tuning& tuning) : tuning_(tuning) {}

  // Says whether a tree is one of those that are asked for.
  using IsLegal = std::function<bool(std::span<const Edit>)>;

  // The k best trees of a gap up to max_gap, in order; legal ones only if is_legal is not empty.
  // False: too many combinations were cyclic or illegal.
  bool run(const Dense& graph, const CertifiedTree& tree, std::int64_t k, double max_gap,
           const IsLegal& is_legal, TreeEdits& trees);

 private:
  // The combination `before`, which loses `base`, and one more edit, of the node at a position.
  struct State {
    double base;
    CombinationId before;
    CandidateId candidate;
    std::int32_t position;
    Node root_child;  // single root: the new one, or kNoNode
  };

  void start(double max_gap);
  bool search(std::int64_t k, const IsLegal& is_legal, TreeEdits& trees);
  bool add_if_wanted(CombinationId id, double gap, const IsLegal& is_legal, TreeEdits& trees);
  void expand(const State& state, double gap, CombinationId id);
  void push(const State& state);
  void push_next_root_child();

  CandidateId add(Node head, Node dependent, double gain);
  CandidateId option_after(Node v, double gain, Node head);
  CandidateId first_option(Node v);
  CandidateId next_option(CandidateId candidate);
  std::int32_t position_after(std::int32_t position, Node root_child);

  Tuning tuning_;
  const Dense* graph_ = nullptr;
  const CertifiedTree* tree_ = nullptr;
  Node root_child_ = kNoNode;  // single root: that of the best tree
  double limit_ = 0.0;         // no tree of a larger gap is wanted

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
};

}  // namespace coppice::engine
