#include "distribution/potentials.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/input.hpp"

namespace coppice::distribution {
namespace {

// Marks what can be reached from start (or what reaches it) without visiting the root on the way.
void mark(const Matrix<double>& weights, Node start, bool backwards, std::vector<bool>& seen) {
  std::vector<Node> stack{start};
  seen[static_cast<std::size_t>(start)] = true;
  auto unseen = std::count(seen.begin() + 1, seen.end(), false);
  while (!stack.empty() && unseen > 0) {
    Node from = stack.back();
    stack.pop_back();
    for (Node to = 1; to < weights.cols(); ++to) {
      double weight = backwards ? weights(to, from) : weights(from, to);
      if (weight == kNoWeight || seen[static_cast<std::size_t>(to)]) continue;
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
std::vector<bool> find_core(const Matrix<double>& weights) {
  auto nodes = static_cast<std::size_t>(weights.cols());
  std::vector<bool> seen(nodes, false), core(nodes, false);
  Node last = 1;
  for (Node word = 1; word < weights.cols(); ++word) {
    if (seen[static_cast<std::size_t>(word)]) continue;
    mark(weights, word, false, seen);
    last = word;
  }
  seen.assign(nodes, false);
  mark(weights, last, false, seen);
  if (all_words(seen)) mark(weights, last, true, core);
  return core;
}

void keep_core_root_edges(Potentials& graph) {
  graph.core = find_core(graph.log_weights);
  graph.empty = true;
  for (Node word = 1; word < graph.log_weights.cols(); ++word) {
    if (!graph.core[static_cast<std::size_t>(word)]) graph.log_weights(0, word) = kNoWeight;
    if (graph.log_weights(0, word) != kNoWeight) graph.empty = false;
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

Potentials make_potentials(const Matrix<double>& weights, RootRule root) {
  Potentials graph;
  graph.log_weights = weights;
  graph.single = root == RootRule::single;
  graph.order.resize(static_cast<std::size_t>(weights.cols()));
  std::iota(graph.order.begin(), graph.order.end(), 0);
  if (graph.single) {
    keep_core_root_edges(graph);
  } else {
    std::vector<bool> seen(graph.order.size(), false);
    mark(graph.log_weights, 0, false, seen);
    graph.empty = !all_words(seen);
  }
  if (graph.empty) return graph;
  graph.shift = rescale(graph.log_weights, graph.single);
  if (graph.single) {
    Index first;
    graph.log_weights.row(0).maxCoeff(&first);
    std::swap(graph.order[1], graph.order[static_cast<std::size_t>(first)]);
  }
  return graph;
}

double rescale(Matrix<double>& log_weights, bool single) {
  double shift = 0.0;
  auto subtract_maximum = [&](auto&& weights, double maximum) {
    if (maximum == kNoWeight) return;
    weights.array() -= maximum;
    shift += maximum;
  };
  for (Index d = 1; d < log_weights.cols(); ++d)
    subtract_maximum(log_weights.col(d),
                     log_weights.col(d).tail(log_weights.rows() - (single ? 1 : 0)).maxCoeff());
  if (single) subtract_maximum(log_weights.row(0), log_weights.row(0).maxCoeff());
  return shift;
}

double log_sum_exp(double a, double b) {
  double high = std::max(a, b), low = std::min(a, b);
  return low == kNoWeight ? high : high + std::log1p(std::exp(low - high));
}

}  // namespace coppice::distribution
