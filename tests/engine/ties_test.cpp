// All best trees at once, against lists of all trees and against numbers that are known.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <coppice/stop.hpp>
#include <coppice/ties.hpp>
#include <random>
#include <string>
#include <vector>

#include "engine/ties/prime_field.hpp"
#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Matrix;
using testing::Weights;

void expect_as_listed(Graph graph, const Problem& problem, const std::string& where) {
  SCOPED_TRACE(where);
  const bool dense = graph.dense() != nullptr;
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  std::vector<double> expected(
      dense ? nodes * nodes : static_cast<std::size_t>(graph.multigraph()->edges()), 0.0);
  const std::vector<Tree> trees = testing::brute_force(graph, problem);
  const ExactSum best = trees.empty() ? ExactSum() : testing::sum_of(graph, trees[0]);
  std::size_t count = 0;
  while (count < trees.size() && trees[count].integer_score == trees[0].integer_score &&
         (graph.scalar() == Scalar::int64 ||
          testing::compare(testing::sum_of(graph, trees[count]), best) == 0.0))
    ++count;
  for (std::size_t rank = 0; rank < count; ++rank)
    for (std::size_t v = 1; v < nodes; ++v) {
      const auto head = static_cast<std::size_t>(trees[rank].heads[v]);
      expected[dense ? head * nodes + v : static_cast<std::size_t>(trees[rank].edges[v])] +=
          1.0 / static_cast<double>(count);
    }
  const Ties ties(graph, problem);
  EXPECT_EQ(ties.empty(), trees.empty());
  EXPECT_EQ(ties.count().decimal(), std::to_string(count));
  if (count == 0)
    EXPECT_EQ(ties.log_count(), kNoWeight);
  else
    EXPECT_NEAR(ties.log_count(), std::log(static_cast<double>(count)), 1e-13);
  const std::vector<double> support = ties.support();
  ASSERT_EQ(support.size(), expected.size());
  for (std::size_t i = 0; i < support.size(); ++i)
    EXPECT_NEAR(support[i], expected[i], 1e-12) << "edge " << i;
}

TEST(Ties, OfMatricesAsListed) {
  std::uint64_t seed = 1;
  for (Node words = 1; words <= 5; ++words)
    for (Weights weights : {Weights::small_integers, Weights::equal, Weights::continuous})
      for (double density : {0.4, 0.7, 1.0})
        for (RootRule rule : {RootRule::any, RootRule::single})
          for (int i = 0; i < testing::share(16) && !HasFailure(); ++i, ++seed) {
            Matrix matrix = testing::random_matrix(words, weights, density, seed);
            Problem problem{.root = rule};
            if (i % 4 == 1) problem.objective = Objective::minimize;
            if (i % 4 == 2 && words > 1) problem.forbidden = {{static_cast<Node>(seed % 2), words}};
            if (i % 4 == 3 && words > 1) problem.required = {{2, 1}};
            expect_as_listed(matrix.view(), problem, "seed " + std::to_string(seed));
          }
}

TEST(Ties, OfMultigraphsAsListed) {
  std::uint64_t seed = 1;
  for (Scalar scalar : {Scalar::float64, Scalar::int64})
    for (Node words = 1; words <= 5; ++words)
      for (Node edges : {words + 2, 3 * words, 5 * words})
        for (RootRule rule : {RootRule::any, RootRule::single})
          for (int i = 0; i < 40 && !HasFailure(); ++i, ++seed) {
            const Multigraph graph =
                testing::random_multigraph(words, edges, Weights::small_integers, seed, scalar);
            expect_as_listed(graph, {.root = rule}, "seed " + std::to_string(seed));
          }
}

// Cycles within cycles, entered at a loss.
TEST(Ties, NestedComponentsAsListed) {
  for (std::uint64_t seed = 1; seed <= testing::share(150u) && !HasFailure(); ++seed)
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      std::mt19937_64 random(seed);
      std::vector<double> weights(49);
      for (std::size_t h = 0; h < 7; ++h)
        for (std::size_t d = 0; d < 7; ++d) {
          weights[h * 7 + d] = static_cast<double>(random() % 2) - (h == 0 ? 9.0 : 0.0);
          if (h != 0 && (h - 1) / 2 == (d - 1) / 2) weights[h * 7 + d] += 3.0;
          if (h != 0 && (h - 1) / 4 == (d - 1) / 4) weights[h * 7 + d] += 3.0;
        }
      expect_as_listed(DenseView::head_dependent(weights.data(), 7), {.root = rule},
                       "seed " + std::to_string(seed));
    }
}

