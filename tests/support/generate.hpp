// Random graphs of every character that users' graphs have, each from one seed.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace coppice::testing {

enum class Weights {
  continuous,      // uniform in [0, 1)
  negative,        // log-probabilities
  small_integers,  // 0..3: full of ties
  equal,           // all the same
  offset,          // 1e6 plus small differences
  float32,         // the same as float32 data
  wide,            // from 1e-30 to 1e30
};
inline constexpr Weights kAllWeights[] = {Weights::continuous,     Weights::negative,
                                          Weights::small_integers, Weights::equal,
                                          Weights::offset,         Weights::float32};
std::string name(Weights weights);

// An owned dense matrix [head][dependent]; missing edges are -inf.
struct Matrix {
  Node nodes;
  std::vector<double> doubles;
  std::vector<float> floats;  // Weights::float32

  DenseView view() const {
    if (!floats.empty()) return DenseView::head_dependent(floats.data(), nodes);
    return DenseView::head_dependent(doubles.data(), nodes);
  }
};

// Each edge is there with probability `density`.
Matrix random_matrix(Node words, Weights weights, double density, std::uint64_t seed);
Multigraph random_multigraph(Node words, Node edges, Weights weights, std::uint64_t seed,
                             Scalar scalar = Scalar::float64);

// Rows are heads 0..n, columns words 1..n, as such graphs are written down by hand; kNoWeight for a
// missing edge.
Matrix matrix_of(const std::vector<std::vector<double>>& rows);

}  // namespace coppice::testing
