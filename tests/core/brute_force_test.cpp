// Every engine against brute force: all tiny graphs, and many thousand random ones.
#include <gtest/gtest.h>

#include <coppice/paper.hpp>

#include "support/effort.hpp"
#include "support/engines.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::expect_brute_force;
using testing::Weights;

// Graph number `code` with weights from {-inf, 0, 1}: one base-3 digit per edge.
testing::Matrix ternary(Node words, int code) {
  const double weights[] = {kNoWeight, 0.0, 1.0};
  auto n = static_cast<std::size_t>(words + 1);
  std::vector<std::vector<double>> rows(n, std::vector<double>(n - 1, 0.0));
  for (std::size_t h = 0; h < n; ++h)
    for (std::size_t d = 1; d < n; ++d)
      if (h != d) {
        rows[h][d - 1] = weights[code % 3];
        code /= 3;
      }
  return testing::matrix_of(rows);
}

TEST(BruteForce, AllGraphsOfUpToThreeWords) {
  const int graphs[] = {0, 3, 81, 19683};
  for (Node words = 1; words <= 3; ++words)
    for (int code = 0; code < graphs[words] && !HasFailure(); code += 3 * testing::one_of() - 2)
      expect_brute_force(ternary(words, code).view(),
                         "ternary(" + std::to_string(words) + ", " + std::to_string(code) + ")");
}

TEST(BruteForce, RandomMatrices) {
  struct Size {
    Node words;
    int graphs;
  };
  std::uint64_t seed = 1;
  for (Size size : {Size{1, 4}, Size{2, 20}, Size{3, 60}, Size{4, 60}, Size{5, 8}, Size{6, 1}}) {
    // These alone take minutes, under a sanitizer those of five words, too.
    if (testing::one_of() > 1 && size.words > (testing::one_of() > 9 ? 4 : 5)) continue;
    for (Weights weights : testing::kAllWeights)
      for (double density : {0.2, 0.4, 0.6, 0.8, 1.0})
        for (int i = 0; i < testing::share(size.graphs) && !HasFailure(); ++i, ++seed)
          expect_brute_force(testing::random_matrix(size.words, weights, density, seed).view(),
                             "random_matrix(" + std::to_string(size.words) + ", " +
                                 testing::name(weights) + ", " + std::to_string(density) + ", " +
                                 std::to_string(seed) + ")");
  }
}

TEST(BruteForce, RandomMultigraphs) {
  for (std::uint64_t seed = 1; seed <= testing::share(600U) && !HasFailure(); ++seed) {
    Weights weights = testing::kAllWeights[seed % std::size(testing::kAllWeights)];
    auto words = static_cast<Node>(1 + seed % 4);
    auto edges = static_cast<Node>(words * 2 + static_cast<Node>(seed % 7));
    Scalar scalar = seed % 5 == 0 ? Scalar::int64 : Scalar::float64;
    if (scalar == Scalar::int64) weights = Weights::continuous;
    const auto graph = testing::random_multigraph(words, edges, weights, seed, scalar);
    expect_brute_force(graph, "random_multigraph(" + std::to_string(words) + ", " +
                                  std::to_string(edges) + ", " + testing::name(weights) + ", " +
                                  std::to_string(seed) + ")");
  }
}

TEST(BruteForce, IntegerMatrices) {
  // Weights near the largest allowed, differing in the last digit: float64 could not tell them
  // apart.
  for (std::uint64_t seed = 1; seed <= testing::share(100U) && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> weights(16);
    for (auto& weight : weights)
      weight = (std::int64_t{1} << 57) + static_cast<std::int64_t>(random() % 5);
    expect_brute_force(DenseView::head_dependent(weights.data(), 4),
                       "seed " + std::to_string(seed));
  }
}

// Any strides: the same matrix transposed, reversed and padded.
TEST(BruteForce, Strides) {
  auto matrix = testing::random_matrix(3, Weights::continuous, 0.9, 7);
  std::vector<double> transposed(16), reversed(16), padded(4 * 11);
  for (std::size_t h = 0; h < 4; ++h)
    for (std::size_t d = 0; d < 4; ++d) {
      double weight = matrix.doubles[h * 4 + d];
      transposed[d * 4 + h] = weight;
      reversed[15 - (h * 4 + d)] = weight;
      padded[h * 11 + d * 2] = weight;
    }
  auto expected = paper::KBest(matrix.view()).next();
  for (DenseView view :
       {DenseView::dependent_head(transposed.data(), 4), DenseView(reversed.data() + 15, 4, -4, -1),
        DenseView(padded.data(), 4, 11, 2)}) {
    EXPECT_EQ(paper::KBest(view).next(), expected);
    expect_brute_force(view, "strides");
  }
}

}  // namespace
}  // namespace coppice
