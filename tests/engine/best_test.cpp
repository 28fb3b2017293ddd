// best() and lists of two, by every instruction set: against the slow truth, and what is first in a
// list.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <coppice/verify.hpp>
#include <limits>
#include <optional>
#include <random>

#include "engine/simd/simd.hpp"
#include "graph/indexed.hpp"
#include "support/brute_force.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Weights;

constexpr RootRule kRules[] = {RootRule::any, RootRule::single};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Objective kObjectives[] = {Objective::maximize, Objective::minimize};

// Runs the test once per instruction set, and leaves the best one in use.
class BestTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(engine::simd::use(GetParam())); }
  void TearDown() override { engine::simd::use(engine::simd::targets().front()); }

  std::optional<Tree> alone(Graph graph, const Problem& problem) {
    decoder_.best(graph, problem, trees_);
    if (trees_.empty()) return std::nullopt;
    EXPECT_EQ(trees_.size(), 1u);
    return trees_.copy(0);
  }
  std::vector<Tree> list(Graph graph, const Problem& problem, const Request& request) {
    decoder_.kbest(graph, problem, request, trees_);
    std::vector<Tree> trees;
    for (std::size_t rank = 0; rank < trees_.size(); ++rank) trees.push_back(trees_.copy(rank));
    return trees;
  }

  // best() is the first of every list.
  void expect_first_of_lists(Graph graph, const Problem& problem) {
    const auto one = alone(graph, problem);
    const auto two = list(graph, problem, {.k = 2}), ten = list(graph, problem, {.k = 10});
    ASSERT_EQ(one.has_value(), !two.empty());
    if (!one) return;
    EXPECT_EQ(one->score, two[0].score);
    EXPECT_EQ(one->score, ten[0].score);
    EXPECT_EQ(one->integer_score, two[0].integer_score);
    ASSERT_EQ(two.size(), std::min<std::size_t>(2, ten.size()));
    for (std::size_t rank = 0; rank < two.size(); ++rank) {
      EXPECT_TRUE(is_tree(two[rank].heads) && obeys(two[rank].heads, problem.root));
      EXPECT_NEAR(two[rank].score, testing::exact_score(graph, two[rank]),
                  testing::rounding_of(graph));
      EXPECT_EQ(two[rank].score, ten[rank].score);
      EXPECT_EQ(two[rank].integer_score, ten[rank].integer_score);
    }
    if (two.size() == 2) {
      EXPECT_NE(two[0].heads, two[1].heads);
    }
  }

 private:
  Decoder decoder_;  // used again and again
  TreeList trees_;
};

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(EveryTarget, BestTest, ::testing::ValuesIn(engine::simd::targets()),
                         name_of);

void expect_equal(Graph graph, const std::vector<Tree>& trees, const std::vector<Tree>& truth) {
  ASSERT_EQ(trees.size(), truth.size());
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    EXPECT_TRUE(is_tree(trees[rank].heads));
    EXPECT_NEAR(trees[rank].score, truth[rank].score, testing::rounding_of(graph));
    EXPECT_EQ(trees[rank].integer_score, truth[rank].integer_score);
  }
}

TEST_P(BestTest, OneAndTwoOfTinyGraphs) {
  std::uint64_t seed = 0;
  for (Weights weights : testing::kAllWeights)
    for (Node words = 1; words <= 4; ++words)
      for (double density : {1.0, 0.7, 0.4})
        for (int i = 0; i < 8 && !HasFailure(); ++i) {
          const auto matrix = testing::random_matrix(words, weights, density, ++seed);
          for (RootRule rule : kRules)
            for (Objective objective : kObjectives) {
              SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed));
              const Graph graph = matrix.view();
              const Problem problem{.root = rule, .objective = objective};
              const auto truth = testing::brute_force(graph, problem, {.k = 2});
              expect_equal(graph, list(graph, problem, {.k = 2}), truth);
              const auto tree = alone(graph, problem);
              ASSERT_EQ(tree.has_value(), !truth.empty());
              if (tree) expect_equal(graph, {*tree}, {truth[0]});
              for (double max_gap : {0.4, 0.0})
                expect_equal(graph, list(graph, problem, {.k = 2, .max_gap = max_gap}),
                             testing::brute_force(graph, problem, {.k = 2, .max_gap = max_gap}));
            }
        }
}

TEST_P(BestTest, TheFirstOfEveryList) {
  std::uint64_t seed = 0;
  for (Weights weights : testing::kAllWeights)
    for (Node words : {5, 7, 8, 9, 10, 15, 16, 17, 31, 40, 70})
      for (double density : {1.0, 0.5, 3.0 / words}) {
        const auto matrix = testing::random_matrix(words, weights, density, ++seed);
        for (RootRule rule : kRules)
          for (Objective objective : kObjectives) {
            SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed));
            expect_first_of_lists(matrix.view(), {.root = rule, .objective = objective});
            if (HasFailure()) return;
          }
      }
}

