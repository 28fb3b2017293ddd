#include "support/generate.hpp"

#include <cmath>

namespace coppice::testing {
namespace {

double draw(Weights weights, std::mt19937_64& random) {
  double uniform = std::uniform_real_distribution<double>(0.0, 1.0)(random);
  switch (weights) {
    case Weights::continuous:
      return uniform;
    case Weights::negative:
      return 3.0 * std::log(uniform + 1e-9);
    case Weights::small_integers:
      return std::floor(4.0 * uniform);
    case Weights::equal:
      return 0.1;
    case Weights::offset:
      return 1e6 + uniform;
    case Weights::float32:
      return static_cast<float>(3.0 * std::log(uniform + 1e-9));
    case Weights::wide:
      return std::pow(10.0, 60.0 * uniform - 30.0) * (random() % 2 == 0 ? 1.0 : -1.0);
  }
  return 0.0;
}

}  // namespace

std::string name(Weights weights) {
  switch (weights) {
    case Weights::continuous:
      return "continuous";
    case Weights::negative:
      return "negative";
    case Weights::small_integers:
      return "small integers";
    case Weights::equal:
      return "equal";
    case Weights::offset:
      return "offset";
    case Weights::float32:
      return "float32";
    case Weights::wide:
      return "wide";
  }
  return "?";
}

Matrix random_matrix(Node words, Weights weights, double density, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto n = static_cast<std::size_t>(words + 1);
  // What may not be read is poison.
  Matrix matrix{words + 1, std::vector<double>(n * n, std::nan("")), {}};
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t d = 1; d < n; ++d) {
      bool present = std::uniform_real_distribution<double>(0.0, 1.0)(random) < density;
      double weight = draw(weights, random);
      if (h != d) matrix.doubles[h * n + d] = present ? weight : kNoWeight;
    }
  }
  if (weights == Weights::float32)
    matrix.floats.assign(matrix.doubles.begin(), matrix.doubles.end());
  return matrix;
}

Multigraph random_multigraph(Node words, Node edges, Weights weights, std::uint64_t seed,
                             Scalar scalar) {
  std::mt19937_64 random(seed);
  Multigraph graph(words + 1, scalar);
  for (Node e = 0; e < edges; ++e) {
    // Self-loops and edges into the root are drawn too: they must be passed over.
    auto source = static_cast<Node>(random() % static_cast<std::uint64_t>(words + 1));
    auto target = static_cast<Node>(random() % static_cast<std::uint64_t>(words + 1));
    double weight = draw(weights, random);
    if (scalar == Scalar::int64)
      graph.add_edge(source, target, static_cast<std::int64_t>(weight * 0x1p55));
    else
      graph.add_edge(source, target, weight);
  }
  return graph;
}

Matrix matrix_of(const std::vector<std::vector<double>>& rows) {
  auto n = rows.size();
  Matrix matrix{static_cast<Node>(n), std::vector<double>(n * n, std::nan("")), {}};
  for (std::size_t h = 0; h < n; ++h)
    for (std::size_t d = 1; d < n; ++d)
      if (h != d) matrix.doubles[h * n + d] = rows[h][d - 1];
  return matrix;
}

}  // namespace coppice::testing
