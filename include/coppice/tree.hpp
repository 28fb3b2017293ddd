// Trees, and ranked lists of trees.
//
// A tree of a graph with nodes 0..N is its head vector: heads[v] is the node that v hangs from,
// heads[0] = -1. In a multigraph parallel edges are different choices, so a tree also says which
// edge it took: edges[v], with edges[0] = -1.
//
// The score of a tree is the exact sum of its weights, rounded once to float64. The weights of the
// best tree are those that were given; what another tree has less is a sum of weights that were
// read to within half a unit (kbest.hpp). The algorithms of paper.hpp report plain float64 sums,
// which may differ in their last digits. For int64 weights integer_score is the exact sum.
//
// Throws: nothing but std::bad_alloc. A rank must be less than size(); it is not checked.
// Cost: O(1), but for copies, O(N), and where a very long list lays out its array, O(size N).
// Threads: any number may read a list.
#pragma once

#include <algorithm>
#include <cmath>
#include <coppice/graph.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace coppice {

struct Tree {
  std::vector<Node> heads;
  std::vector<EdgeId> edges;  // multigraphs only, else empty
  double score = 0.0;
  std::int64_t integer_score = 0;  // int64 weights only, else 0

  friend bool operator==(const Tree&, const Tree&) = default;
};

// A tree that lives in a TreeList; valid as long as the list is not changed.
struct TreeRef {
  std::span<const Node> heads;
  std::span<const EdgeId> edges;  // multigraphs only, else empty
  double score = 0.0;
  std::int64_t integer_score = 0;

  Tree copy() const;
};

// Trees of one graph from best to worst. Empty where the graph has no tree.
//
// The head vectors lie in one flat array, [size][nodes] row-major. A list that would be very long
// (a thousand trees of a hundred thousand nodes) keeps how each tree differs from one of them
// instead, and lays the array out when it is first asked for; copy() needs no such array.
class TreeList {
 public:
  std::size_t size() const { return scores_.size(); }
  bool empty() const { return scores_.empty(); }
  Node nodes() const { return nodes_; }  // length of each head vector, the root counted in

  TreeRef operator[](std::size_t rank) const;
  Tree copy(std::size_t rank) const;
  std::span<const Node> heads(std::size_t rank) const;
  std::span<const EdgeId> edges(std::size_t rank) const;  // empty unless of a multigraph
  double score(std::size_t rank) const { return scores_[rank]; }
  // How much worse than the best tree of the list: >= 0 whether maximising or minimising.
  double gap(std::size_t rank) const;

  // Under rules with a budget or a time limit: false where it ran out before all trees asked for
  // were found.
  bool complete() const { return complete_; }
  // Then no legal tree beyond those given has a better score than this.
  double bound() const { return bound_; }
  // How much better than the first tree another legal one may be: 0 unless the budget ran out
  // before any tree was proved to be the best.
  double bound_gap() const { return proved_ ? 0.0 : std::abs(bound_ - scores_[0]); }

  // All of them.
  std::span<const Node> all_heads() const;
  std::span<const EdgeId> all_edges() const;
  std::span<const double> scores() const { return scores_; }
  std::span<const std::int64_t> integer_scores() const { return integer_scores_; }

 private:
  friend class TreeBuilder;
  struct Rows {
    std::vector<Node> heads;
    std::vector<EdgeId> edges;
  };
  struct Compact;

  const Rows& rows() const;

  Rows rows_;
  Rows base_;                         // what the trees of a very long list resemble
  std::shared_ptr<Compact> compact_;  // a very long list
  std::vector<double> scores_;
  std::vector<std::int64_t> integer_scores_;
  Node nodes_ = 0;
  bool complete_ = true;
  bool proved_ = true;
  double bound_ = 0.0;
  bool with_edges_ = false;
  bool with_integer_scores_ = false;
};

}  // namespace coppice
