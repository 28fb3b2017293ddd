// All edges that a tree of a graph could use, grouped by target: the form in which algorithms that
// need random access read a graph, dense or not.
#pragma once

#include <algorithm>
#include <coppice/error.hpp>
#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "graph/input.hpp"
#include "graph/poll.hpp"

namespace coppice {

// An index into an EdgeTable, not the id that a multigraph gave the edge.
using EdgeIndex = std::int32_t;
inline constexpr EdgeIndex kNone = -1;

// W is double, or std::int64_t for graphs with int64 weights.
template <class W>
class EdgeTable {
 public:
  EdgeTable(Graph graph, Objective objective);

  Node nodes() const { return nodes_; }
  // The edges into a node are [begin(target), begin(target + 1)), ordered by source.
  EdgeIndex begin(Node target) const { return begin_[static_cast<std::size_t>(target)]; }
  EdgeIndex end(Node target) const { return begin(target + 1); }
  Node source(EdgeIndex e) const { return source_[static_cast<std::size_t>(e)]; }
  Node target(EdgeIndex e) const;
  // To be maximised: minimising has negated it.
  const W& weight(EdgeIndex e) const { return weight_[static_cast<std::size_t>(e)]; }
  EdgeIndex edges() const { return begin_.back(); }
  // No sum over a tree, nor a difference of such sums, can be rounded.
  bool exact() const { return exact_; }
  W largest() const { return largest_; }

  // A tree given by the edge into every node, with its reported score.
  Tree tree(const std::vector<EdgeIndex>& edge_into) const;
  EdgeId id(EdgeIndex e) const { return id_.empty() ? kNoEdge : id_[static_cast<std::size_t>(e)]; }

 private:
  void load(const DenseView& view);
  void load(const Multigraph& graph);
  void add(Node source, Node target, W weight);

  std::vector<EdgeIndex> begin_;
  std::vector<Node> source_;
  std::vector<W> weight_;
  std::vector<EdgeId> id_;  // multigraphs only
  Node nodes_;
  bool minimize_;
  bool exact_ = true;
  W largest_ = 0;
};

template <class W>
EdgeTable<W>::EdgeTable(Graph graph, Objective objective)
    : nodes_(graph.nodes()), minimize_(objective == Objective::minimize) {
  begin_.reserve(static_cast<std::size_t>(nodes_) + 1);
  if (graph.dense() != nullptr)
    load(*graph.dense());
  else
    load(*graph.multigraph());
  if constexpr (std::is_same_v<W, double>) {
    check_magnitude(largest_, nodes_);
    exact_ = exact_ && largest_ * nodes_ < 0x1p51;
  } else {
    check_magnitude(static_cast<std::uint64_t>(largest_), nodes_);
  }
}

template <class W>
void EdgeTable<W>::add(Node source, Node target, W weight) {
  if constexpr (std::is_same_v<W, double>) {
    check_weight(source, target, weight);
    exact_ = exact_ && weight == std::trunc(weight);
    largest_ = std::max(largest_, std::abs(weight));
  } else {
    // |INT64_MIN| does not exist in int64; its neighbour is just as much too large.
    largest_ =
        std::max(largest_, weight < 0 ? -std::max(weight, -std::numeric_limits<W>::max()) : weight);
    if (weight == std::numeric_limits<W>::min()) weight = -std::numeric_limits<W>::max();
  }
  source_.push_back(source);
  weight_.push_back(minimize_ ? -weight : weight);
}

template <class W>
void EdgeTable<W>::load(const DenseView& view) {
  auto words = static_cast<std::int64_t>(view.words());
  if (words > kMostPaperWords)
    throw Error(ErrorCode::bad_graph, "score matrix too large: " + std::to_string(words) +
                                          " words, at most " + std::to_string(kMostPaperWords));
  source_.reserve(static_cast<std::size_t>(words * words));
  weight_.reserve(static_cast<std::size_t>(words * words));
  begin_.push_back(0);
  for (Node target = 0; target < nodes_; ++target) {
    poll();
    for (Node source = 0; source < nodes_ && target != 0; ++source) {
      if (source == target) continue;
      if constexpr (std::is_same_v<W, double>) {
        double weight = view.weight(source, target);
        if (weight != kNoWeight) add(source, target, weight);
      } else {
        add(source, target, view.at<W>(source, target));
      }
    }
    begin_.push_back(static_cast<EdgeIndex>(source_.size()));
  }
}

template <class W>
void EdgeTable<W>::load(const Multigraph& graph) {
  // Few edges must not ask for the square of their number.
  if (nodes_ > kMostPaperSparseNodes && std::int64_t{nodes_} * nodes_ / 16 > graph.edges())
    throw Error(ErrorCode::bad_graph,
                "the published algorithms keep a matrix: " + std::to_string(nodes_) +
                    " nodes are too many for " + std::to_string(graph.edges()) + " edges");
  auto usable = [&](EdgeId e) {
    return graph.target(e) != 0 && graph.source(e) != graph.target(e) &&
           graph.weight(e) != kNoWeight;
  };
  std::vector<EdgeId> order;
  for (EdgeId e = 0; e < graph.edges(); ++e)
    if (usable(e)) order.push_back(e);
  std::stable_sort(order.begin(), order.end(), [&](EdgeId a, EdgeId b) {
    return std::pair(graph.target(a), graph.source(a)) <
           std::pair(graph.target(b), graph.source(b));
  });
  id_ = order;
  auto next = order.begin();
  begin_.push_back(0);
  for (Node target = 0; target < nodes_; ++target) {
    for (; next != order.end() && graph.target(*next) == target; ++next) {
      if constexpr (std::is_same_v<W, double>)
        add(graph.source(*next), target, graph.weight(*next));
      else
        add(graph.source(*next), target, graph.integer_weight(*next));
    }
    begin_.push_back(static_cast<EdgeIndex>(source_.size()));
  }
}

template <class W>
Node EdgeTable<W>::target(EdgeIndex e) const {
  auto after = std::upper_bound(begin_.begin(), begin_.end(), e);
  return static_cast<Node>(after - begin_.begin() - 1);
}

template <class W>
Tree EdgeTable<W>::tree(const std::vector<EdgeIndex>& edge_into) const {
  Tree tree;
  tree.heads.assign(static_cast<std::size_t>(nodes_), kNoNode);
  if (!id_.empty()) tree.edges.assign(static_cast<std::size_t>(nodes_), kNoEdge);
  W sum = 0;
  for (Node v = 1; v < nodes_; ++v) {
    EdgeIndex e = edge_into[static_cast<std::size_t>(v)];
    tree.heads[static_cast<std::size_t>(v)] = source(e);
    if (!id_.empty()) tree.edges[static_cast<std::size_t>(v)] = id(e);
    sum += minimize_ ? -weight(e) : weight(e);
  }
  tree.score = static_cast<double>(sum);
  if constexpr (std::is_same_v<W, std::int64_t>) tree.integer_score = sum;
  return tree;
}

}  // namespace coppice