// By far less than weights differ, beside weights of any size.
TEST(Ties, NearTiesAreNone) {
  for (double large : {1.0, 1e20, 1e300})
    for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
      Matrix matrix = testing::random_matrix(4, Weights::small_integers, 1.0, seed);
      std::mt19937_64 random(seed);
      for (double& weight : matrix.doubles) {
        if (random() % 3 == 0) weight += 0x1p-20;
        if (large > 1.0 && random() % 6 == 0) weight = random() % 2 == 0 ? large : -large;
      }
      for (RootRule rule : {RootRule::any, RootRule::single})
        expect_as_listed(matrix.view(), {.root = rule}, "seed " + std::to_string(seed));
    }
}

// Ties look at all digits, lists of a gap of 0 at those that the unit leaves (docs/limits.md).
TEST(Ties, ListsOfNoGapHaveWhatRoundingMakesEqual) {
  const std::vector<double> weights = {0, 1, 1e-17, 0, 0, 2e-17, 0, -1, 0};
  const DenseView view = DenseView::head_dependent(weights.data(), 3);
  const Problem problem{.root = RootRule::any};
  EXPECT_EQ(Ties(view, problem).count().decimal(), "1");
  const TreeList list = kbest(view, problem, {.max_gap = 0.0});
  EXPECT_EQ(list.size(), 2U);
}

