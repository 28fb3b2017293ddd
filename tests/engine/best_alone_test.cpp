// The best tree, or two, without the rest of the engine, against the slow truth and against the
// engine.
#include "engine/best_alone.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <coppice/rules.hpp>
#include <coppice/verify.hpp>
#include <limits>
#include <optional>
#include <random>

#include "engine/pipeline.hpp"
#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

constexpr RootRule kRules[] = {RootRule::any, RootRule::single};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Objective kObjectives[] = {Objective::maximize, Objective::minimize};

// Runs the test once per instruction set, and leaves the best one in use.
class BestAloneTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(simd::use(GetParam())); }
  void TearDown() override { simd::use(simd::targets().front()); }

  std::optional<Tree> alone(Graph graph, const Which& which) {
    TreeBuilder(trees_).reset(graph);
    if (!best_.run(graph, which, trees_)) return std::nullopt;
    EXPECT_EQ(trees_.size(), 1u);
    return trees_.copy(0);
  }

  // Empty where that is left to the engine.
  std::vector<Tree> two(Graph graph, const Which& which, double max_gap = kInfinity) {
    TreeBuilder(trees_).reset(graph);
    std::vector<Tree> trees;
    if (best_.run_two(graph, which, max_gap, trees_))
      for (std::size_t rank = 0; rank < trees_.size(); ++rank) trees.push_back(trees_.copy(rank));
    return trees;
  }
  bool two_of_none(Graph graph, const Which& which) {
    TreeBuilder(trees_).reset(graph);
    return best_.run_two(graph, which, kInfinity, trees_) && trees_.empty();
  }

 private:
  BestAlone best_;  // used again and again
  TreeList trees_;
};

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(EveryTarget, BestAloneTest, ::testing::ValuesIn(simd::targets()), name_of);

std::optional<Tree> by_engine(Graph graph, const Which& which) {
  Pipeline pipeline;
  TreeList trees;
  TreeBuilder(trees).reset(graph);
  if (!pipeline.solve(graph, which)) return std::nullopt;
  pipeline.best(trees);
  return trees.copy(0);
}

void expect_as_good(Graph graph, const Which& which, const Tree& tree, const Tree& best) {
  EXPECT_TRUE(is_tree(tree.heads));
  EXPECT_TRUE(obeys(tree.heads, which.root));
  EXPECT_EQ(tree.score, score(graph, tree.heads));
  EXPECT_NEAR(tree.score, best.score, 1e-12 * std::abs(best.score));
}

// Where edges are missing there may be no tree, and trees of weight 0 leave nothing to measure
// rounding by.
bool may_be_left(Weights weights, double density) {
  return density < 1.0 || weights == Weights::small_integers;
}

TEST_P(BestAloneTest, TinyGraphs) {
  std::uint64_t seed = 0;
  for (Weights weights : testing::kAllWeights)
    for (Node words = 1; words <= 4; ++words)
      for (double density : {1.0, 0.7, 0.4})
        for (int i = 0; i < 6; ++i) {
          const auto matrix = testing::random_matrix(words, weights, density, ++seed);
          for (RootRule rule : kRules)
            for (Objective objective : kObjectives) {
              SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed));
              const Which which{.root = rule, .objective = objective};
              const auto truth = testing::brute_force(matrix.view(), which, {.k = 1});
              const auto tree = alone(matrix.view(), which);
              EXPECT_TRUE(tree || may_be_left(weights, density));
              EXPECT_FALSE(tree && truth.empty());
              if (tree) expect_as_good(matrix.view(), which, *tree, truth.at(0));
            }
        }
}

TEST_P(BestAloneTest, AsTheEngine) {
  std::uint64_t seed = 0;
  for (Weights weights : testing::kAllWeights)
    for (Node words : {5, 7, 8, 9, 10, 15, 16, 17, 31, 40, 70})
      for (double density : {1.0, 0.5, 3.0 / words}) {
        const auto matrix = testing::random_matrix(words, weights, density, ++seed);
        for (RootRule rule : kRules)
          for (Objective objective : kObjectives) {
            SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed));
            const Which which{.root = rule, .objective = objective};
            const auto truth = by_engine(matrix.view(), which);
            const auto tree = alone(matrix.view(), which);
            EXPECT_TRUE(tree || may_be_left(weights, density));
            if (tree) expect_as_good(matrix.view(), which, *tree, truth.value());
          }
      }
}

