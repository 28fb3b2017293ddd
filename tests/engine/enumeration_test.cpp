// Enumeration of a kernel by either way, and the scores of what it finds, alone.
#include "engine/enumeration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/best_tree.hpp"
#include "engine/pipeline.hpp"
#include "engine/report.hpp"
#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tuning sweep_only() {
  Tuning tuning;
  tuning.states = tuning.contracted_states = tuning.stream_states_per_tree = 1 << 20;
  return tuning;
}

Tuning queue_only() {
  Tuning tuning;
  tuning.most_swept = -1;
  return tuning;
}

// All steps up to the enumeration of the whole graph.
struct Whole {
  Whole(Graph graph, RootRule rule, const Tuning& tuning)
      : candidates(tuning), kernel(tuning), enumeration(tuning, legality), report(tuning) {
    found_tree = tree.solve(graph, {.root = rule});
    if (!found_tree) return;
    const bool integral = graph.scalar() == Scalar::int64;
    const Rounding rounding(tree.solution(), integral);
    candidates.start(tree.solver(), tree.solution(), rounding, rule);
    candidates.collect(kInfinity);
    kernel.build(candidates, kInfinity);
    enumeration.start(kernel, candidates, rounding, integral);
    report.start(tree.solver(), tree.solution(), integral, Objective::maximize);
    TreeBuilder(trees).reset(graph.nodes(), graph.multigraph() != nullptr, integral);
  }

  bool found_tree = false;
  BestTree tree;
  Candidates candidates;
  Kernel kernel;
  Legality legality;  // no rules
  Enumeration enumeration;
  FoundTrees found;
  Report report;
  TreeList trees;
};

TEST(Enumeration, SweepAndQueueFindTheSameTrees) {
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    const Scalar scalar = seed % 2 == 0 ? Scalar::int64 : Scalar::float64;
    const Node words = static_cast<Node>(2 + seed % 4);
    const auto graph =
        testing::random_multigraph(words, 4 * words, Weights::small_integers, seed, scalar);
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      const auto truth = testing::brute_force(graph, {.root = rule});
      for (const Tuning& tuning : {sweep_only(), queue_only()}) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Whole whole(graph, rule, tuning);
        ASSERT_EQ(whole.found_tree, !truth.empty());
        if (truth.empty()) continue;
        const auto k = static_cast<std::int64_t>((truth.size() + 1) / 2);
        whole.enumeration.best(k, kInfinity, whole.found);
        whole.report.write(whole.found, whole.candidates.list(), {.k = k}, whole.trees);
        ASSERT_EQ(whole.trees.size(), static_cast<std::size_t>(k));
        for (std::size_t rank = 0; rank < whole.trees.size(); ++rank) {
          EXPECT_EQ(whole.trees.score(rank), truth[rank].score);
          EXPECT_EQ(whole.trees[rank].integer_score, truth[rank].integer_score);
        }
      }
    }
  }
}

// Where components are contracted, trees pay for entering them again. A sweep that did not know it
// would visit some 30,000 states of a tenth of these graphs, and more than a million of some.
TEST(Enumeration, FewStatesLeadNowhere) {
  constexpr std::int64_t kTrees = 50;
  const Tuning tuning;
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    int contracted = 0, abandoned = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const auto matrix = testing::random_matrix(40, Weights::continuous, 1.0, seed);
      BestTree tree;
      ASSERT_TRUE(tree.solve(matrix.view(), {.root = rule}));
      if (!tree.solution().contracted()) continue;
      const Rounding rounding(tree.solution(), false);
      Candidates candidates(tuning);
      candidates.start(tree.solver(), tree.solution(), rounding, rule);
      const double limit = candidates.bound(kTrees) + rounding.slack(candidates.bound(kTrees));
      ASSERT_TRUE(candidates.collect(limit));
      Kernel kernel(tuning);
      kernel.build(candidates, limit);
      Sweep sweep(tuning);
      ++contracted;
      constexpr std::int64_t kStates = 40 * kTrees;
      const auto outcome = sweep.run(kernel, limit, rounding.slack(limit), kTrees, kStates);
      abandoned += outcome == Sweep::Outcome::abandoned ? 1 : 0;
    }
    EXPECT_GE(contracted, 40);
    EXPECT_LE(abandoned, 4);
  }
}

