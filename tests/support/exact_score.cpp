#include "support/exact_score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace coppice::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t integer_weight(Graph graph, const Tree& tree, Node v) {
  auto at = static_cast<std::size_t>(v);
  return graph.dense() != nullptr ? graph.dense()->at<std::int64_t>(tree.heads[at], v)
                                  : graph.multigraph()->integer_weight(tree.edges[at]);
}

double weight(Graph graph, const Tree& tree, Node v) {
  auto at = static_cast<std::size_t>(v);
  return graph.dense() != nullptr ? graph.dense()->weight(tree.heads[at], v)
                                  : graph.multigraph()->weight(tree.edges[at]);
}

// Of every edge that could be in a tree.
template <class Look>
void for_each_weight(Graph graph, const Look& look) {
  if (const Multigraph* edges = graph.multigraph()) {
    for (EdgeId e = 0; e < edges->edges(); ++e)
      if (edges->target(e) != 0 && edges->source(e) != edges->target(e) &&
          edges->weight(e) != kNoWeight)
        look(edges->target(e), edges->weight(e));
    return;
  }
  for (Node h = 0; h < graph.nodes(); ++h)
    for (Node d = 1; d < graph.nodes(); ++d)
      if (h != d && graph.dense()->weight(h, d) != kNoWeight) look(d, graph.dense()->weight(h, d));
}

// The value of the last binary digit.
double last_digit(double x) {
  if (!std::isfinite(x)) return 0.0;  // bad input, which is refused
  int exponent = 0;
  const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  return std::ldexp(static_cast<double>(digits & -digits), exponent - 53);
}

struct Range {
  double digit = kInfinity;  // all weights are whole multiples of it
  double largest = 0.0;      // magnitude
  double loss = 0.0;         // the largest between two edges into one node
};

Range range_of(Graph graph) {
  Range range;
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  std::vector<double> most(nodes, -kInfinity), least(nodes, kInfinity);
  for_each_weight(graph, [&](Node target, double weight) {
    if (weight != 0.0) range.digit = std::min(range.digit, last_digit(weight));
    range.largest = std::max(range.largest, std::abs(weight));
    const auto t = static_cast<std::size_t>(target);
    most[t] = std::max(most[t], weight);
    least[t] = std::min(least[t], weight);
  });
  for (std::size_t t = 1; t < nodes; ++t)
    if (most[t] > least[t]) range.loss = std::max(range.loss, most[t] - least[t]);
  return range;
}

}  // namespace

double compare(ExactSum a, const ExactSum& b) {
  a.subtract(b);
  return a.value();
}

double rounded(ExactSum sum) {
  double nearest = sum.value();
  for (bool up : {true, false}) {
    const double next = std::nextafter(nearest, up ? kInfinity : -kInfinity);
    ExactSum twice = sum;  // twice the sum, less both: on which side of the middle is it?
    twice.add(sum);
    twice.add(-nearest);
    twice.add(-next);
    const double side = up ? twice.value() : -twice.value();
    const bool odd = (std::bit_cast<std::uint64_t>(nearest) & 1) != 0;
    if (side > 0.0 || (side == 0.0 && odd)) nearest = next;
  }
  return nearest;
}

std::int64_t exact_integer_score(Graph graph, const Tree& tree) {
  std::int64_t sum = 0;
  if (graph.scalar() == Scalar::int64)
    for (Node v = 1; v < graph.nodes(); ++v) sum += integer_weight(graph, tree, v);
  return sum;
}

ExactSum sum_of(Graph graph, const Tree& tree) {
  ExactSum sum;
  for (Node v = 1; v < graph.nodes(); ++v) sum.add(weight(graph, tree, v));
  return sum;
}

double exact_score(Graph graph, const Tree& tree) {
  return graph.scalar() == Scalar::int64 ? static_cast<double>(exact_integer_score(graph, tree))
                                         : rounded(sum_of(graph, tree));
}

double Rounding::of(Graph graph, const Tree& tree) const {
  if (of_weights == 0.0 || graph.scalar() == Scalar::int64) return plain;
  double sum = 0.0;
  for (Node v = 1; v < graph.nodes(); ++v) sum += of_weights * std::abs(weight(graph, tree, v));
  return plain + sum;
}

double rounding_of(Graph graph) {
  if (graph.scalar() == Scalar::int64) return 0.0;
  const Range range = range_of(graph);
  int of_loss = 0, of_nodes = 0;
  std::frexp(range.loss, &of_loss);
  std::frexp(4.0 * graph.nodes(), &of_nodes);
  const double unit = std::ldexp(1.0, of_loss + 1 + of_nodes - 53);  // or less
  if (range.loss == 0.0 || range.digit >= unit) return 0.0;
  // Every loss of a tree, and of the best one, is rounded; then the score.
  return graph.nodes() * (unit + 0x1p-53 * range.largest);
}

double rounding_of_plain_sums(Graph graph) {
  if (graph.scalar() == Scalar::int64) return 0.0;
  const Range range = range_of(graph);
  const double words = graph.words();
  if (words * range.largest <= 0x1p53 * range.digit) return 0.0;
  // Of sums of few terms, and of many, where each addition may round.
  return std::max(0x1p-47, 0x1p-53 * words) * words * range.largest;
}

}  // namespace coppice::testing
