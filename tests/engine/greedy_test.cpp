// The greedy case: both ways of listing its trees, alone, against brute force and the kernel; and
// the parts they are made of.
#include "engine/greedy.hpp"
#include "graph/tree_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "engine/best_tree.hpp"
#include "engine/frontier.hpp"
#include "engine/pipeline.hpp"
#include "engine/report.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Matrix;
using testing::Weights;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMany = std::int64_t{1} << 30;

Tuning best_first() {
  Tuning tuning;
  tuning.few_trees = kMany;
  tuning.dead_ends = kMany;
  return tuning;
}

Tuning combinations() {
  Tuning tuning;
  tuning.few_trees = 0;
  tuning.combinations = 1 << 16;
  return tuning;
}

Tuning kernel_only() {
  Tuning tuning;
  tuning.most_greedy = 0;
  return tuning;
}

// The best tree of a graph and, where nothing is contracted, the others.
struct Lister {
  Lister(Graph graph, const Which& which, const Tuning& tuning)
      : integral(graph.scalar() == Scalar::int64),
        rule(which.root),
        greedy(tuning),
        report(tuning) {
    is_greedy = tree.solve(graph, which) && !tree.solution().contracted();
    if (!is_greedy) return;
    report.start(tree.solver(), tree.solution(), integral, which.objective);
    TreeBuilder(trees).reset(graph.nodes(), false, integral);
  }

  bool list(std::int64_t k, double max_gap = kInfinity) {
    const GreedyCase graph(*tree.dense(), tree.solution(), rule, integral);
    if (!greedy.run(graph, k, max_gap, found)) return false;
    report.write(found, greedy.candidates(), {.k = k, .up_to = max_gap}, trees);
    return true;
  }

  bool integral, is_greedy = false;
  RootRule rule;
  BestTree tree;
  Greedy greedy;
  FoundTrees found;
  Report report;
  TreeList trees;
};

// Every k from 1 to all trees and one more.
void expect_brute_force(Graph graph, const Which& which, const Tuning& tuning, double rounding,
                        int& compared) {
  Lister run(graph, which, tuning);
  if (!run.is_greedy) return;
  ++compared;
  const auto truth = testing::brute_force(graph, which);
  const auto all = static_cast<std::int64_t>(truth.size());
  for (std::int64_t k = 1; k <= all + 1; k += 1 + k / 5) {
    ASSERT_TRUE(run.list(k)) << "k " << k;
    ASSERT_EQ(run.trees.size(), std::min(truth.size(), static_cast<std::size_t>(k))) << "k " << k;
    for (std::size_t rank = 0; rank < run.trees.size(); ++rank) {
      ASSERT_NEAR(run.trees.score(rank), truth[rank].score, rounding) << k << " " << rank;
      ASSERT_EQ(run.trees[rank].integer_score, truth[rank].integer_score) << k << " " << rank;
    }
  }
}

// Sums of 0.1 round. But trees of the same weights, node by node, have the same score, and one with
// a smaller weight has none that is better: no others are looked at, unless too few are equal.
TEST(Greedy, EqualWeightsNeedNoSecondLook) {
  constexpr std::int64_t kTrees = 20;
  Matrix matrix = testing::random_matrix(8, Weights::equal, 1.0, 1);
  std::fill(matrix.doubles.begin(), matrix.doubles.end(), 0.1);
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    Lister equal(matrix.view(), {.root = rule}, best_first());
    ASSERT_TRUE(equal.is_greedy);
    ASSERT_TRUE(equal.list(kTrees));
    EXPECT_EQ(equal.found.size(), std::size_t{kTrees});
    Matrix other = matrix;
    other.doubles[other.doubles.size() - 2] = std::nextafter(0.1, 0.0);
    Lister smaller(other.view(), {.root = rule}, best_first());
    ASSERT_TRUE(smaller.is_greedy);
    ASSERT_TRUE(smaller.list(kTrees));
    EXPECT_EQ(smaller.found.size(), std::size_t{kTrees});
    std::fill(other.doubles.begin(), other.doubles.end(), std::nextafter(0.1, 0.0));
    for (std::size_t v = 1; v < 9; ++v) other.doubles[(v - 1) * 9 + v] = 0.1;  // a path
    Lister near(other.view(), {.root = rule}, best_first());
    ASSERT_TRUE(near.is_greedy);
    ASSERT_TRUE(near.list(kTrees));
    EXPECT_GT(near.found.size(), std::size_t{kTrees});
  }
}