std::string power(unsigned base, unsigned exponent) {
  std::string digits = "1";  // from the last
  for (unsigned i = 0; i < exponent; ++i) {
    unsigned carry = 0;
    for (char& digit : digits) {
      carry += static_cast<unsigned>(digit - '0') * base;
      digit = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    for (; carry != 0; carry /= 10) digits.push_back(static_cast<char>('0' + carry % 10));
  }
  return {digits.rbegin(), digits.rend()};
}

// Cayley: n + 1 nodes have (n + 1)^(n - 1) trees from a given one, n^(n - 1) with one root edge.
TEST(Ties, AllWeightsEqual) {
  const Matrix matrix = testing::random_matrix(90, Weights::equal, 1.0, 1);
  const Ties any(matrix.view(), {.root = RootRule::any});
  EXPECT_EQ(any.count().decimal(), power(91, 89));
  EXPECT_NEAR(any.log_count(), 89 * std::log(91.0), 1e-11);
  const Ties single(matrix.view(), {.root = RootRule::single});
  EXPECT_EQ(single.count().decimal(), power(90, 89));
  const std::vector<double> support = any.support();
  for (std::size_t h = 0; h <= 90; ++h)
    for (std::size_t d = 1; d <= 90; ++d)
      EXPECT_NEAR(support[h * 91 + d], h == 0 ? 2.0 / 91 : h == d ? 0.0 : 1.0 / 91, 1e-13);
}

// A ladder of a hundred thousand nodes: every rung has two ways to hang and three edges each.
TEST(Ties, LongAndSparse) {
  constexpr Node kRungs = 50'000;
  Multigraph graph(2 * kRungs + 1, Scalar::int64);
  for (Node rung = 0; rung < kRungs; ++rung) {
    const Node left = 2 * rung + 1, right = left + 1, above = rung == 0 ? 0 : left - 2;
    for (Node side : {left, right}) graph.add_edge(above, side, std::int64_t{1});
    graph.add_edge(left, right, std::int64_t{1});
    graph.add_edge(right, left, std::int64_t{1});
  }
  const Ties ties(graph, {.root = RootRule::any});
  EXPECT_NEAR(ties.log_count(), kRungs * std::log(3.0), 1e-7);
  const std::vector<double> support = ties.support();
  for (std::size_t i = 0; i < support.size(); ++i)
    EXPECT_NEAR(support[i], i % 4 < 2 ? 2.0 / 3.0 : 1.0 / 3.0, 1e-12);
}

// Numbers of trees that leave the range of float64 between the entries of one component.
TEST(Ties, UnevenEntries) {
  constexpr Node kNodes = 400;
  Multigraph graph(kNodes + 1, Scalar::int64);
  for (Node v = 1; v < kNodes; ++v) {
    for (int i = 0; i < 8; ++i) graph.add_edge(v, v + 1, std::int64_t{0});
    graph.add_edge(v + 1, v, std::int64_t{0});
  }
  graph.add_edge(0, 1, std::int64_t{-5});
  graph.add_edge(0, kNodes, std::int64_t{-5});
  const Ties ties(graph, {.root = RootRule::any});
  EXPECT_NEAR(ties.log_count(), (kNodes - 1) * std::log(8.0), 1e-9);
  EXPECT_EQ(ties.count().decimal(), [] {
    std::string digits = power(8, kNodes - 1);
    ++digits.back();  // and one tree from the other end
    return digits;
  }());
  const std::vector<double> support = ties.support();
  EXPECT_NEAR(support[0], 1.0 / 8.0, 1e-12);
  EXPECT_NEAR(support[8], 0.0, 1e-12);
  EXPECT_NEAR(support[support.size() - 2], 1.0, 1e-12);
}

TEST(Ties, HugeIntegers) {
  Multigraph graph(4, Scalar::int64);
  constexpr std::int64_t kHuge = std::int64_t{1} << 57;
  for (Node v : {1, 2, 3})
    for (std::int64_t less : {0, 0, 1}) graph.add_edge(0, v, kHuge - less);
  EXPECT_EQ(Ties(graph, {.root = RootRule::any}).count().decimal(), "8");
}

// The second tree is worse by 1, which float64 does not see.
TEST(Ties, HugeIntegersThatNearlyTie) {
  for (std::int64_t e : {std::int64_t{1'000'000'000'000'000}, (std::int64_t{1} << 58) + 1}) {
    const std::vector<std::int64_t> weights = {0, 2, 0, 0, 0, 1 - e, 0, 2 - e, 0};
    const auto view = DenseView::head_dependent(weights.data(), 3);
    EXPECT_EQ(Ties(view, {.root = RootRule::single}).count().decimal(), "1");
    for (RootRule rule : {RootRule::any, RootRule::single})
      expect_as_listed(view, {.root = rule}, "e " + std::to_string(e));
  }
}

TEST(Ties, NoTreeAndBadInput) {
  Multigraph graph(3);
  graph.add_edge(0, 1, 1.0);
  const Ties ties(graph, {.root = RootRule::any});
  EXPECT_TRUE(ties.empty());
  EXPECT_EQ(ties.count().decimal(), "0");
  EXPECT_EQ(ties.log_count(), kNoWeight);
  EXPECT_EQ(ties.support(), std::vector<double>{0.0});
  const Problem ruled{.root = RootRule::any, .rules = {rules::projective()}};
  EXPECT_THROW(Ties(graph, ruled), std::invalid_argument);
}

TEST(Ties, CanBeStopped) {
  const Matrix matrix =
      testing::random_matrix(testing::one_of() == 1 ? 640 : 450, Weights::equal, 1.0, 1);
  const Ties ties(matrix.view(), {.root = RootRule::any});
  EXPECT_GT(ties.count_steps(), 1e8);
  StopSource stop;
  stop.stop_at(std::chrono::steady_clock::now() + std::chrono::milliseconds(50));
  const StopScope scope(stop);
  EXPECT_THROW(ties.count(), Stopped);
}

TEST(PrimeField, NumbersFromRemainders) {
  std::uint64_t prime = std::uint64_t{1} << 62;
  engine::Remainders remainders;
  for (int i = 0; i < 3; ++i) {
    prime = engine::prime_below(prime);
    const engine::PrimeField field(prime);
    const auto ten = field.from(10);
    EXPECT_EQ(field.value(field.multiply(ten, field.inverse(ten))), 1U);
    EXPECT_EQ(remainders.add(field, field.value(field.power(ten, 30))), i < 2);
  }
  EXPECT_EQ(BigCount{remainders.words()}.decimal(), power(10, 30));
  EXPECT_EQ(engine::prime_below(std::uint64_t{1} << 61), (std::uint64_t{1} << 61) - 1);
}

}  // namespace
}  // namespace coppice
