// How a TreeList is filled.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace coppice {

class TreeBuilder {
 public:
  struct Row {
    std::span<Node> heads;
    std::span<EdgeId> edges;
  };
  struct Change {
    Node node;
    Node head;
    EdgeId edge;
  };

  explicit TreeBuilder(TreeList& trees) : trees_(trees) {}

  // Forget all trees, keep the memory; then either one tree after the other ...
  void reset(Node nodes, bool with_edges, bool with_integer_scores);
  void reset(Graph graph);
  Row append(double score, std::int64_t integer_score);
  void append(const Tree& tree);

  // ... or their number, a tree that they resemble, and, in the order of ranks, how each of them
  // differs from it. With more heads than `long_list` the differences are kept.
  void start(std::size_t size, std::span<const Node> heads, std::span<const EdgeId> edges,
             std::size_t long_list);
  void fill(std::size_t rank, double score, std::int64_t integer_score,
            std::span<const Change> changes);
  // The same where the differences are not kept: the row of this rank, for now the tree that all
  // resemble, to be changed.
  bool keeps_changes() const { return trees_.compact_ != nullptr; }
  Row fill(std::size_t rank, double score, std::int64_t integer_score) {
    trees_.scores_[rank] = score;
    if (trees_.with_integer_scores_) trees_.integer_scores_[rank] = integer_score;
    Row to = row(rank);
    std::ranges::copy(trees_.base_.heads, to.heads.begin());
    if (trees_.with_edges_) std::ranges::copy(trees_.base_.edges, to.edges.begin());
    return to;
  }

  // Changes every tree of a list that is filled.
  void rewrite(const std::function<void(Row)>& change);

  // The list is not complete.
  void stop_at(double bound);
  // The first tree of such a list: a legal one that need not be the best.
  void add_unproved(const Tree& tree);

 private:
  void make_room(std::size_t size);
  Row row(std::size_t rank) {
    const auto nodes = static_cast<std::size_t>(trees_.nodes_);
    auto& [heads, edges] = trees_.rows_;
    return {
        std::span(heads.data() + rank * nodes, nodes),
        trees_.with_edges_ ? std::span(edges.data() + rank * nodes, nodes) : std::span<EdgeId>()};
  }

  TreeList& trees_;
};

}  // namespace coppice
