#include "distribution/potentials.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/input.hpp"

namespace coppice::distribution {
namespace {

// Marks what can be reached from start (or what reaches it) without visiting the root on the way,
// by edges above a limit.
void mark(const Matrix<double>& weights, double limit, Node start, bool backwards,
          std::vector<bool>& seen) {
  std::vector<Node> stack{start};
  seen[static_cast<std::size_t>(start)] = true;
  auto unseen = std::count(seen.begin() + 1, seen.end(), false);
  while (!stack.empty() && unseen > 0) {
    Node from = stack.back();
    stack.pop_back();
    for (Node to = 1; to < weights.cols(); ++to) {
      double weight = backwards ? weights(to, from) : weights(from, to);
      if (!(weight > limit) || seen[static_cast<std::size_t>(to)]) continue;
      seen[static_cast<std::size_t>(to)] = true;
      --unseen;
      stack.push_back(to);
    }
  }
}

bool all_words(const std::vector<bool>& marked) {
  return std::all_of(marked.begin() + 1, marked.end(), [](bool is) { return is; });
}

// The words that reach all others; none where there is no such word. If there is one, it is the
// last to be started from when the words are searched one after the other.
std::vector<bool> find_core(const Matrix<double>& weights, double limit) {
  auto nodes = static_cast<std::size_t>(weights.cols());
  std::vector<bool> seen(nodes, false), core(nodes, false);
  Node last = 1;
  for (Node word = 1; word < weights.cols(); ++word) {
    if (seen[static_cast<std::size_t>(word)]) continue;
    mark(weights, limit, word, false, seen);
    last = word;
  }
  seen.assign(nodes, false);
  mark(weights, limit, last, false, seen);
  if (all_words(seen)) mark(weights, limit, last, true, core);
  return core;
}

// Whether edges above a limit make a tree.
bool has_tree(const Potentials& graph, double limit) {
  const Matrix<double>& weights = graph.log_weights;
  auto nodes = static_cast<std::size_t>(weights.cols());
  if (!graph.single) {
    std::vector<bool> seen(nodes, false);
    mark(weights, limit, 0, false, seen);
    return all_words(seen);
  }
  std::vector<bool> core = find_core(weights, limit);
  for (std::size_t word = 1; word < nodes; ++word)
    if (core[word] && weights(0, static_cast<Index>(word)) > limit) return true;
  return false;
}

void keep_core_root_edges(Potentials& graph) {
  if (!graph.single) return;
  graph.core = find_core(graph.log_weights, kNoWeight);
  for (Node word = 1; word < graph.log_weights.cols(); ++word)
    if (!graph.core[static_cast<std::size_t>(word)]) graph.log_weights(0, word) = kNoWeight;
}

// Without rounding, as far as two numbers can hold the difference.
void subtract(Potentials& graph, Index h, Index d, Parts amount) {
  double& high = graph.log_weights(h, d);
  double& low = graph.log_rest(h, d);
  if (high == kNoWeight) return;
  Parts difference = exact_difference(high, amount.high), rest = exact_difference(low, amount.low);
  Parts sum = exact_sum(difference.high, rest.high);
  high = sum.high;
  low = sum.low + (difference.low + rest.low);
}

// Subtracts from every column its maximum (for a single root that of the words): every tree has one
// edge into each word.
void rescale_columns(Potentials& graph) {
  Index nodes = graph.log_weights.cols();
  for (Index d = 1; d < nodes; ++d) {
    double maximum = graph.log_weights.col(d).tail(nodes - (graph.single ? 1 : 0)).maxCoeff();
    if (maximum == kNoWeight) continue;
    for (Index h = 0; h < nodes; ++h) subtract(graph, h, d, {maximum, 0.0});
    graph.shift.add(maximum);
  }
}

// For a single root: subtracts from the root's row its maximum, every tree having one root edge,
// and starts the order with the word that has it.
void rescale_root(Potentials& graph) {
  if (!graph.single) return;
  Index first;
  graph.log_weights.row(0).maxCoeff(&first);
  Parts maximum{graph.log_weights(0, first), graph.log_rest(0, first)};
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

Potentials make_potentials(const Matrix<double>& weights, RootRule root, bool all_trees) {
  Potentials graph;
  graph.log_weights = weights;
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
