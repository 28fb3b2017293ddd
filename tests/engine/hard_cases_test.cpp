// Inputs that could make an engine slow, wrong or hungry.
#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <coppice/verify.hpp>
#include <set>

#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/engines.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Weights;

void expect_distinct_and_sorted(const TreeList& trees, RootRule rule) {
  std::set<std::vector<Node>> seen;
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    auto heads = trees.heads(rank);
    EXPECT_TRUE(is_tree(heads) && obeys(heads, rule));
    EXPECT_TRUE(seen.emplace(heads.begin(), heads.end()).second);
    if (rank > 0) {
      EXPECT_GE(trees.score(rank - 1), trees.score(rank));
    }
  }
}

TEST(HardCases, AllWeightsEqual) {
  auto matrix = testing::random_matrix(12, Weights::equal, 1.0, 1);
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    auto trees = kbest(matrix.view(), {.root = rule}, {.k = 100'000});
    EXPECT_EQ(trees.size(), 100'000u);
    expect_distinct_and_sorted(trees, rule);
  }
}

TEST(HardCases, WideWeights) {
  // From 1e-30 to 1e30: what one sum swallows another one shows.
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    auto matrix = testing::random_matrix(static_cast<Node>(2 + seed % 3), Weights::wide,
                                         seed % 2 == 0 ? 1.0 : 0.6, seed);
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      auto truth = testing::brute_force(matrix.view(), {.root = rule});
      for (std::int64_t k : {1, 2, 5, 20, 1000}) {
        auto trees = kbest(matrix.view(), {.root = rule}, {.k = k});
        ASSERT_EQ(trees.size(), std::min(truth.size(), static_cast<std::size_t>(k)));
        for (std::size_t rank = 0; rank < trees.size(); ++rank)
          EXPECT_NEAR(trees.score(rank), truth[rank].score,
                      testing::Rounding(0.0, 0x1p-26).of(matrix.view(), truth[rank]))
              << "seed " << seed << ", k " << k;
      }
    }
  }
}

TEST(HardCases, LargeDense) {
  auto matrix = testing::random_matrix(1000, Weights::continuous, 1.0, 5);
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    auto trees = kbest(matrix.view(), {.root = rule}, {.k = 20});
    EXPECT_EQ(trees.size(), 20u);
    expect_distinct_and_sorted(trees, rule);
    auto certified = certified_best(matrix.view(), {.root = rule});
    EXPECT_EQ(trees.score(0), certified->tree.score);
    EXPECT_EQ(trees.score(0), best(matrix.view(), {.root = rule})->score);
  }
}

TEST(HardCases, StarsAndChains) {
  const Node words = 300;
  Multigraph star(words + 1), chain(words + 1);
  for (Node v = 1; v <= words; ++v) {
    star.add_edge(0, v, 1.0);
    star.add_edge(v == 1 ? 2 : 1, v, 1.0 - 1e-3 * v);
    chain.add_edge(v - 1, v, 1.0);
    if (v > 1) chain.add_edge(v, v - 1, 2.0);  // every pair of neighbours is a cycle
    if (v > 2) chain.add_edge(v - 2, v, 0.5 - 1e-4 * v);
  }
  for (const Multigraph* graph : {&star, &chain}) {
    auto trees = kbest(*graph, {.root = RootRule::any}, {.k = 300});
    EXPECT_EQ(trees.size(), 300u);
    expect_distinct_and_sorted(trees, RootRule::any);
  }
  EXPECT_EQ(kbest(star, {.root = RootRule::any}, {.k = 2}).score(1), words - 1e-3);
}

TEST(HardCases, EnginesAgreeOnMiddlingGraphs) {
  std::uint64_t seed = 1;
  for (Node words : {8, 12, 20})
    for (Weights weights : testing::kAllWeights) {
      if (weights == Weights::equal) continue;
      for (double density : {0.3, 1.0}) {
        ++seed;
        testing::expect_agreement(testing::random_matrix(words, weights, density, seed).view(), 40,
                                  std::to_string(seed));
      }
    }
}

// Components nested deeply, the kind that contraction makes of sparse graphs.
TEST(HardCases, EnginesAgreeOnSparseGraphs) {
  for (std::uint64_t seed = 1; seed <= testing::share(60u); ++seed) {
    auto nodes = static_cast<Node>(10 + seed);
    for (Weights weights : {Weights::continuous, Weights::small_integers}) {
      auto graph = testing::random_multigraph(nodes, 3 * nodes, weights, seed);
      for (Node v = 1; v < graph.nodes(); ++v) graph.add_edge(v - 1, v, 0.0);
      testing::expect_agreement(graph, 60, "seed " + std::to_string(seed));
    }
  }
}

TEST(HardCases, LargeSparse) {
  auto graph = testing::random_multigraph(testing::large(20'000), testing::large(200'000),
                                          Weights::continuous, 3);
  for (Node v = 1; v < graph.nodes(); ++v) graph.add_edge(v % 100 == 0 ? 0 : v - 1, v, 0.1);
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    auto certified = certified_best(graph, {.root = rule});
    ASSERT_TRUE(certified);
    EXPECT_EQ(check_certificate(graph, {.root = rule}, certified->tree, certified->certificate),
              "");
    auto trees = kbest(graph, {.root = rule}, {.k = 200});
    EXPECT_EQ(trees.size(), 200u);
    for (std::size_t rank = 1; rank < trees.size(); ++rank) {
      EXPECT_TRUE(is_tree(trees.heads(rank)) && obeys(trees.heads(rank), rule));
      EXPECT_GE(trees.score(rank - 1), trees.score(rank));
    }
  }
}

}  // namespace
}  // namespace coppice