TEST(Enumeration, NoMoreTiesThanNeeded) {
  const Tuning tuning;
  const testing::Matrix zeros = testing::random_matrix(6, Weights::equal, 1.0, 1);
  Whole whole(zeros.view(), RootRule::any, tuning);  // 7^5 trees
  Sweep sweep(tuning);
  constexpr std::int64_t kMany = 1 << 20;
  EXPECT_EQ(sweep.run(whole.kernel, 5.0, 0.0, 100, kMany), Sweep::Outcome::complete);
  EXPECT_EQ(sweep.trees_up_to(kInfinity), 100);
  EXPECT_EQ(sweep.run_at_best(whole.kernel, 0.0, false, 100, kMany), Sweep::Outcome::complete);
  EXPECT_EQ(sweep.trees_up_to(kInfinity), 100);
  // Rounding decides: more of them.
  EXPECT_EQ(sweep.run_at_best(whole.kernel, 1e-9, false, 100, kMany), Sweep::Outcome::tied);
  EXPECT_EQ(sweep.trees_up_to(kInfinity), 700);
}

// Sums of 0.1 round, but those of the same weights in the same order do so alike.
TEST(Enumeration, NoMoreTiesThanNeededWhereWeightsAreEqual) {
  testing::Matrix tenths = testing::random_matrix(6, Weights::equal, 1.0, 1);
  for (double& weight : tenths.doubles) weight = 0.1;
  auto found = [&] {
    Whole whole(tenths.view(), RootRule::any, Tuning());
    Rounding rounding(whole.tree.solution(), false);
    rounding.look(whole.tree.solver().exactness());
    whole.enumeration.start(whole.kernel, whole.candidates, rounding, false);
    whole.enumeration.best(100, 0.0, whole.found);
    return whole.found.size();
  };
  EXPECT_EQ(found(), 100u);
  double& weight = tenths.doubles[tenths.doubles.size() - 2];
  weight = std::nextafter(weight, 0.0);
  EXPECT_EQ(found(), 700u);
}

TEST(Enumeration, AllTreesAtOnceOrOneByOne) {
  const auto matrix = testing::random_matrix(5, Weights::continuous, 1.0, 3);
  const auto truth = testing::brute_force(matrix.view(), {.root = RootRule::any});
  Whole whole(matrix.view(), RootRule::any, sweep_only());
  ASSERT_TRUE(whole.enumeration.all(1, kInfinity, whole.found));
  EXPECT_EQ(whole.found.size(), truth.size());
  whole.enumeration.one_by_one(kInfinity);
  std::size_t given = 0;
  while (whole.enumeration.next(kInfinity, whole.found)) given += whole.found.size();
  EXPECT_EQ(given, truth.size());
  Whole denied(matrix.view(), RootRule::any, queue_only());
  EXPECT_FALSE(denied.enumeration.all(1, kInfinity, denied.found));
}

// Weights so far apart that many trees equal the best one within the slack, which is far larger
// than what rounding takes: the sweep begins with those.
TEST(Enumeration, TreesThatNearlyTieWithTheBest) {
  std::mt19937_64 random(1);
  Tuning tuning = sweep_only();
  tuning.most_greedy = 0;
  Pipeline pipeline(tuning);
  for (int i = 0; i < 150; ++i) {
    constexpr Node kNodes = 6;
    std::vector<double> weights(place_of(kNodes * kNodes));
    for (double& weight : weights)
      weight = std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, static_cast<int>(random() % 60)) +
               static_cast<double>(random() % 8);
    const auto view = DenseView::head_dependent(weights.data(), kNodes);
    for (RootRule rule : {RootRule::any, RootRule::single})
      for (std::size_t k : {5, 25, 100}) {
        SCOPED_TRACE("graph " + std::to_string(i) + ", " + std::to_string(k) + " trees");
        TreeList trees;
        TreeBuilder(trees).reset(view);
        ASSERT_TRUE(pipeline.solve(view, {.root = rule}));
        pipeline.kbest({.k = static_cast<std::int64_t>(k)}, trees);
        const std::vector<double> scores = testing::brute_force_scores(view, rule, k);
        ASSERT_EQ(trees.size(), scores.size());
        for (std::size_t rank = 0; rank < scores.size(); ++rank)
          ASSERT_EQ(trees.score(rank), scores[rank]) << "rank " << rank + 1;
      }
  }
}

TEST(Report, CutsToARange) {
  const auto matrix = testing::random_matrix(5, Weights::continuous, 1.0, 4);
  const auto truth = testing::brute_force(matrix.view(), {.root = RootRule::any});
  Whole whole(matrix.view(), RootRule::any, sweep_only());
  ASSERT_TRUE(whole.enumeration.all(1, kInfinity, whole.found));
  const double above = truth[0].score - truth[10].score, up_to = truth[0].score - truth[20].score;
  whole.report.write(whole.found, whole.candidates.list(), {.above = above, .up_to = up_to},
                     whole.trees);
  ASSERT_EQ(whole.trees.size(), 10u);  // ranks 11 to 20
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(whole.trees.score(i), truth[11 + i].score);
  whole.report.write_best(whole.trees);
  ASSERT_EQ(whole.trees.size(), 1u);
  EXPECT_EQ(whole.trees.copy(0), truth[0]);
}

}  // namespace
}  // namespace coppice::engine
