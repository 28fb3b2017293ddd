// Best first over combinations of edits, where nothing is contracted: alone, against brute force
// and the reduced graph; and the parts it is made of.
#include "engine/list/best_first.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/kbest.hpp>
#include <limits>
#include <map>
#include <random>

#include "engine/list/frontier.hpp"
#include "engine/plan/planner.hpp"
#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Matrix;
using testing::Weights;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tuning patient() {
  Tuning tuning;
  tuning.few_trees = tuning.dead_ends = std::int64_t{1} << 30;
  return tuning;
}

// The best tree of a graph and, where nothing is contracted, the others.
struct Lister {
  Lister(Graph graph, const Problem& problem, const Tuning& tuning) : best_first(tuning) {
    const auto answer = solver.solve(graph, problem, true);
    is_greedy = answer == TreeSolver::Answer::tree && !solver.tree().contracted();
  }

  // Max_gap in units.
  bool list(std::int64_t k, double max_gap = kInfinity) {
    return best_first.run(*solver.dense(), solver.tree(), k, max_gap, nullptr, found);
  }
  double gap(std::size_t rank) const { return found.gap(rank) * solver.scale().unit; }

  bool is_greedy = false;
  TreeSolver solver;
  BestFirst best_first;
  TreeEdits found;
};

void expect_gaps(const Lister& run, const std::vector<Tree>& truth, std::size_t k,
                 double rounding) {
  ASSERT_EQ(run.found.size(), std::min(truth.size(), k)) << "k " << k;
  for (std::size_t rank = 0; rank < run.found.size(); ++rank) {
    ASSERT_NEAR(run.gap(rank), std::abs(truth[0].score - truth[rank].score), rounding)
        << k << " " << rank;
    ASSERT_TRUE(rank == 0 || run.found.gap(rank) >= run.found.gap(rank - 1));
  }
}

TEST(BestFirst, AgreesWithBruteForce) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= testing::share(400U) && !HasFailure(); ++seed) {
    const Weights weights = testing::kAllWeights[seed % std::size(testing::kAllWeights)];
    const Node words = static_cast<Node>(1 + seed % 5);
    const Matrix matrix = testing::random_matrix(words, weights, seed % 3 == 0 ? 0.7 : 1.0, seed);
    for (RootRule rule : {RootRule::any, RootRule::single})
      for (Objective objective : {Objective::maximize, Objective::minimize}) {
        SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed));
        const Problem problem{.root = rule, .objective = objective};
        Lister run(matrix.view(), problem, patient());
        if (!run.is_greedy) continue;
        ++compared;
        const auto truth = testing::brute_force(matrix.view(), problem);
        const double rounding = 2 * (testing::rounding_of(matrix.view()) +
                                     testing::rounding_of_plain_sums(matrix.view()));
        const auto all = static_cast<std::int64_t>(truth.size());
        // Every k from 1 to all trees and one more.
        for (std::int64_t k = 1; k <= all + 1; k += 1 + k / 5) {
          ASSERT_TRUE(run.list(k)) << "k " << k;
          expect_gaps(run, truth, static_cast<std::size_t>(k), rounding);
        }
      }
  }
  EXPECT_GT(compared, testing::share(100));
}

TEST(BestFirst, AllWithinAGap) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    const Matrix matrix = testing::random_matrix(4, Weights::small_integers, 1.0, seed);
    for (RootRule rule : {RootRule::any, RootRule::single})
      for (double max_gap : {0.0, 1.0, 2.5}) {
        Lister run(matrix.view(), {.root = rule}, patient());
        if (!run.is_greedy) continue;
        ++compared;
        const auto truth =
            testing::brute_force(matrix.view(), {.root = rule}, {.k = 40, .max_gap = max_gap});
        ASSERT_TRUE(run.list(40, std::floor(max_gap * run.solver.scale().per_unit)));
        expect_gaps(run, truth, 40, 0.0);
      }
  }
  EXPECT_GT(compared, 50);
}

// Graphs of a size at which bits are shared, with a best tree that is deep, so that many
// combinations are cyclic.
TEST(BestFirst, LargeGraphsAgreeWithTheReducedGraph) {
  for (Node words : {63, 64, 65, 66, 150}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(words));
    std::uniform_real_distribution<double> weight;
    Matrix matrix{words + 1, {}, {}};
    for (Node s = 0; s <= words; ++s)
      for (Node t = 0; t <= words; ++t)
        matrix.doubles.push_back(s + 1 == t || (s + 2 == t && t % 3 == 0) ? 1.0 + weight(random)
                                                                          : weight(random));
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      auto list = [&](const Tuning& tuning, Way way) {
        TreeList trees;
        TreeBuilder(trees).reset(matrix.view());
        Planner planner(tuning);
        EXPECT_TRUE(planner.solve(matrix.view(), {.root = rule}, true));
        planner.kbest({.k = 300}, trees);
        EXPECT_EQ(planner.way(), way);
        return std::vector<double>(trees.scores().begin(), trees.scores().end());
      };
      Tuning reduced;
      reduced.most_greedy = 0;
      EXPECT_EQ(list(patient(), Way::best_first), list(reduced, Way::sweep));
    }
  }
}

// No tree beyond those wanted, and nearly nothing is looked at.
TEST(BestFirst, NoMoreTiesThanNeeded) {
  for (double weight : {0.0, 0.1}) {
    const Matrix matrix{301, std::vector<double>(301 * 301, weight), {}};
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      Lister run(matrix.view(), {.root = rule}, {});
      ASSERT_TRUE(run.is_greedy);
      for (std::int64_t k : {2, 100}) {
        ASSERT_TRUE(run.list(k));
        EXPECT_EQ(run.found.size(), static_cast<std::size_t>(k));
        EXPECT_EQ(run.gap(run.found.size() - 1), 0.0);
      }
    }
  }
}

// A line whose edges back are cheap: every combination of them but few is cyclic.
TEST(BestFirst, GivesUpWhereMostCombinationsAreCyclic) {
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
  EXPECT_EQ(kbest(matrix.view(), {.root = RootRule::any}, {.k = 3}).size(), 3U);
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
      const Candidate edge{0.0, 0.0, below(nodes), order[j], kNoEdge};
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
