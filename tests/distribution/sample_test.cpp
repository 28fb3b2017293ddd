// Samples against exact probabilities: chi-square with fixed seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/distribution.hpp>
#include <coppice/verify.hpp>
#include <set>

#include "distribution/distinct.hpp"
#include "distribution/truth.hpp"
#include "distribution/unfolding.hpp"
#include "distribution/wilson.hpp"
#include "support/effort.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::expect_drawn_from;
using testing::Heads;
using testing::kBothRules;
using testing::Matrix;
using testing::truth;
using testing::Weights;

const int kDraws = 20000 / testing::one_of();
const int kManyDraws = 250000 / testing::one_of();  // enough for a bias of one per cent to show

std::vector<Heads> heads_of(const TreeList& trees) {
  std::vector<Heads> result;
  for (std::size_t i = 0; i < trees.size(); ++i)
    result.emplace_back(trees.heads(i).begin(), trees.heads(i).end());
  return result;
}

std::map<Heads, int> count(const std::vector<Heads>& trees) {
  std::map<Heads, int> counts;
  for (const Heads& heads : trees) ++counts[heads];
  return counts;
}

// Graphs that are hard on samplers for different reasons.
std::vector<std::pair<std::string, Matrix>> graphs() {
  std::vector<std::pair<std::string, Matrix>> result;
  for (Node words : {1, 2, 3, 4})
    for (double density : {0.6, 1.0})
      for (Weights weights : {Weights::equal, Weights::continuous, Weights::negative})
        result.emplace_back(
            testing::name(weights) + " " + std::to_string(words) + " " + std::to_string(density),
            testing::random_matrix(words, weights, density, static_cast<std::uint64_t>(words)));
  // Root edges that are too good, and hardly there at all.
  for (double root : {1e4, 20.0, -20.0, -1e4}) {
    Matrix matrix = testing::random_matrix(4, Weights::continuous, 1.0, 7);
    for (std::size_t d = 1; d <= 4; ++d) matrix.doubles[d] += root;
    result.emplace_back("root edges " + std::to_string(root), matrix);
  }
  // A cycle that is hard to leave by different doors, with something below it.
  for (double gap : {5.0, 50.0, 1e4})
    result.emplace_back("cycle " + std::to_string(gap),
                        testing::matrix_of({{-gap, -gap - 1, -gap, kNoWeight},
                                            {0, 0, -1, 0},
                                            {0, 0, -2, 0.5},
                                            {-gap + 1, -gap, 0, -1},
                                            {-gap, kNoWeight, 1, 0}}));
  return result;
}

TEST(Sample, FollowsTheDistribution) {
  for (const auto& [name, matrix] : graphs())
    for (RootRule rule : kBothRules) {
      auto samples = TreeDistribution(matrix.view(), {.root = rule}).sample(kDraws, 1);
      auto expected = truth(matrix, rule).probability;
      ASSERT_EQ(samples.empty(), expected.empty());
      expect_drawn_from(expected, count(heads_of(samples)), name);
    }
}

distribution::Potentials potentials_of(const Matrix& matrix, RootRule rule) {
  return distribution::make_potentials(distribution::read_weights(matrix.view()), rule);
}

// The parts that sample() chooses from, each for itself.
template <class Draw>
void expect_part(const Matrix& matrix, RootRule rule, const std::string& name, int draws,
                 Draw draw) {
  auto expected = truth(matrix, rule).probability;
  if (expected.empty()) return;
  distribution::Random random(3);
  std::map<Heads, int> counts;
  for (int i = 0; i < draws; ++i)
    if (auto heads = draw(random)) ++counts[*heads];
  expect_drawn_from(expected, counts, name);
}

template <class T>
void expect_unfolding(const Matrix& matrix, RootRule rule, const std::string& name, int draws) {
  auto graph = potentials_of(matrix, rule);
  if (graph.empty) return;
  auto unfolding = distribution::Unfolding<T>::of(
      distribution::weights_of<T>(graph)(graph.order, graph.order), graph.single);
  if (!unfolding) return;  // out of range for T
  expect_part(matrix, rule, name, draws, [&](distribution::Random& random) {
    Heads ordered(graph.order.size(), kNoNode), heads = ordered;
    unfolding->sample(random, ordered);
    for (std::size_t i = 1; i < ordered.size(); ++i)
      heads[static_cast<std::size_t>(graph.order[i])] =
          graph.order[static_cast<std::size_t>(ordered[i])];
    return std::optional(heads);
  });
}

