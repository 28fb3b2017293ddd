// Weights at the ends of their range: denormals, 1e300, int64 near overflow, sums that round.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/distribution.hpp>
#include <coppice/kbest.hpp>
#include <coppice/verify.hpp>
#include <functional>
#include <limits>

#include "support/effort.hpp"
#include "support/engines.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

// A dense graph whose weights are those given, in turn.
template <class T>
std::vector<T> filled(Node nodes, const std::vector<T>& weights, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> matrix(static_cast<std::size_t>(nodes * nodes));
  for (T& weight : matrix) weight = weights[random() % weights.size()];
  return matrix;
}

TEST(Numbers, Denormals) {
  const double least = std::numeric_limits<double>::denorm_min();
  for (std::uint64_t seed = 1; seed <= testing::share(20U) && !HasFailure(); ++seed) {
    // Multiples of the least number there is: sums are exact.
    auto doubles = filled<double>(4, {least, 2 * least, 7 * least, -3 * least, 0.0, -0.0}, seed);
    testing::expect_brute_force(DenseView::head_dependent(doubles.data(), 4),
                                "denormals " + std::to_string(seed));
    auto floats = filled<float>(4, {0x1p-149F, 0x1p-148F, -0x1p-149F, 0x1p-126F, 0.0F}, seed);
    testing::expect_brute_force(DenseView::head_dependent(floats.data(), 4),
                                "float32 denormals " + std::to_string(seed));
  }
}

TEST(Numbers, Huge) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    auto matrix = filled<double>(4, {1e300, 2e300, -3e300, 0.5e300, 1e-300, kNoWeight}, seed);
    testing::expect_brute_force(DenseView::head_dependent(matrix.data(), 4),
                                "huge " + std::to_string(seed));
  }
  // A sum that could overflow is refused, whichever edge it is and whoever is asked.
  for (double weight : {1e308, -1e308}) {
    auto matrix = filled<double>(3, {weight, 1.0}, 3);
    const Graph graph = DenseView::head_dependent(matrix.data(), 3);
    for (const auto& engine : testing::engines())
      EXPECT_THROW(engine.run(graph, Objective::maximize, 3), std::invalid_argument) << engine.name;
    EXPECT_THROW(certified_best(graph, {.root = RootRule::any}), std::invalid_argument);
    EXPECT_THROW(TreeDistribution(*graph.dense(), {.root = RootRule::any}), std::invalid_argument);
  }
}

TEST(Numbers, InfinityInALargeGraph) {
  constexpr Node kNodes = 300;
  for (Objective objective : {Objective::maximize, Objective::minimize})
    for (bool by_dependent : {false, true}) {
      auto matrix = filled<double>(kNodes, {1.0, 2.0, 3.0, 4.0}, 1);
      const DenseView view = by_dependent ? DenseView::dependent_head(matrix.data(), kNodes)
                                          : DenseView::head_dependent(matrix.data(), kNodes);
      const Problem problem{.root = RootRule::any, .objective = objective};
      double& weight = matrix[7 * kNodes + 9];
      weight = kNoWeight;  // this edge is missing
      const Node head = by_dependent ? 9 : 7, dependent = by_dependent ? 7 : 9;
      EXPECT_NE(best(view, problem)->heads[static_cast<std::size_t>(dependent)], head);
      for (double bad : {-kNoWeight, std::nan("")}) {
        weight = bad;
        EXPECT_THROW(best(view, problem), std::invalid_argument);
      }
      weight = 1.0;
      matrix[7 * kNodes + 7] = -kNoWeight;  // a loop: nobody looks at it
      EXPECT_TRUE(best(view, problem).has_value());
    }
}

TEST(Numbers, FloatsAtTheEndOfTheirRange) {
  // No sum of float32 overflows a float64.
  const float most = std::numeric_limits<float>::max();
  for (std::uint64_t seed = 1; seed <= testing::share(20U) && !HasFailure(); ++seed) {
    auto matrix = filled<float>(4, {most, -most, most / 2, 1.0F, -0x1p-149F}, seed);
    testing::expect_brute_force(DenseView::head_dependent(matrix.data(), 4),
                                "float32 " + std::to_string(seed));
  }
}

TEST(Numbers, IntegersNearOverflow) {
  // As large as can be for 3 words, and apart by 1: float64 could not tell them apart.
  const std::int64_t large = (std::int64_t{1} << 58) - 3;
  for (std::uint64_t seed = 1; seed <= testing::share(40U) && !HasFailure(); ++seed) {
    auto matrix =
        filled<std::int64_t>(4, {large, large - 1, large - 2, -large, 1 - large, 0}, seed);
    testing::expect_brute_force(DenseView::head_dependent(matrix.data(), 4),
                                "int64 " + std::to_string(seed));
  }
}

TEST(Numbers, IntegersThatCouldOverflowAreRefused) {
  for (std::int64_t weight : {kMost, kLeast, kLeast + 1, kMost / 8, -(kMost / 8)}) {
    const std::vector<std::int64_t> matrix = {0, weight, 1, 0, 0, 1, 0, 1, 0};
    Multigraph edges(3, Scalar::int64);
    edges.add_edge(0, 1, weight);
    edges.add_edge(0, 2, std::int64_t{1});
    for (const Graph graph : {Graph(DenseView::head_dependent(matrix.data(), 3)), Graph(edges)}) {
      for (const auto& engine : testing::engines())
        for (Objective objective : {Objective::maximize, Objective::minimize})
          EXPECT_THROW(engine.run(graph, objective, 3), std::invalid_argument) << engine.name;
      EXPECT_THROW(certified_best(graph, {.root = RootRule::any}), std::invalid_argument);
    }
  }
}

TEST(Numbers, ASumThatOverflowsIsNoScore) {
  const std::vector<std::int64_t> matrix = {0, kMost, 1, 0, 0, kMost, 0, 1, 0};
  const Graph graph = DenseView::head_dependent(matrix.data(), 3);
  const std::vector<Node> heads = {kNoNode, 0, 1};
  EXPECT_THROW(integer_score(graph, heads), std::invalid_argument);
  EXPECT_THROW(score(graph, heads), std::invalid_argument);
  EXPECT_EQ(integer_score(graph, std::vector<Node>{kNoNode, 2, 0}), 2);
}

TEST(Numbers, ListsAreSortedByWhatTheyReport) {
  for (std::uint64_t seed = 1; seed <= testing::share(40U) && !HasFailure(); ++seed) {
    auto matrix = filled<double>(4, {0.1, 0.2, 0.3, 0.7, 1.1, -0.6}, seed);
    testing::expect_brute_force(DenseView::head_dependent(matrix.data(), 4),
                                "tenths " + std::to_string(seed));
  }
  // Enough words and ties for every way the engine has.
  for (Node nodes : {9, 14, 30}) {
    auto matrix = filled<double>(nodes, {0.1, 0.2, 0.3, 0.7}, 5);
    const DenseView view = DenseView::head_dependent(matrix.data(), nodes);
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      for (std::int64_t k : {2, 100, 3000}) {
        const TreeList trees = kbest(view, {.root = rule}, {.k = k});
        EXPECT_EQ(trees.size(), static_cast<std::size_t>(k));
        EXPECT_TRUE(std::is_sorted(trees.scores().begin(), trees.scores().end(), std::greater<>()));
        for (std::size_t rank = 0; rank < trees.size(); ++rank)
          EXPECT_NEAR(trees.score(rank), testing::exact_score(view, trees.copy(rank)),
                      testing::rounding_of(view));
      }
    }
  }
}

}  // namespace
}  // namespace coppice
