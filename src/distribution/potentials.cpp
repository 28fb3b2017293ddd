#include "distribution/potentials.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "distribution/core.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"

namespace coppice::distribution {
namespace {

// Whether edges above a limit make a tree.
bool has_tree(const Potentials& graph, double limit) {
  auto nodes = static_cast<Node>(graph.log_weights.cols());
  auto edge = [&](Node h, Node d) { return graph.log_weights(h, d) > limit; };
  if (!graph.single) {
    std::vector<bool> seen(static_cast<std::size_t>(nodes), false);
    mark(nodes, 0, edge, seen);
    return all_words(seen);
  }
  std::vector<bool> core = find_core(nodes, edge);
  for (Node word = 1; word < nodes; ++word)
    if (core[static_cast<std::size_t>(word)] && edge(0, word)) return true;
  return false;
}

void keep_core_root_edges(Potentials& graph) {
  if (!graph.single) return;
  auto edge = [&](Node h, Node d) { return graph.log_weights(h, d) != kNoWeight; };
  graph.core = find_core(static_cast<Node>(graph.log_weights.cols()), edge);
  for (Node word = 1; word < graph.log_weights.cols(); ++word)
    if (!graph.core[static_cast<std::size_t>(word)]) graph.log_weights(0, word) = kNoWeight;
}

void subtract(Potentials& graph, Index h, Index d, Parts amount) {
  double& high = graph.log_weights(h, d);
  double& low = graph.log_rest(h, d);
  if (high == kNoWeight) return;
  Parts difference = exact_difference(Parts{high, low}, amount);
  high = difference.high;
  low = difference.low;
}

Parts larger(Parts a, Parts b) { return is_less(a, b) ? b : a; }

// Subtracts from every column its maximum (for a single root that of the words): every tree has one
// edge into each word.
void rescale_columns(Potentials& graph) {
  Index nodes = graph.log_weights.cols();
  for (Index d = 1; d < nodes; ++d) {
    poll();
    Parts maximum{kNoWeight, 0.0};
    for (Index h = graph.single ? 1 : 0; h < nodes; ++h)
      maximum = larger(maximum, {graph.log_weights(h, d), graph.log_rest(h, d)});
    if (maximum.high == kNoWeight) continue;
    for (Index h = 0; h < nodes; ++h) subtract(graph, h, d, maximum);
    graph.shift.add(maximum.high);
    graph.shift.add(maximum.low);
  }
}

// For a single root: subtracts from the root's row its maximum, every tree having one root edge,
// and starts the order with the word that has it.
void rescale_root(Potentials& graph) {
  if (!graph.single) return;
  Index first = 1;
  auto root_weight = [&](Index d) { return Parts{graph.log_weights(0, d), graph.log_rest(0, d)}; };
  for (Index d = 2; d < graph.log_weights.cols(); ++d)
    if (is_less(root_weight(first), root_weight(d))) first = d;
  const Parts maximum = root_weight(first);
  for (Index d = 1; d < graph.log_weights.cols(); ++d) subtract(graph, 0, d, maximum);
  graph.shift.add(maximum.high);
  graph.shift.add(maximum.low);
  std::iota(graph.order.begin(), graph.order.end(), 0);
  std::swap(graph.order[1], graph.order[static_cast<std::size_t>(first)]);
}

// Leaves out edges that cannot matter. No scaled weight is above 0, so that a tree with an edge
// below -N * limit - margin is exp(-margin) times as likely as one of edges above -limit, and there
// are at most N^N trees.
void leave_out_negligible(Potentials& graph) {
  constexpr double kMargin = 2000.0;
  auto nodes = static_cast<double>(graph.log_weights.cols());
  for (double limit : {64.0, -Wide::kLowest / 2.0 / nodes}) {
    double lowest = -nodes * limit - kMargin - nodes * std::log(nodes);
    if ((graph.log_weights.array() == kNoWeight || graph.log_weights.array() >= lowest).all())
      return;
    if (!has_tree(graph, -limit)) continue;
    graph.log_weights = (graph.log_weights.array() >= lowest).select(graph.log_weights, kNoWeight);
    keep_core_root_edges(graph);
    rescale_root(graph);
    return;
  }
}

}  // namespace

Matrix<double> read_weights(const DenseView& scores) {
  Node nodes = scores.nodes();
  Matrix<double> weights = Matrix<double>::Constant(nodes, nodes, kNoWeight);
  double largest = 0.0;
  for (Node d = 1; d < nodes; ++d) {
    poll();
    for (Node h = 0; h < nodes; ++h) {
      if (h == d) continue;
      double weight = scores.weight(h, d);
      check_weight(h, d, weight);
      weights(h, d) = weight;
      if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
    }
  }
  check_magnitude(largest, nodes);
  return weights;
}

Potentials make_potentials(const Matrix<double>& weights, RootRule root, bool all_trees,
                           const Matrix<double>* rest) {
  Potentials graph;
  graph.log_weights = weights;
  if (rest != nullptr)
    graph.log_rest = *rest;
  else
    graph.log_rest = Matrix<double>::Zero(weights.rows(), weights.cols());
  graph.single = root == RootRule::single;
  graph.order.resize(static_cast<std::size_t>(weights.cols()));
  std::iota(graph.order.begin(), graph.order.end(), 0);
  keep_core_root_edges(graph);
  graph.empty = !has_tree(graph, kNoWeight);
  if (graph.empty) return graph;
  rescale_columns(graph);
  rescale_root(graph);
  if (!all_trees) leave_out_negligible(graph);
  return graph;
}

double log_sum_exp(double a, double b) {
  double high = std::max(a, b), low = std::min(a, b);
  return low == kNoWeight ? high : high + std::log1p(std::exp(low - high));
}

}  // namespace coppice::distribution
