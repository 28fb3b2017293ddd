// Batches: the number of threads changes nothing, and one bad sentence disturbs no other.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <coppice/batch.hpp>
#include <coppice/distribution.hpp>
#include <coppice/rule.hpp>
#include <limits>
#include <optional>
#include <stdexcept>

#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Matrix;
using testing::Weights;

TEST(Batch, ThreadsChangeNothing) {
  std::vector<Matrix> matrices;
  for (std::uint64_t seed = 1; seed <= 150; ++seed)
    matrices.push_back(
        testing::random_matrix(static_cast<Node>(2 + seed % 24), Weights::float32, 1.0, seed));
  matrices[70].floats[1] = std::numeric_limits<float>::quiet_NaN();
  std::vector<Graph> graphs;
  for (const auto& matrix : matrices) graphs.emplace_back(matrix.view());
  const Problem problem{.root = RootRule::single};
  const Request request{.k = 20};
  auto one = kbest_batch(graphs, problem, request, 1);
  for (int threads : {2, 3, 8}) {
    auto many = kbest_batch(graphs, problem, request, threads);
    ASSERT_EQ(many.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(many[i].failure.text, one[i].failure.text);
      EXPECT_TRUE(std::ranges::equal(many[i].trees.all_heads(), one[i].trees.all_heads()));
      EXPECT_TRUE(std::ranges::equal(many[i].trees.scores(), one[i].trees.scores()));
    }
  }
  EXPECT_FALSE(one[70].ok());
  EXPECT_EQ(one[70].failure.code, ErrorCode::bad_weight);
  EXPECT_NE(one[70].failure.text.find("NaN"), std::string::npos);
  EXPECT_EQ(std::count_if(one.begin(), one.end(), [](const auto& r) { return !r.ok(); }), 1);
}

TEST(Batch, BadLimitsAreAnErrorOfTheCall) {
  EXPECT_THROW(kbest_batch({}, {.root = RootRule::any}, {.k = 1}, 0), std::invalid_argument);
  EXPECT_THROW(kbest_batch({}, {.root = RootRule::any}, {.k = 0}, 1), std::invalid_argument);
}

// One sentence that a rule has a fault for sinks no corpus: it is said with the sentence, as NaN
// is.
TEST(Batch, WhatARuleThrowsIsTheFailureOfItsSentence) {
  const Matrix small = testing::random_matrix(4, Weights::float32, 1.0, 1);
  const Matrix large = testing::random_matrix(6, Weights::float32, 1.0, 2);
  const std::vector<Graph> graphs = {Graph(small.view()), Graph(large.view()), Graph(small.view())};
  std::atomic<int> judged = 0;  // of the large one: its first tree is legal
  const Rule rule("broken",
                  Rule::Function([&](Graph, const TreeRef& tree) -> std::optional<Clause> {
                    if (tree.heads.size() > 5 && ++judged == 2)
                      throw std::logic_error("a fault of the rule");
                    return std::nullopt;
                  }));
  const Problem problem{.root = RootRule::any, .rules = {rule}};
  for (int threads : {1, 2}) {
    auto results = kbest_batch(graphs, {.root = RootRule::any}, {.k = 2}, threads);
    judged = 0;
    kbest_batch(graphs, problem, {.k = 2}, threads, results);
    EXPECT_TRUE(results[0].ok() && results[2].ok());
    EXPECT_EQ(results[0].trees.size(), 2U);
    EXPECT_EQ(results[1].failure.code, ErrorCode::other);
    EXPECT_EQ(results[1].failure.text, "a fault of the rule");
    EXPECT_TRUE(results[1].trees.empty());
  }
  judged = 0;
  EXPECT_THROW(kbest(graphs[1], problem, {.k = 2}), std::logic_error);
}

TEST(DistributionBatch, IsTheSameForAnyNumberOfThreads) {
  std::vector<Matrix> matrices;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    matrices.push_back(
        testing::random_matrix(static_cast<Node>(1 + seed % 9), Weights::float32, 0.8, seed));
  matrices[5] = testing::random_matrix(3, Weights::continuous, 1.0, 1);
  matrices[5].doubles[2] = std::nan("");
  std::vector<Graph> views;
  for (const Matrix& matrix : matrices) views.emplace_back(matrix.view());
  DistributionOptions options{.problem = {.root = RootRule::single},
                              .marginals = true,
                              .entropy = true,
                              .min_risk = true,
                              .samples = 4,
                              .distinct_samples = 4,
                              .seed = 9};
  auto one = distribution_batch(views, options, 1), three = distribution_batch(views, options, 3);
  ASSERT_EQ(one.size(), views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_EQ(one[i].failure.text, three[i].failure.text);
    EXPECT_EQ(one[i].ok(), i != 5);
    EXPECT_EQ(one[i].log_partition, three[i].log_partition);
    EXPECT_EQ(one[i].marginals, three[i].marginals);
    EXPECT_EQ(one[i].entropy, three[i].entropy);
    EXPECT_TRUE(std::ranges::equal(one[i].samples.all_heads(), three[i].samples.all_heads()));
    EXPECT_TRUE(std::ranges::equal(one[i].distinct_samples.all_heads(),
                                   three[i].distinct_samples.all_heads()));
    if (!one[i].ok()) continue;
    auto alone =
        TreeDistribution(views[i], {.root = RootRule::single}).sample(4, sentence_seed(9, i));
    EXPECT_TRUE(std::ranges::equal(one[i].samples.all_heads(), alone.all_heads()));
  }
  EXPECT_NE(one[5].failure.text.find("0 -> 2 is NaN"), std::string::npos) << one[5].failure.text;
  EXPECT_THROW(distribution_batch(views, options, 0), std::invalid_argument);
  EXPECT_TRUE(distribution_batch({}, options, 2).empty());
}

}  // namespace
}  // namespace coppice
