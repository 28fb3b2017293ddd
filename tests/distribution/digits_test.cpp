// The same digits on every instruction set, alone or among others, with marginals or without.
#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/distribution.hpp>
#include <random>

#include "distribution/float64.hpp"
#include "distribution/lanes.hpp"
#include "distribution/truth.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using distribution::Float64;
using distribution::Lanes;
using testing::kBothRules;
using testing::Matrix;
using testing::Weights;

Matrix peaked(Node words, std::uint64_t seed) {
  Matrix matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
  for (double& weight : matrix.doubles) weight *= 20.0;
  return matrix;
}

struct Found {
  double log_partition, entropy;
  std::vector<double> marginals;
  friend bool operator==(const Found&, const Found&) = default;
};

Found by_panels(const Matrix& matrix, RootRule rule, const distribution::panels::Kernels& kernels,
                Float64::Order order) {
  auto nodes = static_cast<std::size_t>(matrix.nodes);
  Float64 float64(kernels);
  float64.load(matrix.view(), rule);
  std::vector<double> marginals(nodes * nodes);
  auto found = float64.describe(marginals.data(), nodes, order);
  EXPECT_EQ(float64.log_partition(order)->value(), found->log_partition.value());
  return {found->log_partition.value(), found->entropy, marginals};
}

Found by_lanes(const Matrix& matrix, RootRule rule, distribution::SolveLanes solver,
               std::size_t copies) {
  auto nodes = static_cast<std::size_t>(matrix.nodes);
  Float64 loaded;
  loaded.load(matrix.view(), rule);
  std::vector<std::vector<double>> marginals(copies, std::vector<double>(nodes * nodes));
  std::vector<Lanes::Sentence> sentences;
  for (auto& own : marginals)
    sentences.push_back({loaded.weights(), loaded.column_size(), own.data(), nodes});
  Lanes lanes(solver);
  lanes.solve(sentences, nodes - 1, rule);
  Lanes::Sentence without{loaded.weights(), loaded.column_size()};
  lanes.solve({&without, 1}, nodes - 1, rule);
  EXPECT_EQ(without.log_partition->value(), sentences.back().log_partition->value());
  return {sentences.back().log_partition->value(), sentences.back().entropy, marginals.back()};
}

TEST(Digits, EveryInstructionSetGivesTheSame) {
  for (RootRule rule : kBothRules)
    for (Node words : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 40, 48, 65}) {
      Matrix matrix = peaked(words, 3);
      auto targets = distribution::panels::targets();
      const Found plain = by_panels(matrix, rule, *targets[0].kernels, Float64::Order::plain);
      const Found first = by_panels(matrix, rule, *targets[0].kernels, Float64::Order::fit);
      for (const auto& target : targets) {
        EXPECT_EQ(by_panels(matrix, rule, *target.kernels, Float64::Order::fit), first)
            << target.name << words;
        EXPECT_EQ(by_panels(matrix, rule, *target.kernels, Float64::Order::plain), plain)
            << target.name << " " << words;
      }
      for (const Float64::Order other : {Float64::Order::plain, Float64::Order::dear_root}) {
        if (other == Float64::Order::dear_root && rule == RootRule::any) continue;
        const Found found = by_panels(matrix, rule, *targets[0].kernels, other);
        EXPECT_NEAR(found.log_partition, first.log_partition, 1e-12);
        for (std::size_t i = 0; i < first.marginals.size(); ++i)
          EXPECT_NEAR(found.marginals[i], first.marginals[i], 1e-12 * first.marginals[i]);
      }
      if (words > Lanes::kMostWords) continue;
      for (auto solver : distribution::lane_solvers())
        for (std::size_t copies : {1u, 3u, 8u})
          EXPECT_EQ(by_lanes(matrix, rule, solver, copies), plain) << words;
    }
}