// Also where some of the walks are given up.
void expect_wilson(const Matrix& matrix, RootRule rule, const std::string& name, int draws) {
  auto graph = potentials_of(matrix, rule);
  if (graph.empty) return;
  distribution::Wilson wilson(graph);
  expect_part(matrix, rule, name, draws, [&](distribution::Random& random) {
    Heads heads(graph.order.size(), kNoNode);
    return wilson.sample(random, heads) ? std::optional(heads) : std::nullopt;
  });
}

TEST(Sample, PartsFollowTheDistribution) {
  for (const auto& [name, matrix] : graphs())
    for (RootRule rule : kBothRules) {
      expect_unfolding<double>(matrix, rule, name + ", unfolding", kDraws);
      expect_unfolding<Wide>(matrix, rule, name + ", wide unfolding", kDraws);
      expect_unfolding<distribution::Deep>(matrix, rule, name + ", deep unfolding", kDraws / 10);
      expect_wilson(matrix, rule, name + ", Wilson", kDraws);
    }
}

TEST(Sample, ASmallBiasWouldShow) {
  for (Weights weights : {Weights::equal, Weights::negative})
    for (RootRule rule : kBothRules) {
      Matrix matrix = testing::random_matrix(5, weights, 1.0, 3);
      expect_unfolding<double>(matrix, rule, "unfolding", kManyDraws);
      expect_wilson(matrix, rule, "Wilson", kManyDraws);
    }
}

TEST(Sample, IsReproducible) {
  Matrix matrix = testing::random_matrix(10, Weights::negative, 0.9, 1);
  for (RootRule rule : kBothRules) {
    TreeDistribution trees(matrix.view(), {.root = rule});
    auto many = heads_of(trees.sample(50, 7)), few = heads_of(trees.sample(20, 7));
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
    EXPECT_EQ(many, heads_of(TreeDistribution(matrix.view(), {.root = rule}).sample(50, 7)));
    EXPECT_NE(many, heads_of(trees.sample(50, 8)));
    auto distinct = heads_of(trees.sample_distinct(50, 7));
    auto fewer = heads_of(trees.sample_distinct(20, 7));
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), distinct.begin()));
  }
}

// The numbers themselves, so that no platform and no change gives others unnoticed. The first ones
// are those of the reference implementations for these states.
TEST(Sample, Generator) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(distribution::splitmix64(state), 6457827717110365317u);
  EXPECT_EQ(distribution::splitmix64(state), 3203168211198807973u);
  distribution::Random random(42);
  for (int i = 0; i < 1000; ++i) {
    double uniform = random.uniform();
    EXPECT_GT(uniform, 0.0);
    EXPECT_LT(uniform, 1.0);
  }
}

TEST(Sample, LongSentences) {
  for (RootRule rule : kBothRules)
    for (double scale : {1.0, 1e3}) {
      Matrix matrix = testing::random_matrix(150, Weights::negative, 1.0, 4);
      for (double& weight : matrix.doubles) weight *= scale;
      TreeDistribution trees(matrix.view(), {.root = rule});
      auto samples = trees.sample(20, 5);
      auto distinct = trees.sample_distinct(6, 5);
      ASSERT_EQ(samples.size(), 20u);
      ASSERT_EQ(distinct.size(), 6u);
      for (const TreeList* list : {&samples, &distinct})
        for (std::size_t i = 0; i < list->size(); ++i) {
          EXPECT_TRUE(is_tree(list->heads(i)));
          EXPECT_TRUE(obeys(list->heads(i), rule));
          EXPECT_EQ(list->score(i), score(matrix.view(), list->heads(i)));
        }
    }
}

// Probability of every sequence of `length` trees drawn without replacement.
void add_sequences(const std::map<Heads, double>& probability, std::size_t length, double so_far,
                   double left, std::vector<Heads>& prefix,
                   std::map<std::vector<Heads>, double>& result) {
  if (prefix.size() == std::min(length, probability.size())) {
    result[prefix] = so_far;
    return;
  }
  for (const auto& [heads, p] : probability) {
    if (std::find(prefix.begin(), prefix.end(), heads) != prefix.end()) continue;
    prefix.push_back(heads);
    add_sequences(probability, length, so_far * p / left, left - p, prefix, result);
    prefix.pop_back();
  }
}