TEST(Greedy, BothWaysAgreeWithBruteForce) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    const Weights weights = testing::kAllWeights[seed % std::size(testing::kAllWeights)];
    const Node words = static_cast<Node>(1 + seed % 5);
    const Matrix matrix = testing::random_matrix(words, weights, seed % 3 == 0 ? 0.7 : 1.0, seed);
    for (RootRule rule : {RootRule::any, RootRule::single})
      for (Objective objective : {Objective::maximize, Objective::minimize})
        for (const Tuning& tuning : {best_first(), combinations()}) {
          SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed) + ", few trees " +
                       std::to_string(tuning.few_trees));
          expect_brute_force(matrix.view(), {.root = rule, .objective = objective}, tuning,
                             weights == Weights::offset ? 1e-8 : 0.0, compared);
        }
  }
  EXPECT_GT(compared, 200);
}

TEST(Greedy, Integers) {
  std::mt19937_64 random(7);
  int compared = 0;
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    // Small ones, and large ones that float64 cannot tell apart.
    const std::int64_t base = i % 2 == 0 ? 0 : (std::int64_t{1} << 57) + 1;
    std::vector<std::int64_t> matrix(25);
    for (std::int64_t& weight : matrix) weight = base + static_cast<std::int64_t>(random() % 4);
    for (RootRule rule : {RootRule::any, RootRule::single})
      for (const Tuning& tuning : {best_first(), combinations()})
        expect_brute_force(DenseView::head_dependent(matrix.data(), 5), {.root = rule}, tuning, 0.0,
                           compared);
  }
  EXPECT_GT(compared, 100);
}

TEST(Greedy, AllWithinAGap) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    const Matrix matrix = testing::random_matrix(4, Weights::small_integers, 1.0, seed);
    for (RootRule rule : {RootRule::any, RootRule::single})
      for (const Tuning& tuning : {best_first(), combinations()})
        for (double max_gap : {0.0, 1.0, 2.5}) {
          Lister run(matrix.view(), {.root = rule}, tuning);
          if (!run.is_greedy) continue;
          ++compared;
          const auto truth =
              testing::brute_force(matrix.view(), {.root = rule}, {.k = 40, .max_gap = max_gap});
          ASSERT_TRUE(run.list(40, max_gap));
          ASSERT_EQ(run.trees.size(), truth.size());
          for (std::size_t rank = 0; rank < truth.size(); ++rank)
            EXPECT_EQ(run.trees.score(rank), truth[rank].score);
        }
  }
  EXPECT_GT(compared, 50);
}

// Graphs of a size at which bits are shared, with a best tree that is deep, so that many
// combinations are cyclic.
TEST(Greedy, LargeGraphsAgreeWithTheKernel) {
  for (Node words : {63, 64, 65, 66, 150}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(words));
    std::uniform_real_distribution<double> weight;
    Matrix matrix{words + 1, {}, {}};
    for (Node s = 0; s <= words; ++s)
      for (Node t = 0; t <= words; ++t)
        matrix.doubles.push_back(s + 1 == t || (s + 2 == t && t % 3 == 0) ? 1.0 + weight(random)
                                                                          : weight(random));
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      TreeList expected;
      TreeBuilder(expected).reset(words + 1, false, false);
      Pipeline pipeline(kernel_only());
      ASSERT_TRUE(pipeline.solve(matrix.view(), {.root = rule}));
      pipeline.kbest({.k = 300}, expected);
      for (const Tuning& tuning : {best_first(), combinations()}) {
        Lister run(matrix.view(), {.root = rule}, tuning);
        ASSERT_TRUE(run.is_greedy);
        ASSERT_TRUE(run.list(300));
        EXPECT_TRUE(std::ranges::equal(run.trees.scores(), expected.scores()));
      }
    }
  }
}

