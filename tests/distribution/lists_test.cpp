// Minimum risk, and K-best lists as distributions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/distribution.hpp>
#include <coppice/verify.hpp>
#include <numeric>

#include "distribution/truth.hpp"
#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::kBothRules;
using testing::Matrix;
using testing::Weights;

TreeList list_of(const std::vector<Tree>& trees, Node nodes) {
  TreeList list;
  TreeBuilder(list).reset(nodes, false, false);
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    std::ranges::copy(trees[rank].heads,
                      TreeBuilder(list).append(trees[rank].score, 0).heads.begin());
  return list;
}

TEST(MinRisk, BeatsEveryTree) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (RootRule rule : kBothRules) {
      Matrix matrix = testing::random_matrix(4, Weights::negative, seed % 3 == 0 ? 0.6 : 1.0, seed);
      TreeDistribution trees(matrix.view(), {.root = rule});
      auto decoded = trees.min_risk();
      auto all = testing::truth(matrix, rule).probability;
      ASSERT_EQ(decoded.has_value(), !all.empty());
      if (!decoded) continue;
      EXPECT_TRUE(all.contains(decoded->tree.heads));
      EXPECT_EQ(decoded->tree.score, score(matrix.view(), decoded->tree.heads));
      double best = 0.0, own = 0.0;
      for (const auto& [mine, unused] : all) {
        double expected = 0.0;
        for (const auto& [theirs, probability] : all)
          for (std::size_t word = 1; word < mine.size(); ++word)
            if (mine[word] == theirs[word]) expected += probability;
        EXPECT_NEAR(trees.expected_correct(mine), expected, 1e-12);
        best = std::max(best, expected);
        if (mine == decoded->tree.heads) own = expected;
      }
      EXPECT_NEAR(decoded->expected_correct, own, 1e-12);
      EXPECT_NEAR(own, best, 1e-12);
    }
}

// All arcs but the likely ones have probability 0 in float64; the answer must still be a tree of
// the graph.
TEST(MinRisk, KeepsToTheGraphWhereProbabilitiesVanish) {
  Matrix matrix = testing::matrix_of(
      {{0, -1e4, kNoWeight}, {0, 0, 0}, {kNoWeight, 0, kNoWeight}, {-1e4, -1e4, 0}});
  for (RootRule rule : kBothRules)
    EXPECT_EQ(TreeDistribution(matrix.view(), {.root = rule}).min_risk()->tree.heads,
              (std::vector<Node>{-1, 0, 1, 1}));
}

TEST(Lists, ProbabilitiesAndCoverage) {
  Matrix matrix = testing::random_matrix(4, Weights::negative, 1.0, 2);
  for (RootRule rule : kBothRules) {
    auto trees = testing::brute_force(matrix.view(), {.root = rule}, {.k = 10});
    auto list = list_of(trees, matrix.nodes);
    auto truth = testing::truth(matrix, rule).probability;
    TreeDistribution distribution(matrix.view(), {.root = rule});
    auto log_probs = distribution.log_probs(list);
    auto within = list_probabilities(list);
    ASSERT_EQ(log_probs.size(), 10u);
    double covered = 0.0;
    for (double log_prob : log_probs) covered += std::exp(log_prob);
    EXPECT_EQ(distribution.mass(list), covered);
    for (std::size_t rank = 0; rank < 10; ++rank) {
      EXPECT_NEAR(std::exp(log_probs[rank]), truth[trees[rank].heads], 1e-13);
      EXPECT_NEAR(within[rank], truth[trees[rank].heads] / covered, 1e-13);
    }
  }
  EXPECT_TRUE(list_probabilities(TreeList()).empty());
}

// All trees that are allowed have probability 1 together, in proportion to exp(score).
TEST(Lists, ProbabilitiesOfWhatIsAllowed) {
  Multigraph graph = testing::random_multigraph(5, 60, Weights::negative, 3);
  Matrix matrix = testing::random_matrix(4, Weights::negative, 1.0, 4);
  auto expect_distribution = [](Graph of, const Problem& problem) {
    TreeList trees = kbest(of, problem, {.k = 1'000'000});
    ASSERT_FALSE(trees.empty());
    auto log_prob = TreeDistribution(of, problem).log_probs(trees);
    double covered = 0.0;
    for (std::size_t rank = 0; rank < trees.size(); ++rank) {
      covered += std::exp(log_prob[rank]);
      EXPECT_NEAR(log_prob[0] - log_prob[rank], trees.gap(rank), 1e-12);
    }
    EXPECT_NEAR(covered, 1.0, 1e-12);
  };
  for (RootRule rule : kBothRules)
    for (const auto& [required, forbidden] : {std::pair<std::vector<Arc>, std::vector<Arc>>{},
                                              {{{2, 1}}, {}},
                                              {{}, {{1, 2}, {3, 4}}}}) {
      const Problem problem{.root = rule, .required = required, .forbidden = forbidden};
      expect_distribution(graph, problem);
      expect_distribution(matrix.view(), problem);
    }
  const Problem costs{.root = RootRule::any, .objective = Objective::minimize};
  EXPECT_THROW(TreeDistribution(graph, costs).log_probs({}), std::invalid_argument);
}

TEST(Lists, ExpectedAttachment) {
  Matrix matrix = testing::random_matrix(5, Weights::negative, 1.0, 2);
  auto trees = testing::brute_force(matrix.view(), {.root = RootRule::single}, {.k = 20});
  auto list = list_of(trees, matrix.nodes);
  auto probability = list_probabilities(list);
  auto expected = expected_attachment(list);
  for (std::size_t mine = 0; mine < trees.size(); ++mine) {
    double sum = 0.0;
    for (std::size_t theirs = 0; theirs < trees.size(); ++theirs)
      for (std::size_t word = 1; word < 6; ++word)
        if (trees[mine].heads[word] == trees[theirs].heads[word]) sum += probability[theirs];
    EXPECT_NEAR(expected[mine], sum, 1e-12);
  }
}

TEST(Lists, MassStreamStopsOnceTheMassIsCovered) {
  for (RootRule rule : kBothRules)
    for (double mass : {0.01, 0.5, 0.95, 1.0}) {
      Matrix matrix = testing::random_matrix(5, Weights::negative, 1.0, 4);
      auto truth = testing::truth(matrix, rule).probability;
      MassStream stream(matrix.view(), {.root = rule}, mass);
      double covered = 0.0, before = 0.0, last = 1.0;
      while (auto item = stream.next()) {
        EXPECT_NEAR(item->probability, truth.at(item->tree.heads), 1e-13);
        EXPECT_LE(item->probability, last * (1.0 + 1e-12));
        last = item->probability;
        before = covered;
        covered += item->probability;
        EXPECT_NEAR(item->covered, covered, 1e-12);
      }
      EXPECT_NEAR(stream.covered(), covered, 1e-12);
      EXPECT_LE(stream.covered(), 1.0);
      EXPECT_GE(covered, mass - 1e-9);  // all the mass may be a rounding error less than 1
      EXPECT_LT(before, mass);
    }
  Matrix matrix = testing::random_matrix(3, Weights::negative, 1.0, 1);
  for (double mass : {0.0, -1.0, 1.5, std::nan("")})
    EXPECT_THROW(MassStream(matrix.view(), {.root = RootRule::any}, mass), std::invalid_argument);
  matrix = testing::matrix_of({{kNoWeight, 1}, {1, 1}, {kNoWeight, 1}});
  EXPECT_FALSE(MassStream(matrix.view(), {.root = RootRule::any}, 0.9).next().has_value());
}

}  // namespace
}  // namespace coppice