std::map<std::vector<Heads>, double> sequences(const std::map<Heads, double>& probability,
                                               std::size_t length) {
  std::map<std::vector<Heads>, double> result;
  std::vector<Heads> prefix;
  add_sequences(probability, length, 1.0, 1.0, prefix, result);
  return result;
}

TEST(SampleDistinct, SequencesFollowTheDistribution) {
  for (Node words : {1, 2, 3})
    for (Weights weights : {Weights::equal, Weights::continuous, Weights::negative})
      for (RootRule rule : kBothRules) {
        Matrix matrix = testing::random_matrix(words, weights, 0.9, 5);
        std::size_t length = words < 3 ? 3 : 2;
        auto expected = sequences(truth(matrix, rule).probability, length);
        TreeDistribution trees(matrix.view(), {.root = rule});
        std::map<std::vector<Heads>, int> counts;
        for (std::uint64_t seed = 0; seed < testing::large(6000U); ++seed)
          ++counts[heads_of(trees.sample_distinct(length, seed))];
        expect_drawn_from(expected, counts, testing::name(weights) + " " + std::to_string(words));
      }
}

// One tree has nearly all the mass; the order of the others must still be right.
TEST(SampleDistinct, WhatANearlyCertainTreeLeaves) {
  for (double gap : {20.0, 200.0, 5000.0}) {
    Matrix matrix = testing::matrix_of(
        {{0, -gap, -gap - 1}, {-gap, 0, -gap + 1}, {-gap, 0, 0}, {-gap, -gap + 0.5, -gap}});
    for (RootRule rule : kBothRules) {
      auto all = truth(matrix, rule).probability;
      TreeDistribution trees(matrix.view(), {.root = rule});
      std::map<Heads, int> second;
      auto best = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                  })->first;
      for (std::uint64_t seed = 0; seed < testing::large(4000U); ++seed) {
        auto drawn = heads_of(trees.sample_distinct(2, seed));
        ASSERT_EQ(drawn[0], best);
        ++second[drawn[1]];
      }
      std::map<Heads, double> left;
      double sum = 0.0;
      for (const auto& [heads, p] : all)
        if (heads != best) sum += left[heads] = std::exp(trees.log_prob(heads) + gap);
      for (auto& [heads, p] : left) p /= sum;
      expect_drawn_from(left, second, "gap " + std::to_string(gap));
    }
  }
}

TEST(SampleDistinct, RemainderFollowsTheDistribution) {
  for (Weights weights : {Weights::equal, Weights::negative})
    for (RootRule rule : kBothRules) {
      Matrix matrix = testing::random_matrix(4, weights, 1.0, 3);
      auto graph = potentials_of(matrix, rule);
      distribution::Remainder remainder(graph);
      auto expected = truth(matrix, rule).probability;
      double left = 1.0;
      for (const Tree& tree : testing::brute_force(matrix.view(), {.root = rule}, {.k = 12})) {
        remainder.remove(tree.heads);
        left -= expected[tree.heads];
        expected.erase(tree.heads);
      }
      for (auto& [heads, probability] : expected) probability /= left;
      distribution::Random random(1);
      std::map<Heads, int> counts;
      for (int i = 0; i < kDraws; ++i) {
        distribution::Remainder copy = remainder;
        ++counts[*copy.draw(random)];
      }
      expect_drawn_from(expected, counts, testing::name(weights));
    }
}

TEST(SampleDistinct, GivesEveryTreeOnce) {
  for (const auto& [name, matrix] : graphs())
    for (RootRule rule : kBothRules) {
      auto expected = truth(matrix, rule).probability;
      auto drawn =
          heads_of(TreeDistribution(matrix.view(), {.root = rule}).sample_distinct(10000, 3));
      EXPECT_EQ(drawn.size(), expected.size()) << name;
      std::set<Heads> set(drawn.begin(), drawn.end());
      EXPECT_EQ(set.size(), drawn.size()) << name;
      for (const Heads& heads : drawn) EXPECT_TRUE(expected.contains(heads)) << name;
    }
}

}  // namespace
}  // namespace coppice