// Root edges that many want, or none: the child of the root is found by contractions through it.
TEST_P(BestAloneTest, OneOfManyRootChildren) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto words = static_cast<Node>(3 + seed % 20);
    auto matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
    for (std::size_t v = 1; v <= static_cast<std::size_t>(words); ++v)
      matrix.doubles[v] += seed % 3 == 0 ? -3.0 : 0.5 * static_cast<double>(seed % 3);
    const Which which{.root = RootRule::single};
    const auto tree = alone(matrix.view(), which);
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->heads, by_engine(matrix.view(), which)->heads) << seed;
  }
}

TEST_P(BestAloneTest, NestedCycles) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Node words = 12;
    auto matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
    // Neighbours like each other, in pairs, fours and eights.
    for (Node s = 1; s <= words; ++s)
      for (Node t = 1; t <= words; ++t)
        for (Node near : {2, 4, 8})
          if ((s - 1) / near == (t - 1) / near)
            matrix.doubles[static_cast<std::size_t>(s * (words + 1) + t)] += 2.0;
    for (RootRule rule : kRules) {
      const Which which{.root = rule};
      const auto tree = alone(matrix.view(), which);
      ASSERT_TRUE(tree);
      EXPECT_EQ(tree->heads, by_engine(matrix.view(), which)->heads) << seed;
    }
  }
}

// Each word can be entered from the root or from the next one alone.
TEST_P(BestAloneTest, NothingButTheRoot) {
  for (Node words : {1, 2, 9, 20}) {
    const auto nodes = static_cast<std::size_t>(words) + 1;
    std::vector<double> weights(nodes * nodes, kNoWeight);
    for (std::size_t v = 1; v < nodes; ++v) {
      weights[v] = 5.0 - static_cast<double>(v);
      if (v + 1 < nodes) weights[(v + 1) * nodes + v] = 1.0;
    }
    const auto view = DenseView::head_dependent(weights.data(), words + 1);
    const auto tree = alone(view, {.root = RootRule::single});
    ASSERT_TRUE(tree);
    for (Node v = 1; v <= words; ++v)
      EXPECT_EQ(tree->heads[static_cast<std::size_t>(v)], v == words ? 0 : v + 1);
  }
}

// A parser that is sure of itself: the weights of the tree are nearly 0, those of all other edges
// are not, and no price of root edges is needed.
TEST_P(BestAloneTest, SureScores) {
  for (Node words : {4, 12, 30}) {
    auto matrix =
        testing::random_matrix(words, Weights::continuous, 1.0, static_cast<std::uint64_t>(words));
    for (double& weight : matrix.doubles) weight = -10.0 - 10.0 * weight;
    for (Node v = 1; v <= words; ++v)
      matrix.doubles[static_cast<std::size_t>((v - 1) * (words + 1) + v)] = -1e-9;
    for (RootRule rule : kRules) {
      const auto tree = alone(matrix.view(), {.root = rule});
      ASSERT_TRUE(tree);
      for (Node v = 1; v <= words; ++v) EXPECT_EQ(tree->heads[static_cast<std::size_t>(v)], v - 1);
    }
  }
}