// Where words other than the root's child would head all others hundreds of nats down, and where
// two root edges would be cheaper than one by as much.
TEST(Digits, DearRootEdgesAreThoseOfASingleRoot) {
  std::vector<Matrix> matrices;
  for (const double spread : {50.0, 200.0, 400.0, 800.0})
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const double density = seed % 3 == 0 ? 0.6 : 1.0;
      matrices.push_back(testing::random_matrix(5, Weights::continuous, density, seed));
      for (double& weight : matrices.back().doubles) weight *= spread;
    }
  for (double apart = 20.0; apart < 800.0; apart += 20.0)  // two pairs
    matrices.push_back(testing::matrix_of({{0, 0, 0, -1},
                                           {0, 0, -apart, -apart},
                                           {1, 0, -apart, -apart - 1},
                                           {-apart, -apart, 0, 1},
                                           {-apart, -apart, 0.5, 0}}));
  int only_so = 0;
  for (const Matrix& matrix : matrices) {
    const auto truth = testing::truth(matrix, RootRule::single);
    const auto nodes = static_cast<std::size_t>(matrix.nodes);
    std::vector<double> marginals(nodes * nodes);
    Float64 float64;
    float64.load(matrix.view(), RootRule::single);
    const bool fits = float64.describe(marginals.data(), nodes, Float64::Order::fit).has_value();
    const auto found = float64.describe(marginals.data(), nodes, Float64::Order::dear_root);
    if (!found) continue;
    only_so += fits ? 0 : 1;
    ASSERT_FALSE(truth.probability.empty());
    EXPECT_NEAR(found->log_partition.value(), truth.log_partition, 1e-10);
    EXPECT_NEAR(found->entropy, truth.entropy, 1e-10);
    EXPECT_EQ(float64.log_partition(Float64::Order::dear_root)->value(),
              found->log_partition.value());
    for (std::size_t i = 0; i < truth.marginals.size(); ++i)
      EXPECT_NEAR(marginals[i], truth.marginals[i], 1e-10 * truth.marginals[i] + 1e-100);
  }
  EXPECT_GT(only_so, 20);
}

// Sentences of all kinds, so that all ways of solving take part: some without a tree, with bad
// weights, out of float64's range, or with missing edges.
std::vector<Matrix> mixture() {
  std::vector<Matrix> sentences;
  std::mt19937_64 random(5);
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    // Of some lengths so many that they are solved together.
    auto words = static_cast<Node>(seed % 2 == 0 ? 7 + 20 * (random() % 3) : 1 + random() % 60);
    Matrix matrix =
        testing::random_matrix(words, Weights::continuous, seed % 3 == 0 ? 0.5 : 1.0, seed);
    double scale = seed % 7 == 0 ? 2000.0 : 10.0;
    for (double& weight : matrix.doubles) weight *= scale;
    if (seed % 50 == 0) matrix.doubles[1] = std::nan("");
    sentences.push_back(std::move(matrix));
  }
  return sentences;
}

TEST(Digits, DoNotDependOnTheOtherSentences) {
  const std::vector<Matrix> sentences = mixture();
  std::vector<Graph> views;
  for (const Matrix& matrix : sentences) views.push_back(matrix.view());
  for (RootRule rule : kBothRules)
    for (bool marginals : {false, true}) {
      DistributionOptions options{
          .problem = {.root = rule}, .marginals = marginals, .entropy = marginals};
      auto results = distribution_batch(views, options, 2);
      for (std::size_t i = 0; i < views.size(); ++i) {
        if (!results[i].ok()) {
          EXPECT_THROW(TreeDistribution(views[i], {.root = rule}), std::invalid_argument);
          continue;
        }
        TreeDistribution alone(views[i], {.root = rule});
        EXPECT_EQ(results[i].log_partition, alone.log_partition()) << i;
        if (!marginals) continue;
        EXPECT_EQ(results[i].entropy, alone.entropy()) << i;
        EXPECT_TRUE(std::ranges::equal(results[i].marginals, alone.marginals())) << i;
      }
    }
}

}  // namespace
}  // namespace coppice