TEST_P(BestTest, TheFirstOfEveryListOfLargerGraphs) {
  for (Weights weights : {Weights::continuous, Weights::small_integers})
    for (Node words : {255, 300}) {
      const auto matrix =
          testing::random_matrix(words, weights, 1.0, static_cast<std::uint64_t>(words));
      for (RootRule rule : kRules) expect_first_of_lists(matrix.view(), {.root = rule});
    }
}

// Root edges that many want, or none: the child of the root is found by contractions through it.
// Where heads differ by less than the unit, both take the same one.
TEST_P(BestTest, TheFirstOfEveryListWhereHeadsNearlyTie) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    const Node nodes = 3 + static_cast<Node>(random() % 5);
    auto matrix = testing::random_matrix(nodes - 1, Weights::continuous, 1.0, random());
    for (Node t = 1; t < nodes; ++t)
      for (const double weight : {std::nextafter(4.0, 0.0), 4.0})
        matrix.doubles[random() % place_of(nodes) * place_of(nodes) + place_of(t)] = weight;
    const DenseView view = matrix.view();
    for (const RootRule rule : kRules) {
      SCOPED_TRACE(::testing::Message() << "round " << round);
      const auto one = alone(view, {.root = rule});
      const auto two = list(view, {.root = rule}, {.k = 2});
      ASSERT_TRUE(one && !two.empty());
      EXPECT_EQ(one->heads, two[0].heads);
    }
  }
}

TEST_P(BestTest, OneOfManyRootChildren) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto words = static_cast<Node>(3 + seed % 20);
    auto matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
    for (std::size_t v = 1; v <= static_cast<std::size_t>(words); ++v)
      matrix.doubles[v] += seed % 3 == 0 ? -3.0 : 0.5 * static_cast<double>(seed % 3);
    const Problem problem{.root = RootRule::single};
    const auto tree = alone(matrix.view(), problem);
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->heads, paper::opt_dep(matrix.view())->heads) << seed;
    expect_first_of_lists(matrix.view(), problem);
  }
}

TEST_P(BestTest, NestedCycles) {
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
      const Problem problem{.root = rule};
      const auto tree = alone(matrix.view(), problem);
      ASSERT_TRUE(tree);
      const auto expected =
          rule == RootRule::any ? paper::opt(matrix.view()) : paper::opt_dep(matrix.view());
      EXPECT_EQ(tree->heads, expected->heads) << seed;
    }
  }
}

// Each word can be entered from the root or from the next one alone.
TEST_P(BestTest, NothingButTheRoot) {
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
TEST_P(BestTest, SureScores) {
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

TEST_P(BestTest, EveryLayoutAndType) {
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
        const Problem problem{.root = rule, .objective = objective};
        const auto expected =
            list(DenseView::head_dependent(doubles.data(), nodes), problem, {.k = 2});
        for (const DenseView& view :
             {DenseView::head_dependent(doubles.data(), nodes),
              DenseView::head_dependent(floats.data(), nodes),
              DenseView::head_dependent(integers.data(), nodes),
              DenseView::dependent_head(turned.data(), nodes),
              DenseView(backwards.data() + (nodes - 1) * nodes, nodes, -nodes, 1),
              DenseView(apart.data(), nodes, 2 * nodes, 2)}) {
          const auto tree = alone(view, problem);
          ASSERT_TRUE(tree);
          EXPECT_EQ(tree->heads, expected[0].heads);
          const bool integral = view.scalar() == Scalar::int64;
          const auto two = list(view, problem, {.k = 2});
          ASSERT_EQ(two.size(), expected.size());
          for (std::size_t rank = 0; rank < two.size(); ++rank) {
            EXPECT_EQ(two[rank].heads, expected[rank].heads);
            EXPECT_EQ(two[rank].score, expected[rank].score);
            EXPECT_EQ(two[rank].integer_score, integral ? std::llround(expected[rank].score) : 0);
          }
        }
      }
  }
}

// What is not read may be anything; whatever else is wrong is found, wherever it is.
TEST_P(BestTest, BadInput) {
  const auto matrix = testing::random_matrix(20, Weights::continuous, 1.0, 1);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  auto with = [&](std::size_t head, std::size_t dependent, double weight) {
    auto changed = matrix;
    changed.doubles[head * 21 + dependent] = weight;
    return changed;
  };
  for (RootRule rule : kRules)
    for (Objective objective : kObjectives) {
      const Problem problem{.root = rule, .objective = objective};
      const auto expected = alone(matrix.view(), problem);
      ASSERT_TRUE(expected);
      EXPECT_EQ(alone(with(7, 7, kNan).view(), problem), expected);
      EXPECT_EQ(alone(with(7, 0, kNan).view(), problem), expected);
      for (double bad : {kNan, kInfinity, 1e308, -1e308})
        for (std::size_t head : {0, 1, 20}) {
          EXPECT_THROW(alone(with(head, 3, bad).view(), problem), std::invalid_argument);
          EXPECT_THROW(alone(with(head == 20 ? 1 : head, 20, bad).view(), problem),
                       std::invalid_argument);
        }
      EXPECT_TRUE(alone(with(1, 20, -kInfinity).view(), problem));
    }
}