TEST_P(BestAloneTest, EveryLayoutAndType) {
  for (Node words : {3, 8, 21, 60}) {
    const auto matrix =
        testing::random_matrix(words, Weights::continuous, 1.0, static_cast<std::uint64_t>(words));
    const std::ptrdiff_t nodes = words + 1;
    std::vector<std::int64_t> integers;
    std::vector<float> floats;
    for (double weight : matrix.doubles) {
      integers.push_back(weight == kNoWeight ? 0 : std::llround(1e6 * weight));
      floats.push_back(static_cast<float>(integers.back()));
    }
    std::vector<double> doubles(integers.begin(), integers.end());
    auto turned = doubles, backwards = doubles, apart = doubles;
    apart.resize(2 * doubles.size());
    for (std::ptrdiff_t s = 0; s < nodes; ++s)
      for (std::ptrdiff_t t = 0; t < nodes; ++t) {
        const double weight = doubles[static_cast<std::size_t>(s * nodes + t)];
        turned[static_cast<std::size_t>(t * nodes + s)] = weight;
        backwards[static_cast<std::size_t>((nodes - 1 - s) * nodes + t)] = weight;
        apart[static_cast<std::size_t>(2 * (s * nodes + t))] = weight;
      }
    for (RootRule rule : kRules)
      for (Objective objective : kObjectives) {
        const Which which{.root = rule, .objective = objective};
        const auto expected = by_engine(DenseView::head_dependent(doubles.data(), nodes), which);
        for (const DenseView& view :
             {DenseView::head_dependent(doubles.data(), nodes),
              DenseView::head_dependent(floats.data(), nodes),
              DenseView::head_dependent(integers.data(), nodes),
              DenseView::dependent_head(turned.data(), nodes),
              DenseView(backwards.data() + (nodes - 1) * nodes, nodes, -nodes, 1),
              DenseView(apart.data(), nodes, 2 * nodes, 2)}) {
          const auto tree = alone(view, which);
          ASSERT_TRUE(tree);
          EXPECT_EQ(tree->heads, expected->heads);
          EXPECT_EQ(tree->score, expected->score);
          const bool integral = view.scalar() == Scalar::int64;
          EXPECT_EQ(tree->integer_score, integral ? std::llround(expected->score) : 0);
        }
      }
  }
}

// What is not read may be anything; whatever else is wrong is left to the engine.
TEST_P(BestAloneTest, WhatIsLeftToTheEngine) {
  const auto matrix = testing::random_matrix(20, Weights::continuous, 1.0, 1);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  auto with = [&](std::size_t head, std::size_t dependent, double weight) {
    auto changed = matrix;
    changed.doubles[head * 21 + dependent] = weight;
    return changed;
  };
  for (RootRule rule : kRules)
    for (Objective objective : kObjectives) {
      const Which which{.root = rule, .objective = objective};
      const auto expected = alone(matrix.view(), which);
      ASSERT_TRUE(expected);
      EXPECT_EQ(alone(with(7, 7, kNan).view(), which), expected);
      EXPECT_EQ(alone(with(7, 0, kNan).view(), which), expected);
      for (double bad : {kNan, kInfinity, 1e308, -1e308})
        for (std::size_t head : {0, 1, 20}) {
          EXPECT_FALSE(alone(with(head, 3, bad).view(), which));
          EXPECT_FALSE(alone(with(head == 20 ? 1 : head, 20, bad).view(), which));
        }
      EXPECT_TRUE(alone(with(1, 20, -kInfinity).view(), which));
      auto other = which;
      other.required = {{3, 4}};
      EXPECT_FALSE(alone(matrix.view(), other));
      other = which;
      other.forbidden = {{3, 4}};
      EXPECT_FALSE(alone(matrix.view(), other));
      other = which;
      other.rules = {rules::projective()};
      EXPECT_FALSE(alone(matrix.view(), other));
      const Multigraph sparse(3);
      EXPECT_FALSE(alone(sparse, which));
    }
}

// The best tree weighs so little beside what was picked at first that rounding may decide.
TEST_P(BestAloneTest, CoarseArithmeticIsLeftToTheEngine) {
  for (double large : {1e3, 1e9}) {
    const auto matrix = testing::matrix_of({{kNoWeight, 1}, {kNoWeight, large}, {1, kNoWeight}});
    for (RootRule rule : kRules)
      EXPECT_EQ(alone(matrix.view(), {.root = rule}).has_value(), large < 1e6);
  }
  for (int digits : {48, 49, 50, 51}) {
    const std::int64_t large = std::int64_t{1} << digits;
    const std::vector<std::int64_t> weights = {0, 1, 1, 0, 0, large, 0, large, 0};
    for (RootRule rule : kRules) {
      const auto tree = alone(DenseView::head_dependent(weights.data(), 3), {.root = rule});
      EXPECT_EQ(tree.has_value(), digits <= 50);
      EXPECT_EQ(tree ? tree->integer_score : large + 1, large + 1);
    }
  }
}

