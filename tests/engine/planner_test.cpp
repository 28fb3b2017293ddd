// Which way the engine goes, and that the partition queue of a whole graph, the last way, gives
// what the others give where thousands of trees tie.
#include "engine/plan/planner.hpp"

#include <gtest/gtest.h>

#include <coppice/rules.hpp>
#include <coppice/verify.hpp>
#include <random>
#include <set>
#include <vector>

#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

constexpr RootRule kRules[] = {RootRule::any, RootRule::single};

// The queue works on the graph itself, whatever its size.
Tuning whole_graph() {
  Tuning tuning;
  tuning.most_greedy = 0;
  tuning.most_candidates = tuning.candidates_per_tree = 0;
  tuning.edges_per_candidate = std::size_t{1} << 40;
  return tuning;
}

std::vector<Tree> list(Graph graph, const Problem& problem, std::int64_t k, const Tuning& tuning,
                       Way* way = nullptr) {
  Planner planner(tuning);
  TreeList list;
  TreeBuilder(list).reset(graph);
  if (planner.solve(graph, problem, true)) planner.kbest({.k = k}, list);
  if (way != nullptr) *way = planner.way();
  std::vector<Tree> trees;
  for (std::size_t rank = 0; rank < list.size(); ++rank) trees.push_back(list.copy(rank));
  return trees;
}

Way way_of(Graph graph, const Problem& problem, std::int64_t k, const Tuning& tuning = {}) {
  Way way = Way::none;
  list(graph, problem, k, tuning, &way);
  return way;
}

TEST(Planner, Ways) {
  const auto random = testing::random_matrix(30, Weights::continuous, 1.0, 1);
  auto greedy = random;
  for (std::size_t v = 1; v <= 30; ++v) greedy.doubles[(v - 1) * 31 + v] += 1.0;
  const Problem any{.root = RootRule::any};
  EXPECT_EQ(way_of(random.view(), any, 1), Way::best);
  EXPECT_EQ(way_of(greedy.view(), any, 10), Way::best_first);
  EXPECT_EQ(way_of(greedy.view(), any, 50), Way::combinations);
  Tuning no_greedy;
  no_greedy.most_greedy = 0;
  EXPECT_EQ(way_of(random.view(), any, 50, no_greedy), Way::sweep);
  const auto equal = testing::random_matrix(30, Weights::equal, 1.0, 1);
  EXPECT_EQ(way_of(equal.view(), any, 50, no_greedy), Way::ties);
  EXPECT_EQ(way_of(random.view(), any, 50, whole_graph()), Way::whole);
  Tuning no_sweep;
  no_sweep.most_greedy = no_sweep.states = no_sweep.states_per_tree = 0;
  EXPECT_EQ(way_of(random.view(), any, 50, no_sweep), Way::reduced);
  EXPECT_EQ(way_of(random.view(), {.root = RootRule::any, .rules = {rules::projective()}}, 50),
            Way::projective);
  auto masked = greedy;
  for (std::size_t h = 0; h <= 30; ++h) masked.doubles[h * 31 + 8] = -1e20;
  for (std::size_t h = 0; h <= 30; ++h) masked.doubles[h * 31 + 7] = -1e25;
  masked.doubles[8 * 31 + 7] = masked.doubles[7 * 31 + 8] = 1.0;
  EXPECT_EQ(way_of(masked.view(), any, 5), Way::exact);
  const auto none = testing::matrix_of({{1, 1}, {kNoWeight, kNoWeight}, {kNoWeight, kNoWeight}});
  EXPECT_EQ(way_of(none.view(), {.root = RootRule::single}, 5), Way::none);
}

void expect_scores(Graph graph, RootRule rule, const std::vector<Tree>& trees,
                   const std::vector<double>& scores) {
  ASSERT_EQ(trees.size(), scores.size());
  std::set<std::vector<Node>> seen;
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    ASSERT_TRUE(is_tree(trees[rank].heads));
    ASSERT_TRUE(obeys(trees[rank].heads, rule));
    ASSERT_TRUE(seen.insert(trees[rank].heads).second);
    ASSERT_EQ(trees[rank].score, testing::exact_score(graph, trees[rank]));
    ASSERT_EQ(trees[rank].score, scores[rank]) << "rank " << rank + 1;
  }
}