// Equal weights whose sums are exact: no tree beyond those wanted, and nearly nothing is looked at.
TEST(Greedy, TouchesOnlyWhatItNeeds) {
  const Matrix matrix{301, std::vector<double>(301 * 301, 0.0), {}};
  Lister run(matrix.view(), {.root = RootRule::any}, {});
  ASSERT_TRUE(run.is_greedy);
  ASSERT_TRUE(run.list(2));
  EXPECT_EQ(run.found.size(), 2U);
  EXPECT_LT(run.greedy.candidates().size(), 8U);
  ASSERT_TRUE(run.list(100));
  EXPECT_EQ(run.found.size(), 100U);
}

// A line whose edges back are cheap: every combination of them but few is cyclic.
TEST(Greedy, GivesUpWhereMostCombinationsAreCyclic) {
  const Node nodes = 61;
  Matrix matrix{nodes, std::vector<double>(nodes * nodes, -1000.0), {}};
  for (Node s = 0; s < nodes; ++s)
    for (Node t = 0; t < nodes; ++t)
      if (s + 1 == t)
        matrix.doubles[static_cast<std::size_t>(s * nodes + t)] = 0.0;
      else if (s > t)
        matrix.doubles[static_cast<std::size_t>(s * nodes + t)] = -1.0 - 0.001 * (s - t);
  Lister run(matrix.view(), {.root = RootRule::any}, {});
  ASSERT_TRUE(run.is_greedy);
  EXPECT_FALSE(run.list(3));
  // Which nobody notices.
  TreeList trees;
  TreeBuilder(trees).reset(nodes, false, false);
  Pipeline pipeline;
  ASSERT_TRUE(pipeline.solve(matrix.view(), {.root = RootRule::any}));
  pipeline.kbest({.k = 3}, trees);
  EXPECT_EQ(trees.size(), 3U);
}

TEST(ChangedTrees, AreTreesWhenNoNodeHangsFromItself) {
  std::mt19937_64 random(3);
  int cyclic = 0, repaired = 0;
  for (int i = 0; i < 300; ++i) {
    const auto nodes = static_cast<Node>(2 + random() % (i % 2 == 0 ? 12 : 100));
    auto below = [&](Node v) { return static_cast<Node>(random() % static_cast<unsigned>(v)); };
    Indexed<Node, Node> heads(static_cast<std::size_t>(nodes), kNoNode);
    for (Node v = 1; v < nodes; ++v) heads[v] = std::max(below(v), v - 3);
    ChangedTrees trees;
    trees.of(heads);
    trees.clear();
    CombinationId id = ChangedTrees::kBest;
    std::vector<Node> order;
    for (Node v = 1; v < nodes; ++v) order.push_back(v);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t j = 0; j < std::min<std::size_t>(order.size(), 8); ++j) {
      const Candidate edge{0.0, 0.0, 0.0, below(nodes), order[j], kNoEdge};
      heads[edge.dependent] = edge.head;
      bool is_tree = true;
      for (Node v = 1; v < nodes; ++v) {
        Node up = v;
        for (Node steps = 0; up != 0 && steps < nodes; ++steps) up = heads[up];
        is_tree = is_tree && up == 0;
      }
      const bool was_tree = trees.is_tree(id);
      id = trees.add(id, CandidateId(static_cast<std::int32_t>(j)), edge);
      ASSERT_EQ(trees.is_tree(id), is_tree);
      cyclic += is_tree ? 0 : 1;
      repaired += is_tree && !was_tree ? 1 : 0;
    }
  }
  EXPECT_GT(cyclic, 100);
  EXPECT_GT(repaired, 10);
}

TEST(Frontier, GivesTheLeastFirst) {
  std::mt19937_64 random(5);
  Frontier<int> frontier;
  for (int round = 0; round < 20; ++round) {
    frontier.clear();
    std::multimap<double, int> truth;
    for (int i = 0; i < 3000; ++i) {
      if (truth.empty() || random() % 5 < 3) {
        const auto cost = static_cast<double>(random() % 500);
        frontier.push(cost, i);
        truth.emplace(cost, i);
        continue;
      }
      const auto [cost, state] = frontier.pop();
      ASSERT_EQ(cost, truth.begin()->first);
      auto [first, last] = truth.equal_range(cost);
      const auto same = std::find_if(
          first, last, [state = state](const auto& entry) { return entry.second == state; });
      ASSERT_NE(same, last);
      truth.erase(same);
    }
    EXPECT_EQ(frontier.empty(), truth.empty());
  }
}

}  // namespace
}  // namespace coppice::engine
