// The best tree with edges replaced one after the other: which of these combinations are trees?
//
// A combination is another one, the one before, with one more edge. Cycles that it closes go
// through that edge, so that mostly one look at a word of bits decides. A cyclic one may become a
// tree by further edges; then all of its edges are followed.
#pragma once

#include <bit>
#include <coppice/graph.hpp>
#include <cstdint>
#include <vector>

#include "engine/solve/certified_tree.hpp"
#include "engine/solve/tree_edits.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

using CombinationId = Index<struct CombinationKind>;

class ChangedTrees {
 public:
  static constexpr CombinationId kBest{0};  // nothing is replaced

  // The tree that they are made of.
  void of(const Indexed<Node, Node>& head);
  // Forgets all combinations but kBest.
  void clear() { combinations_.assign(1, {0, kBest, kNoCandidate, kNoNode, kNoNode, true}); }
  std::size_t size() const { return combinations_.size(); }

  // Another one with one more edge, the candidate of this id, whose node is not replaced in it.
  CombinationId add(CombinationId before, CandidateId id, const Candidate& edge) {
    const Combination& from = combinations_[before];
    const std::uint64_t own = bit(edge.dependent), replaced = from.replaced | own;
    // If no replaced node is above the new head, the way from there to the root is free; if the
    // nearest is the new edge's own node, that is a cycle.
    const std::uint64_t on_the_way = above_[edge.head] & replaced;
    const bool is_tree = from.is_tree && on_the_way == 0;
    const bool is_cyclic = small_ && from.is_tree && std::bit_floor(on_the_way) == own;
    const CombinationId added = combinations_.end_index();
    combinations_.push_back({replaced, before, id, edge.dependent, edge.head, is_tree});
    if (!is_tree && !is_cyclic) combinations_[added].is_tree = !has_cycle(added);
    return added;
  }
  void drop_last() { combinations_.pop_back(); }
  bool is_tree(CombinationId id) const { return combinations_[id].is_tree; }

  // All nodes but the root of the best tree, each behind its head.
  std::span<const Node> words() const { return preorder_.words(); }
  // In the best tree.
  bool is_below(Node u, Node v) const { return preorder_.is_below(u, v); }
  // The edits that make this one out of the best tree.
  void list(CombinationId id, const CandidateList& candidates, TreeEdits& edits) const {
    for (; id != kBest; id = combinations_[id].before) {
      const Candidate& edge = candidates[combinations_[id].candidate];
      edits.add({edge.dependent, edge.head, edge.edge});
    }
  }

 private:
  struct Combination {
    std::uint64_t replaced;  // the bits of all replaced nodes
    CombinationId before;
    CandidateId candidate;
    Node node, head;  // of the last edge
    bool is_tree;
  };

  static constexpr Node kBits = 64;
  // One bit for each node but the root, in preorder; in graphs of more nodes several share one.
  std::uint64_t bit(Node v) const {
    return std::uint64_t{1} << (static_cast<unsigned>(preorder_.place(v).value() - 1) % kBits);
  }
  CombinationId nearest(CombinationId id, Node v) const;
  bool has_cycle(CombinationId id) const;
  bool closes_cycle(CombinationId id) const;

  Preorder preorder_;
  bool small_ = false;                  // no bit is shared
  Indexed<Node, std::uint64_t> above_;  // the bits of a node and all that it hangs from
  Indexed<CombinationId, Combination> combinations_;
};

}  // namespace coppice::engine