// That float64 cannot hold, nor their sums: all near the largest of their column, or some far from
// it.
std::vector<std::int64_t> large_integers(Node nodes, std::mt19937_64& random) {
  const std::int64_t large = (std::int64_t{1} << (49 + random() % 6)) - 1;
  const bool either_sign = random() % 2 == 0;
  std::vector<std::int64_t> weights(place_of(nodes) * place_of(nodes));
  for (std::int64_t& weight : weights)
    weight = (either_sign && random() % 3 == 0 ? -large : large) -
             static_cast<std::int64_t>(random() % 3);
  return weights;
}

TEST_P(BestTest, LargeIntegers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    const Node nodes = 2 + static_cast<Node>(random() % 4);
    const auto weights = large_integers(nodes, random);
    const auto view = DenseView::head_dependent(weights.data(), nodes);
    for (RootRule rule : kRules)
      for (Objective objective : kObjectives) {
        SCOPED_TRACE("graph " + std::to_string(i));
        const Problem problem{.root = rule, .objective = objective};
        const auto truth = testing::brute_force(view, problem, {.k = 2});
        expect_equal(view, {*alone(view, problem)}, {truth[0]});
        expect_equal(view, list(view, problem, {.k = 2}), truth);
      }
  }
  for (const Node nodes : {9, 21, 40})
    for (int i = 0; i < 4 && !HasFailure(); ++i) {
      const auto weights = large_integers(nodes, random);
      for (RootRule rule : kRules)
        for (Objective objective : kObjectives)
          expect_first_of_lists(DenseView::head_dependent(weights.data(), nodes),
                                {.root = rule, .objective = objective});
    }
}

// Pairs, fours and eights of neighbours that like each other, and root edges that few or many want:
// the second tree enters a component elsewhere, from the same source or from another, or has
// another root edge, for which more is contracted.
TEST_P(BestTest, TwoOfNestedCycles) {
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
      const Problem problem{.root = rule};
      const auto trees = list(matrix.view(), problem, {.k = 2});
      ASSERT_EQ(trees.size(), 2u);
      paper::KBest any(matrix.view());
      paper::KBestDep single(matrix.view());
      for (const Tree& tree : trees)
        EXPECT_EQ(tree.heads, (rule == RootRule::any ? any.next() : single.next())->heads);
    }
  }
}

TEST_P(BestTest, NoTree) {
  std::uint64_t seed = 0;
  for (Weights weights : {Weights::continuous, Weights::small_integers})
    for (Node words = 1; words <= 5; ++words)
      for (double density : {0.6, 0.45, 0.3})
        for (int i = 0; i < 40; ++i) {
          const auto matrix = testing::random_matrix(words, weights, density, ++seed);
          for (RootRule rule : kRules) {
            SCOPED_TRACE(seed);
            const Problem problem{.root = rule};
            const bool none = testing::brute_force(matrix.view(), problem, {.k = 1}).empty();
            EXPECT_EQ(!alone(matrix.view(), problem), none);
            EXPECT_EQ(list(matrix.view(), problem, {.k = 2}).empty(), none);
          }
        }
}

// Each needs a root edge of its own, whichever is met first.
TEST_P(BestTest, NoTreeOfParts) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (std::size_t words : {2, 3, 9, 30})
      for (std::size_t parts : {2, 3}) {
        auto matrix =
            testing::random_matrix(static_cast<Node>(words), Weights::small_integers, 1.0, seed);
        auto part = [&](std::size_t v) { return (v - 1) * parts / words; };
        for (std::size_t h = 1; h <= words; ++h)
          for (std::size_t d = 1; d <= words; ++d)
            if (part(h) != part(d)) matrix.doubles[h * (words + 1) + d] = kNoWeight;
        EXPECT_TRUE(list(matrix.view(), {.root = RootRule::single}, {.k = 2}).empty());
        EXPECT_FALSE(list(matrix.view(), {.root = RootRule::any}, {.k = 2}).empty());
        matrix.doubles[words * (words + 1) + 1] = -3.0;  // now there is a way between two
        const bool none = parts > 2 && words > 2;
        EXPECT_EQ(list(matrix.view(), {.root = RootRule::single}, {.k = 2}).empty(), none);
      }
}

TEST_P(BestTest, NoSecondTree) {
  const auto matrix = testing::matrix_of({{0.1, kNoWeight}, {kNoWeight, 0.1}, {1, 1}});
  const auto trees = list(matrix.view(), {.root = RootRule::any}, {.k = 2});
  EXPECT_EQ(trees.size(), 1u);
  EXPECT_EQ(trees[0], alone(matrix.view(), {.root = RootRule::any}));
}

}  // namespace
}  // namespace coppice