// Zeros, and some ones.
std::vector<double> random_weights(Node nodes, std::mt19937_64& random) {
  const auto ones = 2 + random() % 5;
  std::vector<double> weights(place_of(nodes) * place_of(nodes));
  for (double& weight : weights) weight = random() % ones == 0 ? 1.0 : 0.0;
  return weights;
}

TEST(Planner, ManyTiesInAWholeGraph) {
  std::mt19937_64 random(1);
  for (int i = 0; i < testing::share(60); ++i) {
    const Node nodes = 6 + static_cast<Node>(random() % 2);
    const auto weights = random_weights(nodes, random);
    const auto view = DenseView::head_dependent(weights.data(), nodes);
    for (RootRule rule : kRules)
      for (std::size_t k : {3, 8, 20, 60}) {
        SCOPED_TRACE("graph " + std::to_string(i) + ", " + std::to_string(k) + " trees");
        expect_scores(view, rule,
                      list(view, {.root = rule}, static_cast<std::int64_t>(k), whole_graph()),
                      testing::brute_force_scores(view, rule, k));
        if (HasFailure()) return;
      }
  }
}

TEST(Planner, ManyTiesAsInTheReducedGraph) {
  std::mt19937_64 random(2);
  for (int i = 0; i < testing::share(100); ++i) {
    const Node nodes = 7 + static_cast<Node>(random() % 6);
    const auto weights = random_weights(nodes, random);
    const auto view = DenseView::head_dependent(weights.data(), nodes);
    for (RootRule rule : kRules)
      for (std::int64_t k : {10, 40, 200}) {
        SCOPED_TRACE("graph " + std::to_string(i) + ", " + std::to_string(k) + " trees");
        std::vector<double> scores;
        for (const Tree& tree : list(view, {.root = rule}, k, {})) scores.push_back(tree.score);
        expect_scores(view, rule, list(view, {.root = rule}, k, whole_graph()), scores);
        if (HasFailure()) return;
      }
  }
}

// A path, every edge back for nothing, and ways out that cost 100: the second tree has thousands of
// equals, but not around itself.
TEST(Planner, ThousandsOfEqualsOfTheSecondTree) {
  const Node nodes = 31;
  std::vector<double> weights(place_of(nodes) * place_of(nodes), 0.0);
  for (Node s = 0; s < nodes; ++s)
    for (Node t = 1; t < nodes; ++t)
      weights[place_of(s * nodes + t)] = s == 0 && t > 1 ? -100.0 : s + 1 < t ? kNoWeight : 0.0;
  const auto view = DenseView::head_dependent(weights.data(), nodes);
  for (RootRule rule : kRules) {
    std::vector<double> scores(500, -100.0);
    scores[0] = 0.0;
    for (const Tuning& tuning : {Tuning(), whole_graph()})
      expect_scores(view, rule, list(view, {.root = rule}, 500, tuning), scores);
  }
}

// Two root edges are the best, and every tree with one of them pays the same price.
TEST(Planner, TwoWordsThatWantTheRoot) {
  for (std::uint64_t seed = 1; seed <= testing::share(200U) && !HasFailure(); ++seed) {
    auto matrix = testing::random_matrix(5, Weights::small_integers, 1.0, seed);
    matrix.doubles[1] += 20.0;
    matrix.doubles[2 + seed % 4] += 20.0;
    const auto scores = testing::brute_force_scores(matrix.view(), RootRule::single, 300);
    for (const Tuning& tuning : {Tuning(), whole_graph()})
      expect_scores(matrix.view(), RootRule::single,
                    list(matrix.view(), {.root = RootRule::single}, 300, tuning), scores);
  }
}

}  // namespace
}  // namespace coppice::engine