// --- Two trees ---

std::vector<Tree> two_by_engine(Graph graph, const Which& which) {
  Pipeline pipeline;
  TreeList list;
  TreeBuilder(list).reset(graph);
  if (pipeline.solve(graph, which)) pipeline.kbest({.k = 2}, list);
  std::vector<Tree> trees;
  for (std::size_t rank = 0; rank < list.size(); ++rank) trees.push_back(list.copy(rank));
  return trees;
}

// The scores that they are reported with, to the last digit.
void expect_same_scores(Graph graph, const Which& which, const std::vector<Tree>& trees,
                        const std::vector<Tree>& truth) {
  ASSERT_EQ(trees.size(), truth.size());
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    EXPECT_TRUE(is_tree(trees[rank].heads));
    EXPECT_TRUE(obeys(trees[rank].heads, which.root));
    EXPECT_EQ(trees[rank].score, score(graph, trees[rank].heads));
    EXPECT_EQ(trees[rank].score, truth[rank].score);
    EXPECT_EQ(trees[rank].integer_score, truth[rank].integer_score);
  }
  if (trees.size() == 2) {
    EXPECT_NE(trees[0].heads, trees[1].heads);
  }
}

// That float64 cannot hold, nor their sums: all near the largest of their column, or some far from
// it.
std::vector<std::int64_t> large_integers(Node nodes, std::mt19937_64& random) {
  const std::int64_t large = (std::int64_t{1} << (49 + random() % 10)) - 1;
  const bool either_sign = random() % 2 == 0;
  std::vector<std::int64_t> weights(place_of(nodes) * place_of(nodes));
  for (std::int64_t& weight : weights)
    weight = (either_sign && random() % 3 == 0 ? -large : large) -
             static_cast<std::int64_t>(random() % 3);
  return weights;
}

TEST_P(BestAloneTest, LargeIntegers) {
  std::mt19937_64 random(1);
  int asked = 0, one = 0, both = 0;
  for (int i = 0; i < 300; ++i) {
    const Node nodes = 2 + static_cast<Node>(random() % 4);
    const auto weights = large_integers(nodes, random);
    const auto view = DenseView::head_dependent(weights.data(), nodes);
    for (RootRule rule : kRules)
      for (Objective objective : kObjectives) {
        SCOPED_TRACE("graph " + std::to_string(i));
        const Which which{.root = rule, .objective = objective};
        const auto truth = testing::brute_force(view, which, {.k = 2});
        const auto best = alone(view, which);
        const auto trees = two(view, which);
        ++asked;
        if (best) {
          ++one;
          EXPECT_EQ(best->integer_score, truth[0].integer_score);
          EXPECT_TRUE(is_tree(best->heads));
        }
        if (!trees.empty()) {
          ++both;
          expect_same_scores(view, which, trees, truth);
        }
        if (HasFailure()) return;
      }
  }
  EXPECT_GT(2 * one, asked);
  EXPECT_GT(2 * both, asked);
}

TEST_P(BestAloneTest, LargeIntegersAsTheEngine) {
  std::mt19937_64 random(1);
  for (const Node nodes : {9, 21, 40})
    for (int i = 0; i < 8; ++i) {
      const auto weights = large_integers(nodes, random);
      const auto view = DenseView::head_dependent(weights.data(), nodes);
      for (RootRule rule : kRules)
        for (Objective objective : kObjectives) {
          const Which which{.root = rule, .objective = objective};
          const auto best = alone(view, which);
          if (best) {
            EXPECT_EQ(best->integer_score, by_engine(view, which)->integer_score);
          }
          const auto trees = two(view, which);
          if (!trees.empty()) expect_same_scores(view, which, trees, two_by_engine(view, which));
        }
    }
}

