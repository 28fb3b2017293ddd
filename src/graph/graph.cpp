#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/graph.hpp>
#include <string>
#include <type_traits>

#include "graph/large_arrays.hpp"
#include "graph/phrases.hpp"

namespace coppice {
namespace {

Node checked_nodes(std::int64_t nodes) {
  if (nodes < 2)
    throw Error(ErrorCode::bad_graph,
                "empty graph: " + counted(nodes, "node") + ", need the root and at least one word");
  if (nodes > kMaxNodes)
    throw Error(ErrorCode::bad_graph, "graph too large: " + std::to_string(nodes) +
                                          " nodes, at most " + std::to_string(kMaxNodes));
  return static_cast<Node>(nodes);
}

}  // namespace

DenseView::DenseView(const void* data, std::int64_t nodes, std::ptrdiff_t head_stride,
                     std::ptrdiff_t dependent_stride, Scalar scalar)
    : data_(data),
      head_stride_(head_stride),
      dependent_stride_(dependent_stride),
      nodes_(checked_nodes(nodes)),
      scalar_(scalar) {
  if (data == nullptr) throw Error(ErrorCode::bad_graph, "score matrix: null pointer");
}

DenseView::DenseView(const float* data, std::int64_t nodes, std::ptrdiff_t head_stride,
                     std::ptrdiff_t dependent_stride)
    : DenseView(data, nodes, head_stride, dependent_stride, Scalar::float32) {}

DenseView::DenseView(const double* data, std::int64_t nodes, std::ptrdiff_t head_stride,
                     std::ptrdiff_t dependent_stride)
    : DenseView(data, nodes, head_stride, dependent_stride, Scalar::float64) {}

DenseView::DenseView(const std::int64_t* data, std::int64_t nodes, std::ptrdiff_t head_stride,
                     std::ptrdiff_t dependent_stride)
    : DenseView(data, nodes, head_stride, dependent_stride, Scalar::int64) {}

double DenseView::weight(Node head, Node dependent) const {
  switch (scalar_) {
    case Scalar::float32:
      return at<float>(head, dependent);
    case Scalar::float64:
      return at<double>(head, dependent);
    case Scalar::int64:
      return static_cast<double>(at<std::int64_t>(head, dependent));
  }
  return kNoWeight;
}

Multigraph::Multigraph(std::int64_t nodes, Scalar scalar)
    : nodes_(checked_nodes(nodes)), scalar_(scalar) {
  if (scalar == Scalar::float32)
    throw Error(ErrorCode::bad_graph, "multigraph weights are float64 or int64, not float32");
}

EdgeId Multigraph::add_endpoints(Node source, Node target, Scalar scalar) {
  auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::bad_graph, "edge " + std::to_string(sources_.size()) + ": " + what);
  };
  auto check_node = [&](const char* end, Node node) {
    if (node < 0 || node >= nodes_)
      fail(std::string(end) + " " + std::to_string(node) + " is not a node 0.." +
           std::to_string(nodes_ - 1));
  };
  check_node("source", source);
  check_node("target", target);
  if (scalar != scalar_)
    fail(std::string("weight is not of the graph's type (") +
         (scalar_ == Scalar::int64 ? "int64" : "float64") + ")");
  if (sources_.size() >= static_cast<std::size_t>(std::numeric_limits<EdgeId>::max()))
    fail("too many edges");
  sources_.push_back(source);
  targets_.push_back(target);
  return static_cast<EdgeId>(sources_.size() - 1);
}

EdgeId Multigraph::add_edge(Node source, Node target, double weight) {
  if (std::isnan(weight) || weight == std::numeric_limits<double>::infinity())
    throw Error(ErrorCode::bad_weight, "edge " + std::to_string(sources_.size()) + " (" +
                                           std::to_string(source) + " -> " +
                                           std::to_string(target) + "): weight is " +
                                           (std::isnan(weight) ? "NaN" : "+inf"));
  EdgeId edge = add_endpoints(source, target, Scalar::float64);
  weights_.push_back(weight);
  return edge;
}

EdgeId Multigraph::add_edge(Node source, Node target, std::int64_t weight) {
  EdgeId edge = add_endpoints(source, target, Scalar::int64);
  integer_weights_.push_back(weight);
  return edge;
}

void Multigraph::reserve(std::size_t edges) {
  reserve_large(sources_, edges);
  reserve_large(targets_, edges);
  if (scalar_ == Scalar::int64)
    reserve_large(integer_weights_, edges);
  else
    reserve_large(weights_, edges);
}

template <class W>
Multigraph Multigraph::build(std::int64_t nodes, Scalar scalar, std::span<const Node> sources,
                             std::span<const Node> targets, std::span<const W> weights) {
  if (sources.size() != targets.size() || sources.size() != weights.size())
    throw Error(ErrorCode::bad_graph,
                "edge arrays differ in length: " + counted(sources.size(), "source") + ", " +
                    counted(targets.size(), "target") + ", " + counted(weights.size(), "weight"));
  Multigraph graph(nodes, scalar);
  auto is_node = [&](Node v) { return v >= 0 && v < graph.nodes_; };
  auto is_weight = [](W weight) {
    return static_cast<double>(weight) < std::numeric_limits<double>::infinity();
  };
  if (sources.size() <= static_cast<std::size_t>(std::numeric_limits<EdgeId>::max()) &&
      std::all_of(sources.begin(), sources.end(), is_node) &&
      std::all_of(targets.begin(), targets.end(), is_node) &&
      std::all_of(weights.begin(), weights.end(), is_weight)) {
    graph.reserve(sources.size());
    graph.sources_.assign(sources.begin(), sources.end());
    graph.targets_.assign(targets.begin(), targets.end());
    if constexpr (std::is_same_v<W, double>)
      graph.weights_.assign(weights.begin(), weights.end());
    else
      graph.integer_weights_.assign(weights.begin(), weights.end());
    return graph;
  }
  // One of them is wrong: the first is named.
  for (std::size_t e = 0; e < sources.size(); ++e)
    graph.add_edge(sources[e], targets[e], weights[e]);
  return graph;
}

Multigraph Multigraph::from_edges(std::int64_t nodes, std::span<const Node> sources,
                                  std::span<const Node> targets, std::span<const double> weights) {
  return build(nodes, Scalar::float64, sources, targets, weights);
}

Multigraph Multigraph::from_edges(std::int64_t nodes, std::span<const Node> sources,
                                  std::span<const Node> targets,
                                  std::span<const std::int64_t> weights) {
  return build(nodes, Scalar::int64, sources, targets, weights);
}

double Multigraph::weight(EdgeId edge) const {
  auto e = static_cast<std::size_t>(edge);
  return scalar_ == Scalar::int64 ? static_cast<double>(integer_weights_[e]) : weights_[e];
}

std::int64_t Multigraph::integer_weight(EdgeId edge) const {
  return integer_weights_[static_cast<std::size_t>(edge)];
}

}  // namespace coppice
