// The scores that trees are reported with: the exact sum of the weights of a tree, as they were
// given, rounded once.
#pragma once

#include <cmath>
#include <coppice/graph.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/exact_sum.hpp"
#include "graph/indexed.hpp"

namespace coppice::engine {

// Calls visit(weight), where weight(head, dependent, edge) is of the type of the weights.
template <class Visit>
void with_weights(Graph graph, Visit visit) {
  const DenseView* view = graph.dense();
  const bool integral = graph.scalar() == Scalar::int64;
  if (const Multigraph* edges = graph.multigraph(); edges != nullptr && integral)
    visit([=](Node, Node, EdgeId e) { return edges->integer_weight(e); });
  else if (edges != nullptr)
    visit([=](Node, Node, EdgeId e) { return edges->weights()[place_of(e)]; });
  else if (integral)
    visit([=](Node s, Node t, EdgeId) { return view->at<std::int64_t>(s, t); });
  else if (graph.scalar() == Scalar::float32)
    visit([=](Node s, Node t, EdgeId) { return static_cast<double>(view->at<float>(s, t)); });
  else
    visit([=](Node s, Node t, EdgeId) { return view->at<double>(s, t); });
}

// The weights of the edges of a tree; 0 for the root.
template <class Weight, class T>
void read_weights(Weight weight, std::span<const Node> heads, std::span<const EdgeId> edges,
                  std::vector<T>& weights) {
  weights.resize(heads.size());
  weights[0] = T{};
  for (std::size_t v = 1; v < heads.size(); ++v)
    weights[v] = weight(heads[v], static_cast<Node>(v), edges.empty() ? kNoEdge : edges[v]);
}

class TreeScore {
 public:
  TreeScore() = default;
  TreeScore(Graph graph, std::span<const Node> heads, std::span<const EdgeId> edges);
  // Of a tree whose edges weigh so much.
  explicit TreeScore(std::span<const double> weights);
  explicit TreeScore(std::span<const std::int64_t> weights);

  double value() const {
    if (integral_) return static_cast<double>(integer_);
    return is_exact() ? high_ + low_ : high_;
  }
  std::int64_t integer() const { return integer_; }  // of int64 weights
  // Is this all of the sum? Weights of very different sizes may not fit into two numbers.
  bool is_exact() const { return lost_ == 0.0; }

  // One edge is replaced.
  void swap(double from, double to) {
    const Parts change = exact_difference(to, from);
    add(change.high);
    if (change.low != 0.0) add_low(change.low);  // seldom: these two are of one column
  }
  void swap(std::int64_t from, std::int64_t to) { integer_ += to - from; }
  void negate() { high_ = 0.0 - high_, low_ = 0.0 - low_; }
  // The value with so much added, which is whole for int64 weights.
  double value_plus(double amount) const {
    if (integral_) return static_cast<double>(integer_ + static_cast<std::int64_t>(amount));
    const Parts sum = exact_sum(high_, amount);
    return sum.high + (sum.low + low_);
  }

 private:
  void add(double weight) {
    const Parts high = exact_sum(high_, weight);
    high_ = high.high;
    if (high.low != 0.0) add_low(high.low);  // of float32 weights this is seldom so
  }
  void add_low(double weight) {
    const Parts low = exact_sum(low_, weight);
    low_ = low.high;
    lost_ += std::abs(low.low);
  }

  double high_ = 0.0, low_ = 0.0;  // the sum
  std::int64_t integer_ = 0;
  bool integral_ = false;
  double lost_ = 0.0;  // the sizes of all that the two numbers could not hold
};

}  // namespace coppice::engine