TEST_P(BestAloneTest, TwoOfTinyGraphs) {
  std::uint64_t seed = 0;
  int asked = 0, answered = 0;
  for (Weights weights : testing::kAllWeights)
    for (Node words = 1; words <= 4; ++words)
      for (double density : {1.0, 0.7, 0.4})
        for (int i = 0; i < 12; ++i) {
          const auto matrix = testing::random_matrix(words, weights, density, ++seed);
          for (RootRule rule : kRules)
            for (Objective objective : kObjectives)
              for (double max_gap : {kInfinity, 0.4, 0.0}) {
                SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed));
                const Which which{.root = rule, .objective = objective};
                const auto truth =
                    testing::brute_force(matrix.view(), which, {.k = 2, .max_gap = max_gap});
                const auto trees = two(matrix.view(), which, max_gap);
                ++asked;
                if (trees.empty()) continue;
                ++answered;
                expect_same_scores(matrix.view(), which, trees, truth);
                if (HasFailure()) return;
              }
        }
  EXPECT_GT(2 * answered, asked);
}

TEST_P(BestAloneTest, TwoAsTheEngine) {
  std::uint64_t seed = 0;
  for (Weights weights : {Weights::continuous, Weights::small_integers, Weights::float32})
    for (Node words : {5, 8, 9, 16, 17, 24, 40})
      for (double density : {1.0, 0.5, 3.0 / words})
        for (int i = 0; i < 4; ++i) {
          const auto matrix = testing::random_matrix(words, weights, density, ++seed);
          for (RootRule rule : kRules)
            for (Objective objective : kObjectives) {
              SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed));
              const Which which{.root = rule, .objective = objective};
              const auto trees = two(matrix.view(), which);
              EXPECT_TRUE(!trees.empty() || density < 1.0);
              if (!trees.empty())
                expect_same_scores(matrix.view(), which, trees,
                                   two_by_engine(matrix.view(), which));
              if (HasFailure()) return;
            }
        }
}

// Larger graphs than those whose best tree alone is found here.
TEST_P(BestAloneTest, TwoOfLargerGraphs) {
  for (Weights weights : {Weights::continuous, Weights::small_integers})
    for (Node words : {255, 300}) {
      const auto matrix =
          testing::random_matrix(words, weights, 1.0, static_cast<std::uint64_t>(words));
      for (RootRule rule : kRules) {
        const Which which{.root = rule};
        expect_same_scores(matrix.view(), which, two(matrix.view(), which),
                           two_by_engine(matrix.view(), which));
      }
    }
  const std::vector<double> weights(2049 * 2049, 0.0);
  EXPECT_TRUE(
      two(DenseView::head_dependent(weights.data(), 2049), {.root = RootRule::any}).empty());
}

// Pairs, fours and eights of neighbours that like each other, and root edges that few or many want:
// the second tree enters a component elsewhere, from the same source or from another, or has
// another root edge, for which more is contracted.
TEST_P(BestAloneTest, TwoOfNestedCycles) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const auto words = static_cast<Node>(3 + seed % 14);
    auto matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
    for (Node s = 0; s <= words; ++s)
      for (Node t = 1; t <= words; ++t) {
        double& weight = matrix.doubles[static_cast<std::size_t>(s * (words + 1) + t)];
        if (s == 0) weight += static_cast<double>(seed % 5) - 3.0;
        for (Node near : {2, 4, 8})
          if (s > 0 && (s - 1) / near == (t - 1) / near) weight += 2.0;
      }
    for (RootRule rule : kRules) {
      SCOPED_TRACE(seed);
      const Which which{.root = rule};
      const auto trees = two(matrix.view(), which), truth = two_by_engine(matrix.view(), which);
      ASSERT_EQ(trees.size(), 2u);
      EXPECT_EQ(trees[0].heads, truth[0].heads);
      EXPECT_EQ(trees[1].heads, truth[1].heads);
    }
  }
}

