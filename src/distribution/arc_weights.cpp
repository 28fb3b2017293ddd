#include "distribution/arc_weights.hpp"

#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/verify.hpp>
#include <numeric>
#include <utility>

#include "distribution/potentials.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::distribution {
void check_log_potentials(const Problem& problem) {
  if (problem.objective == Objective::minimize)
    throw Error(ErrorCode::bad_argument, "costs to be minimised are no log-potentials");
  if (!problem.rules.empty())
    throw Error(
        ErrorCode::bad_argument,
        "there is no distribution of the trees that obey rules; sample_legal() draws from them");
}

bool is_plain(Graph graph, const Problem& problem) {
  return graph.dense() != nullptr && problem.required.empty() && problem.forbidden.empty() &&
         problem.required_edges.empty() && problem.forbidden_edges.empty();
}

ArcWeights::ArcWeights(Graph graph, const Problem& problem) {
  check_log_potentials(problem);
  Constraints constraints;
  constraints.load(graph, problem);
  if (graph.dense() != nullptr)
    take(*graph.dense(), constraints);
  else
    take(*graph.multigraph(), constraints);
}

void ArcWeights::take(const DenseView& view, const Constraints& constraints) {
  weights_ = read_weights(view);
  if (!constraints.empty())
    for (Node d = 1; d < view.nodes(); ++d) {
      poll();
      for (Node h = 0; h < view.nodes(); ++h)
        if (h != d && !constraints.allows(h, d, kNoEdge)) weights_(h, d) = kNoWeight;
    }
  if (view.scalar() != Scalar::int64) return;
  integers_.resize(at(weights_.size()));
  for (Node d = 1; d < view.nodes(); ++d) {
    poll();
    for (Node h = 0; h < view.nodes(); ++h)
      if (h != d) integers_[at(d * weights_.rows() + h)] = view.at<std::int64_t>(h, d);
  }
}

void ArcWeights::take(const Multigraph& graph, const Constraints& constraints) {
  if (graph.nodes() > kMostDistributionNodes)
    throw Error(ErrorCode::bad_graph, "the graph has " + std::to_string(graph.nodes()) +
                                          " nodes; distributions are for at most " +
                                          std::to_string(kMostDistributionNodes));
  edge_weights_.assign(at(graph.edges()), kNoWeight);
  for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
    Node head = graph.source(edge), dependent = graph.target(edge);
    if (head == dependent || dependent == 0 || graph.weight(edge) == kNoWeight ||
        !constraints.allows(head, dependent, edge))
      continue;
    edge_weights_[at(edge)] = graph.weight(edge);
  }
  multigraph_ = graph;
  add_up(graph);
  order_edges();
}

// Relative to the largest edge of each arc, so that the log of two edges of -1e30 has its log(2).
void ArcWeights::add_up(const Multigraph& graph) {
  constexpr double kLarge = 0x1p10;  // above which rounding is to be told
  Matrix<double> largest = Matrix<double>::Constant(graph.nodes(), graph.nodes(), kNoWeight);
  Matrix<double> sums = Matrix<double>::Zero(graph.nodes(), graph.nodes()), highs = largest;
  auto for_each = [&](auto visit) {
    for (EdgeId edge = 0; edge < graph.edges(); ++edge)
      if (const double weight = edge_weights_[at(edge)]; weight != kNoWeight)
        visit(graph.source(edge), graph.target(edge), weight);
  };
  for_each([&](Node h, Node d, double weight) { largest(h, d) = std::max(largest(h, d), weight); });
  for_each([&](Node h, Node d, double weight) { sums(h, d) += std::exp(weight - largest(h, d)); });
  Matrix<double> rest = Matrix<double>::Zero(graph.nodes(), graph.nodes());
  bool matters = false;
  for (Index d = 1; d < highs.cols(); ++d) {
    poll();
    for (Index h = 0; h < highs.rows(); ++h) {
      if (largest(h, d) == kNoWeight) continue;
      const Parts sum = exact_sum(largest(h, d), std::log(sums(h, d)));
      highs(h, d) = sum.high;
      rest(h, d) = sum.low;
      matters |= sum.low != 0.0 && std::abs(sum.high) > kLarge;
    }
  }
  weights_ = read_weights(DenseView::dependent_head(highs.data(), graph.nodes()));
  if (matters) rest_ = std::move(rest);
}

void ArcWeights::order_edges() {
  for (EdgeId edge = 0; edge < multigraph_->edges(); ++edge)
    if (edge_weights_[at(edge)] != kNoWeight) edge_order_.push_back(edge);
  std::ranges::stable_sort(edge_order_, {}, [&](EdgeId edge) {
    return std::pair(multigraph_->target(edge), multigraph_->source(edge));
  });
  first_edge_.assign(at(nodes()) + 1, 0);
  for (EdgeId edge : edge_order_) ++first_edge_[at(multigraph_->target(edge)) + 1];
  std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
}

std::span<const EdgeId> ArcWeights::edges_of(Node head, Node dependent) const {
  const EdgeId* begin = edge_order_.data() + first_edge_[at(dependent)];
  const EdgeId* end = edge_order_.data() + first_edge_[at(dependent) + 1];
  auto source = [&](EdgeId edge) { return multigraph_->source(edge); };
  return {std::ranges::lower_bound(begin, end, head, {}, source),
          std::ranges::upper_bound(begin, end, head, {}, source)};
}

EdgeId ArcWeights::likeliest_edge(Node head, Node dependent) const {
  return *std::ranges::max_element(edges_of(head, dependent), {},
                                   [&](EdgeId edge) { return edge_weights_[at(edge)]; });
}

EdgeId ArcWeights::draw_edge(Node head, Node dependent, Random& random) const {
  const auto edges = edges_of(head, dependent);
  if (edges.size() == 1) return edges[0];
  double target = random.uniform();
  for (EdgeId edge : edges) {
    target -= std::exp(log_share(edge, head, dependent));
    if (target < 0.0) return edge;
  }
  return likeliest_edge(head, dependent);  // shares add up to a little less than 1
}

double ArcWeights::log_share(EdgeId edge, Node head, Node dependent) const {
  if (edge_weights_.empty()) return 0.0;
  if (edge < 0 || at(edge) >= edge_weights_.size())
    throw Error(ErrorCode::bad_tree, "edge of " + std::to_string(dependent) + " is " +
                                         std::to_string(edge) + ", not an edge 0.." +
                                         std::to_string(edge_weights_.size() - 1));
  return edge_weights_[at(edge)] - weights_(head, dependent) - rest(head, dependent);
}

Graph ArcWeights::graph() const {
  if (multigraph_) return *multigraph_;
  return integers_.empty() ? view() : DenseView::dependent_head(integers_.data(), weights_.rows());
}

TreeList ArcWeights::empty_list() const {
  TreeList trees;
  TreeBuilder(trees).reset(graph());
  return trees;
}

void ArcWeights::append(std::span<const Node> heads, std::span<const EdgeId> edges,
                        TreeList& trees) const {
  const bool integers = graph().scalar() == Scalar::int64;
  auto row = TreeBuilder(trees).append(score(graph(), heads, edges),
                                       integers ? integer_score(graph(), heads, edges) : 0);
  std::ranges::copy(heads, row.heads.begin());
  std::ranges::copy(edges, row.edges.begin());
}

}  // namespace coppice::distribution
