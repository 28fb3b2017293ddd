// The sweep of a reduced graph, alone and as the planner calls it.
#include "engine/list/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/plan/planner.hpp"
#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMany = 1 << 20;

// All steps up to the sweep of the whole graph.
struct Whole {
  Whole(Graph graph, RootRule rule) {
    found_tree = solver.solve(graph, {.root = rule}, true) == TreeSolver::Answer::tree;
    if (!found_tree) return;
    candidates.start(solver);
    candidates.allow_all();
    candidates.collect(kInfinity);
    reduced.build(candidates, kInfinity);
  }
  double gap(std::size_t rank) const { return found.gap(rank) * solver.scale().unit; }

  bool found_tree = false;
  TreeSolver solver;
  Candidates candidates{Tuning()};
  ReducedGraph reduced{Tuning()};
  Sweep sweep{Tuning()};
  TreeEdits found;
};

TEST(Sweep, FindsTheBestTrees) {
  for (std::uint64_t seed = 1; seed <= 120 && !HasFailure(); ++seed) {
    const Node words = static_cast<Node>(2 + seed % 4);
    const auto graph =
        testing::random_multigraph(words, 4 * words, testing::kAllWeights[seed % 6], seed);
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      const auto truth = testing::brute_force(graph, {.root = rule});
      SCOPED_TRACE("seed " + std::to_string(seed));
      Whole whole(graph, rule);
      if (!whole.found_tree) continue;
      for (std::size_t k : {truth.size() / 2 + 1, truth.size()}) {
        ASSERT_TRUE(whole.sweep.run(whole.reduced, kInfinity, static_cast<std::int64_t>(k), kMany));
        whole.found.clear();
        whole.sweep.list(whole.candidates.list(), whole.found);
        ASSERT_EQ(whole.found.size(), std::min(k, truth.size()));
        for (std::size_t rank = 0; rank < whole.found.size(); ++rank)
          EXPECT_NEAR(whole.gap(rank), truth[0].score - truth[rank].score,
                      2 * (testing::rounding_of(graph) + testing::rounding_of_plain_sums(graph)));
      }
    }
  }
}

// Where components are contracted, trees pay for entering them again. A sweep that did not know it
// would visit some 30,000 states of a tenth of these graphs, and more than a million of some.
TEST(Sweep, FewStatesLeadNowhere) {
  constexpr std::int64_t kTrees = 50;
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    int contracted = 0, abandoned = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const auto matrix = testing::random_matrix(40, Weights::continuous, 1.0, seed);
      TreeSolver solver;
      ASSERT_EQ(solver.solve(matrix.view(), {.root = rule}, true), TreeSolver::Answer::tree);
      if (!solver.tree().contracted()) continue;
      Candidates candidates{Tuning()};
      candidates.start(solver);
      const double limit = candidates.bound(kTrees);
      ASSERT_TRUE(candidates.collect(limit));
      ReducedGraph reduced{Tuning()};
      reduced.build(candidates, limit);
      ++contracted;
      constexpr std::int64_t kStates = 40 * kTrees;
      abandoned += Sweep(Tuning()).run(reduced, limit, kTrees, kStates) ? 0 : 1;
    }
    EXPECT_GE(contracted, 40);
    EXPECT_LE(abandoned, 4);
  }
}

// However many tie: 7^5 trees here.
TEST(Sweep, NoMoreTiesThanNeeded) {
  for (double weight : {0.0, 0.1}) {
    testing::Matrix matrix = testing::random_matrix(6, Weights::equal, 1.0, 1);
    for (double& each : matrix.doubles) each = weight;
    Whole whole(matrix.view(), RootRule::any);
    for (double limit : {0.0, 5.0}) {
      EXPECT_TRUE(whole.sweep.run(whole.reduced, limit, 100, kMany));
      EXPECT_EQ(whole.sweep.size(), 100);
    }
    EXPECT_TRUE(whole.sweep.run(whole.reduced, 0.0, Sweep::kAll, kMany));
    EXPECT_EQ(whole.sweep.size(), 16'807);
  }
}

TEST(Sweep, AllTreesAtOnceOrOneByOne) {
  const auto matrix = testing::random_matrix(5, Weights::continuous, 1.0, 3);
  const Graph graph = matrix.view();
  const Problem problem{.root = RootRule::any};
  const auto truth = testing::brute_force(graph, problem);
  Tuning tuning;
  tuning.stream_states_per_tree = kMany;
  Planner planner(tuning);
  TreeList trees;
  TreeBuilder(trees).reset(graph);
  ASSERT_TRUE(planner.solve(graph, problem, true));
  ASSERT_TRUE(planner.range(1, -1.0, kInfinity, trees));
  EXPECT_EQ(trees.size(), truth.size());
  // Trees of ranks 11 to 20.
  const double above = planner.units(0.5 * (trees.gap(9) + trees.gap(10)));
  const double up_to = planner.units(0.5 * (trees.gap(19) + trees.gap(20)));
  planner.solve(graph, problem, true);  // another stream
  ASSERT_TRUE(planner.range(1, above, up_to, trees));
  ASSERT_EQ(trees.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(trees.score(i), truth[10 + i].score, testing::rounding_of(graph));
  planner.solve(graph, problem, true);
  planner.one_by_one(kInfinity, kInfinity);
  std::size_t given = 0;
  while (planner.next(-1.0, kInfinity, trees)) {
    ASSERT_EQ(trees.size(), 1u);
    EXPECT_NEAR(trees.score(0), truth[given++].score, testing::rounding_of(graph));
  }
  EXPECT_EQ(given, truth.size());
  tuning.stream_states_per_tree = 0;
  Planner denied(tuning);
  ASSERT_TRUE(denied.solve(graph, problem, true));
  EXPECT_FALSE(denied.range(1, -1.0, kInfinity, trees));
}

}  // namespace
}  // namespace coppice::engine