TEST_P(BestAloneTest, TwoOfEveryLayoutAndType) {
  for (Node words : {3, 8, 21, 60}) {
    const auto matrix =
        testing::random_matrix(words, Weights::continuous, 1.0, static_cast<std::uint64_t>(words));
    const std::ptrdiff_t nodes = words + 1;
    std::vector<std::int64_t> integers;
    std::vector<float> floats;
    std::vector<double> doubles;
    for (double weight : matrix.doubles) {
      integers.push_back(std::isfinite(weight) ? std::llround(1e3 * weight) : 0);
      floats.push_back(static_cast<float>(integers.back()));
      doubles.push_back(static_cast<double>(integers.back()));
    }
    for (const DenseView& view : {DenseView::head_dependent(doubles.data(), nodes),
                                  DenseView::dependent_head(doubles.data(), nodes),
                                  DenseView::head_dependent(floats.data(), nodes),
                                  DenseView::head_dependent(integers.data(), nodes)})
      for (RootRule rule : kRules)
        for (Objective objective : kObjectives) {
          const Which which{.root = rule, .objective = objective};
          expect_same_scores(view, which, two(view, which), two_by_engine(view, which));
        }
  }
}

// A third tree may have the better score: by another edge, by another node of the same component,
// or by one more change that costs nothing.
TEST_P(BestAloneTest, FewTiesAreLeftToTheEngine) {
  const auto equal = testing::matrix_of({{0.1, 0.1}, {kNoWeight, 0.1}, {0.1, kNoWeight}});
  const auto targets = testing::matrix_of({{0.1, 0.1 + 1.0, 0.1 + 1.0},
                                           {kNoWeight, kNoWeight, kNoWeight},
                                           {kNoWeight, kNoWeight, 7.3},
                                           {kNoWeight, 7.3, kNoWeight}});
  const auto sources = testing::matrix_of({{0.7, 0.7, 0.9},
                                           {kNoWeight, kNoWeight, 0.1},
                                           {kNoWeight, kNoWeight, 0.1},
                                           {kNoWeight, kNoWeight, kNoWeight}});
  const auto ways = testing::matrix_of({{0.7, 5.0, kNoWeight},
                                        {kNoWeight, 0.1, 0.1},
                                        {kNoWeight, kNoWeight, 7.3},
                                        {kNoWeight, 7.3, kNoWeight}});
  const auto changes = testing::matrix_of({{0.9, kNoWeight, 0.1},
                                           {kNoWeight, 0.7, kNoWeight},
                                           {kNoWeight, kNoWeight, 0.3},
                                           {kNoWeight, 0.7, kNoWeight}});
  for (const auto& matrix : {equal, targets, sources, ways, changes})
    EXPECT_TRUE(two(matrix.view(), {.root = RootRule::any}).empty());
  // Of many any two will do; and where no sum rounds, equals are equal.
  for (double weight : {0.1, 0.125})
    for (Node nodes : {4, 12}) {
      const std::vector<double> weights(static_cast<std::size_t>(nodes * nodes), weight);
      for (RootRule rule : kRules)
        EXPECT_EQ(two(DenseView::head_dependent(weights.data(), nodes), {.root = rule}).size(),
                  weight == 0.1 && nodes == 4 ? 0u : 2u);
    }
}

// The first node can hang from all others, and every such tree equals the best one; but not from
// those below it, nor from a second child of the root.
TEST_P(BestAloneTest, ManyEqualsAtOneLevel) {
  constexpr Node kBelow = 5;
  for (RootRule rule : kRules)
    for (Node others : {13, 14}) {  // trees, with the best one
      const Node top = rule == RootRule::any ? 0 : 1, nodes = others + 1 + top + kBelow;
      const Node first = top + 1;
      std::vector<double> weights(static_cast<std::size_t>(nodes * nodes), kNoWeight);
      auto weight = [&](Node h, Node d) -> double& {
        return weights[static_cast<std::size_t>(h * nodes + d)];
      };
      if (top > 0) weight(0, top) = 0.7;
      for (Node s = 0; s < nodes; ++s) weight(s, first) = 0.1;
      for (Node v = first + 1; v < nodes; ++v) weight(v < nodes - kBelow ? top : first, v) = 0.7;
      EXPECT_EQ(two(DenseView::head_dependent(weights.data(), nodes), {.root = rule}).size(),
                others == 14 ? 2u : 0u);
    }
}

