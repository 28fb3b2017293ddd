// The log-potentials of the arcs that are allowed, of any graph.
#pragma once

#include <coppice/tree.hpp>
#include <coppice/which.hpp>
#include <vector>

#include "distribution/elimination.hpp"
#include "graph/constraints.hpp"

namespace coppice::distribution {

// A matrix of float64 numbers of 2 GiB.
inline constexpr Node kMostNodes = 1 << 14;

// Throws Error for what is no distribution: costs to be minimised, and rules.
void check_log_potentials(const Which& which);

// A matrix that may be read as it is: no copy is needed.
bool is_plain(Graph graph, const Which& which);

// A copy as a matrix, to compute with and to report scores from. Parallel edges are one arc: log of
// the sum of exp(weight).
class ArcWeights {
 public:
  // Throws Error for bad weights, bad constraints, and multigraphs too large for a matrix.
  ArcWeights(Graph graph, const Which& which);

  Node nodes() const { return static_cast<Node>(weights_.cols()); }
  // [head][dependent]; minus infinity where there is no arc, on the diagonal and in column 0.
  const Matrix<double>& weights() const { return weights_; }
  DenseView view() const { return DenseView::dependent_head(weights_.data(), weights_.rows()); }

  // How much more likely an edge is than the arc it belongs to: 0 or less, and 0 in a matrix.
  double log_share(EdgeId edge, Node head, Node dependent) const;

  TreeList empty_list() const;
  void append(std::span<const Node> heads, TreeList& trees) const;

 private:
  void take(const DenseView& view, const Constraints& constraints);
  void take(const Multigraph& graph, const Constraints& constraints);
  bool integers() const { return !integers_.empty(); }
  DenseView integer_view() const {
    return DenseView::dependent_head(integers_.data(), weights_.rows());
  }

  Matrix<double> weights_;
  std::vector<double> edge_weights_;    // multigraphs only
  std::vector<std::int64_t> integers_;  // int64 weights only
};

}  // namespace coppice::distribution
