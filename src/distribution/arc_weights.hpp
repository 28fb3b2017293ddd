// The log-potentials of the arcs that are allowed, of any graph.
#pragma once

#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <optional>
#include <span>
#include <vector>

#include "distribution/elimination.hpp"
#include "distribution/random.hpp"
#include "graph/constraints.hpp"

namespace coppice::distribution {

// Throws Error for what is no distribution: costs to be minimised, and rules.
void check_log_potentials(const Problem& problem);

// A matrix that may be read as it is: no copy is needed.
bool is_plain(Graph graph, const Problem& problem);

// A copy as a matrix, to compute with and to report scores from. Parallel edges are one arc: log of
// the sum of exp(weight).
class ArcWeights {
 public:
  // Throws Error for bad weights, bad constraints, and multigraphs too large for a matrix.
  ArcWeights(Graph graph, const Problem& problem);

  Node nodes() const { return static_cast<Node>(weights_.cols()); }
  // [head][dependent]; minus infinity where there is no arc, on the diagonal and in column 0.
  const Matrix<double>& weights() const { return weights_; }
  // What weights() lack by rounding, where parallel edges are so large that it matters, else null.
  const Matrix<double>* rest() const { return rest_.size() == 0 ? nullptr : &rest_; }
  double rest(Node head, Node dependent) const {
    return rest_.size() == 0 ? 0.0 : rest_(head, dependent);
  }
  DenseView view() const { return DenseView::dependent_head(weights_.data(), weights_.rows()); }

  bool has_edges() const { return multigraph_.has_value(); }
  EdgeId edges() const { return has_edges() ? multigraph_->edges() : 0; }
  // How much more likely an edge is than the arc it belongs to: 0 or less, and 0 in a matrix.
  double log_share(EdgeId edge, Node head, Node dependent) const;
  // The edges of an arc that is allowed, of a multigraph.
  std::span<const EdgeId> edges_of(Node head, Node dependent) const;
  EdgeId likeliest_edge(Node head, Node dependent) const;
  EdgeId draw_edge(Node head, Node dependent, Random& random) const;
  // Calls visit(edge, head, dependent, share of the arc) for every edge that is allowed.
  template <class Visit>
  void for_each_edge(const Visit& visit) const {
    for (EdgeId edge : edge_order_) {
      const Node head = multigraph_->source(edge), dependent = multigraph_->target(edge);
      visit(edge, head, dependent, std::exp(log_share(edge, head, dependent)));
    }
  }

  TreeList empty_list() const;
  // edges: of a multigraph.
  void append(std::span<const Node> heads, std::span<const EdgeId> edges, TreeList& trees) const;

 private:
  void take(const DenseView& view, const Constraints& constraints);
  void take(const Multigraph& graph, const Constraints& constraints);
  void add_up(const Multigraph& graph);
  void order_edges();
  // What scores are reported from.
  Graph graph() const;

  Matrix<double> weights_, rest_;
  std::vector<std::int64_t> integers_;  // of a matrix of int64 weights
  std::optional<Multigraph> multigraph_;
  std::vector<double> edge_weights_;     // minus infinity for edges that are not allowed
  std::vector<EdgeId> edge_order_;       // those that are, by dependent and head
  std::vector<std::size_t> first_edge_;  // into each dependent
};

}  // namespace coppice::distribution