// A weight that no tree can have hides by how much the edges into the second word differ.
TEST_P(BestAloneTest, EqualsOfCoarseArithmeticAreLeftToTheEngine) {
  constexpr Node kNodes = 21;
  for (double large : {1e3, 1e20})
    for (bool many_levels : {false, true}) {
      std::vector<double> weights(std::size_t{kNodes} * kNodes, kNoWeight);
      auto weight = [&](Node h, Node d) -> double& {
        return weights[static_cast<std::size_t>(h * kNodes + d)];
      };
      weight(1, 2) = large;
      weight(2, 1) = 1.0;
      for (Node v = 3; v < kNodes; ++v) {
        weight(0, v) = 0.1 * v;
        weight(v, 2) = 0.01 * v;
        if (many_levels && v > 3) weight(3, v) = 0.1 * v - 0.03;
      }
      EXPECT_EQ(
          two(DenseView::head_dependent(weights.data(), kNodes), {.root = RootRule::any}).empty(),
          large > 1e6);
    }
}

// Integers whose sums are exact, though eight of the largest for each node would not be.
TEST_P(BestAloneTest, LargeIntegersThatTie) {
  for (double unit : {0x1p49, 0x1p50}) {
    const auto matrix = testing::matrix_of(
        {{unit + 1.0, unit + 1.0}, {kNoWeight, unit + 1.0}, {unit + 1.0, kNoWeight}});
    EXPECT_EQ(two(matrix.view(), {.root = RootRule::any}).size(), unit < 0x1p50 ? 2u : 0u);
  }
}

TEST_P(BestAloneTest, NoTree) {
  std::uint64_t seed = 0;
  for (Weights weights : {Weights::continuous, Weights::small_integers})
    for (Node words = 1; words <= 5; ++words)
      for (double density : {0.6, 0.45, 0.3})
        for (int i = 0; i < 40; ++i) {
          const auto matrix = testing::random_matrix(words, weights, density, ++seed);
          for (RootRule rule : kRules) {
            SCOPED_TRACE(seed);
            const Which which{.root = rule};
            const bool none = testing::brute_force(matrix.view(), which, {.k = 1}).empty();
            if (rule == RootRule::any)
              EXPECT_EQ(two_of_none(matrix.view(), which), none);
            else
              EXPECT_FALSE(two_of_none(matrix.view(), which) && !none);
          }
        }
}

// Each needs a root edge of its own, whichever is met first.
TEST_P(BestAloneTest, NoTreeOfParts) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (std::size_t words : {2, 3, 9, 30})
      for (std::size_t parts : {2, 3}) {
        auto matrix =
            testing::random_matrix(static_cast<Node>(words), Weights::small_integers, 1.0, seed);
        auto part = [&](std::size_t v) { return (v - 1) * parts / words; };
        for (std::size_t h = 1; h <= words; ++h)
          for (std::size_t d = 1; d <= words; ++d)
            if (part(h) != part(d)) matrix.doubles[h * (words + 1) + d] = kNoWeight;
        EXPECT_TRUE(two_of_none(matrix.view(), {.root = RootRule::single}));
        EXPECT_FALSE(two_of_none(matrix.view(), {.root = RootRule::any}));
        matrix.doubles[words * (words + 1) + 1] = -3.0;  // now there is a way between two
        const bool none = parts > 2 && words > 2;
        EXPECT_EQ(two_of_none(matrix.view(), {.root = RootRule::single}), none);
      }
}

TEST_P(BestAloneTest, NoSecondTree) {
  const auto matrix = testing::matrix_of({{0.1, kNoWeight}, {kNoWeight, 0.1}, {1, 1}});
  const auto trees = two(matrix.view(), {.root = RootRule::any});
  EXPECT_EQ(trees.size(), 1u);
  EXPECT_EQ(trees, two_by_engine(matrix.view(), {.root = RootRule::any}));
}

}  // namespace
}  // namespace coppice::engine
