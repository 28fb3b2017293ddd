// Trees, and ranked lists of trees.
//
// A tree of a graph with nodes 0..N is its head vector: heads[v] is the node that v hangs from,
// heads[0] = -1. In a multigraph parallel edges are different choices, so a tree also says which
// edge it took: edges[v], with edges[0] = -1.
//
// The score of a tree is the plain float64 sum of its input weights over nodes 1..N in that order,
// so that every engine reports the same number for the same tree; for int64 weights integer_score
// is the exact sum.
#pragma once

#include <algorithm>
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

  // Under rules with a budget: false where the budget ran out before all trees asked for were
  // found.
  bool complete() const { return complete_; }
  // Then no legal tree beyond those given has a better score than this.
  double bound() const { return bound_; }

  // All of them.
  std::span<const Node> all_heads() const;
  std::span<const EdgeId> all_edges() const;
  std::span<const double> scores() const { return scores_; }
  std::span<const std::int64_t> integer_scores() const { return integer_scores_; }

  // For those who fill a list: forget all trees, keep the memory; then either one tree after the
  // other ...
  void reset(Node nodes, bool with_edges, bool with_integer_scores);
  struct Row {
    std::span<Node> heads;
    std::span<EdgeId> edges;
  };
  Row append(double score, std::int64_t integer_score);
  // ... or their number, a tree that they resemble, and how each of them differs from it. With more
  // heads than `long_list` the differences are kept.
  struct Change {
    Node node;
    Node head;
    EdgeId edge;
  };
  void start(std::size_t size, std::span<const Node> heads, std::span<const EdgeId> edges,
             std::size_t long_list);
  void fill(std::size_t rank, double score, std::int64_t integer_score,
            std::span<const Change> changes);
  // The same where the differences are not kept: the row of this rank, for now the tree that all
  // resemble, to be changed.
  bool keeps_changes() const { return compact_ != nullptr; }
  Row fill(std::size_t rank, double score, std::int64_t integer_score) {
    scores_[rank] = score;
    if (with_integer_scores_) integer_scores_[rank] = integer_score;
    Row to = row(rows_, rank);
    std::copy(base_.heads.begin(), base_.heads.end(), to.heads.begin());
    if (with_edges_) std::copy(base_.edges.begin(), base_.edges.end(), to.edges.begin());
    return to;
  }
  // The list is not complete.
  void stop_at(double bound);

 private:
  struct Rows {
    std::vector<Node> heads;
    std::vector<EdgeId> edges;
  };
  struct Compact;

  const Rows& rows() const;
  void make_room(std::size_t size);
  Row row(Rows& rows, std::size_t rank) const {
    const auto nodes = static_cast<std::size_t>(nodes_);
    return {std::span(rows.heads.data() + rank * nodes, nodes),
            with_edges_ ? std::span(rows.edges.data() + rank * nodes, nodes) : std::span<EdgeId>()};
  }
  void write(Row row, std::span<const Change> changes) const;

  Rows rows_;
  Rows base_;                         // of start()
  std::shared_ptr<Compact> compact_;  // a very long list
  std::vector<double> scores_;
  std::vector<std::int64_t> integer_scores_;
  Node nodes_ = 0;
  bool complete_ = true;
  double bound_ = 0.0;
  bool with_edges_ = false;
  bool with_integer_scores_ = false;
};

}  // namespace coppice
