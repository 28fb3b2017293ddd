// Divergences, Renyi entropies, and means and covariances of functions of arcs, against the sum
// over all trees.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/distribution.hpp>
#include <limits>
#include <random>

#include "distribution/truth.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Heads;
using testing::kBothRules;
using testing::Matrix;
using testing::Weights;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> function_of(const Matrix& matrix, std::uint64_t seed, double scale) {
  std::mt19937_64 random(seed);
  std::vector<double> values(static_cast<std::size_t>(matrix.nodes * matrix.nodes));
  for (double& value : values)
    value = scale * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.3);
  return values;
}

double sum_over(const Heads& heads, const std::vector<double>& values) {
  double sum = 0.0;
  for (std::size_t d = 1; d < heads.size(); ++d)
    sum += values[static_cast<std::size_t>(heads[d]) * heads.size() + d];
  return sum;
}

TEST(Moments, AgainstAllTrees) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (double scale : {1.0, 30.0, 1e3})
      for (RootRule rule : kBothRules) {
        Matrix matrix =
            testing::random_matrix(4, Weights::continuous, seed % 3 == 0 ? 0.7 : 1.0, seed);
        for (double& weight : matrix.doubles) weight *= scale;
        auto all = testing::truth(matrix, rule).probability;
        TreeDistribution trees(matrix.view(), {.root = rule});
        auto f = function_of(matrix, seed, 1.0), g = function_of(matrix, seed + 1, 100.0);
        double mean_f = 0.0, mean_g = 0.0, covariance = 0.0, variance = 0.0;
        for (const auto& [heads, p] : all) {
          mean_f += p * sum_over(heads, f);
          mean_g += p * sum_over(heads, g);
        }
        std::vector<double> with_arcs(f.size(), 0.0);
        for (const auto& [heads, p] : all) {
          double above = sum_over(heads, f) - mean_f;
          variance += p * above * above;
          covariance += p * above * (sum_over(heads, g) - mean_g);
          for (std::size_t d = 1; d < heads.size(); ++d)
            with_arcs[static_cast<std::size_t>(heads[d]) * heads.size() + d] += p * above;
        }
        EXPECT_NEAR(trees.expectation(f), mean_f, 1e-12);
        EXPECT_NEAR(trees.variance(f), variance, 1e-12);
        EXPECT_NEAR(trees.covariance(f, g), covariance, 1e-10);
        EXPECT_NEAR(trees.covariance(g, f), covariance, 1e-10);
        auto found = trees.covariances(f);
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], with_arcs[i], 1e-12);
      }
}

TEST(Moments, DivergencesAgainstAllTrees) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (RootRule rule : kBothRules)
      for (RootRule other_rule : kBothRules) {
        Matrix one =
            testing::random_matrix(4, Weights::continuous, seed % 2 == 0 ? 0.8 : 1.0, seed);
        Matrix two =
            testing::random_matrix(4, Weights::negative, seed % 5 == 0 ? 0.9 : 1.0, seed + 99);
        TreeDistribution p(one.view(), {.root = rule}), q(two.view(), {.root = other_rule});
        double cross = 0.0, kl = 0.0;
        for (const auto& [heads, probability] : testing::truth(one, rule).probability) {
          cross -= probability * q.log_prob(heads);
          kl += probability * (std::log(probability) - q.log_prob(heads));
        }
        if (cross == kInfinity) {
          EXPECT_EQ(p.cross_entropy(q), kInfinity);
          EXPECT_EQ(p.kl(q), kInfinity);
        } else {
          EXPECT_NEAR(p.cross_entropy(q), cross, 1e-12);
          EXPECT_NEAR(p.kl(q), kl, 1e-12);
        }
      }
}

TEST(Moments, RenyiEntropies) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    for (RootRule rule : kBothRules) {
      Matrix matrix = testing::random_matrix(4, Weights::continuous, 0.9, seed);
      auto all = testing::truth(matrix, rule).probability;
      TreeDistribution trees(matrix.view(), {.root = rule});
      if (all.empty()) {
        EXPECT_EQ(trees.renyi_entropy(2.0), 0.0);
        continue;
      }
      double most = 0.0;
      for (const auto& [heads, p] : all) most = std::max(most, p);
      for (double order : {0.0, 0.5, 2.0, 10.0}) {
        double sum = 0.0;
        for (const auto& [heads, p] : all) sum += std::pow(p, order);
        EXPECT_NEAR(trees.renyi_entropy(order), std::log(sum) / (1.0 - order), 1e-12);
      }
      EXPECT_EQ(trees.renyi_entropy(1.0), trees.entropy());
      EXPECT_NEAR(trees.renyi_entropy(kInfinity), -std::log(most), 1e-12);
      EXPECT_THROW(trees.renyi_entropy(-1.0), std::invalid_argument);
      EXPECT_THROW(trees.renyi_entropy(std::nan("")), std::invalid_argument);
    }
}

TEST(Moments, SamplesThatAreAccepted) {
  Matrix matrix = testing::random_matrix(5, Weights::continuous, 1.0, 1);
  for (RootRule rule : kBothRules) {
    TreeDistribution trees(matrix.view(), {.root = rule});
    auto below_root = [](const TreeRef& tree) { return tree.heads[1] == 0; };
    auto found = trees.sample_where(below_root, 500, 100000, 1);
    ASSERT_EQ(found.trees.size(), 500u);
    for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(found.trees.heads(i)[1], 0);
    EXPECT_NEAR(found.rate(), trees.marginal(0, 1), 5.0 * found.standard_error() + 0.01);
    EXPECT_EQ(trees.sample_where(below_root, 500, 7, 1).drawn, 7u);
    auto none = trees.sample_where([](const TreeRef&) { return false; }, 1, 50, 1);
    EXPECT_EQ(none.rate(), 0.0);
    EXPECT_EQ(none.drawn, 50u);
  }
}

TEST(Moments, WrongSizes) {
  Matrix small = testing::random_matrix(2, Weights::continuous, 1.0, 1);
  Matrix large = testing::random_matrix(3, Weights::continuous, 1.0, 1);
  TreeDistribution one(small.view(), {.root = RootRule::any}),
      other(large.view(), {.root = RootRule::any});
  EXPECT_THROW(one.kl(other), std::invalid_argument);
  EXPECT_THROW(one.cross_entropy(other), std::invalid_argument);
  EXPECT_THROW(one.expectation(std::vector<double>(4)), std::invalid_argument);
  EXPECT_THROW(one.covariances(std::vector<double>(16)), std::invalid_argument);
}

}  // namespace
}  // namespace coppice
