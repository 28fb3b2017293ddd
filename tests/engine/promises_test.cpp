// What docs/limits.md promises of lists and streams: none loses a tree, and both mean the same by
// max_gap.
#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/kbest.hpp>
#include <random>
#include <set>

#include "support/brute_force.hpp"
#include "support/effort.hpp"

namespace coppice {
namespace {

struct Listed {
  std::vector<double> scores;
  std::set<std::vector<EdgeId>> edges;
};

Listed stream(Graph graph, const Request& request = {}) {
  Listed all;
  TreeStream trees(graph, {.root = RootRule::any}, request);
  while (auto tree = trees.next()) {
    all.scores.push_back(tree->score);
    all.edges.insert(tree->edges);
  }
  return all;
}

TEST(Promises, IntegersWithinAGapAreComparedExactly) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 53;
  Multigraph graph(2, Scalar::int64);
  graph.add_edge(0, 1, kLarge);
  graph.add_edge(0, 1, kLarge + 1);
  for (const double gap : {0.0, 0.5, 1.0, 1.5}) {
    const std::size_t within = gap < 1.0 ? 1 : 2;
    const Problem problem{.root = RootRule::any};
    EXPECT_EQ(kbest(graph, problem, {.max_gap = gap}).size(), within) << gap;
    EXPECT_EQ(kbest(graph, problem, {.k = 2, .max_gap = gap}).size(), within) << gap;
    EXPECT_EQ(
        kbest(graph, {.root = RootRule::any, .objective = Objective::minimize}, {.max_gap = gap})
            .size(),
        within)
        << gap;
    EXPECT_EQ(stream(graph, {.max_gap = gap}).scores.size(), within) << gap;
  }
}

// Two words that want each other: the way in decides, by a unit in the last place.
TEST(Promises, IntegersOfACycleWithinAGapAreComparedExactly) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 56;
  const std::vector<std::int64_t> matrix = {0, 0, 1, 0, 0, kLarge, 0, kLarge, 0};
  const Graph graph = DenseView::head_dependent(matrix.data(), 3);
  for (const RootRule rule : {RootRule::any, RootRule::single}) {
    for (const double gap : {0.0, 0.5, 1.0, 2.0}) {
      const std::size_t within = gap < 1.0 ? 1 : 2;
      EXPECT_EQ(kbest(graph, {.root = rule}, {.max_gap = gap}).size(), within) << gap;
      EXPECT_EQ(kbest(graph, {.root = rule}, {.k = 3, .max_gap = gap}).size(), within) << gap;
    }
  }
  for (const double gap : {0.0, 1.0}) {
    Listed streamed = stream(graph, {.max_gap = gap});
    EXPECT_EQ(streamed.scores.size(), gap < 1.0 ? 1U : 2U) << gap;
  }
}

// Plain additions of the tail would round to the same side; the gaps lie where a stream's second
// stage begins.
Multigraph one_sided(Node words) {
  const double unit = 0x1p-43, small = 0.51 * unit, large = 0x1.26b7278b727b9p+9;
  const std::vector<double> gaps = {100, 130, 160, 190};
  Multigraph graph(words + 1);
  graph.add_edge(0, 1, 0.0);
  graph.add_edge(0, 1, -large);
  for (Node v = 2; v <= words; ++v) {
    graph.add_edge(0, v, small);
    if (v > words - 4) graph.add_edge(0, v, small - gaps[static_cast<std::size_t>(words - v)]);
  }
  return graph;
}

TEST(Promises, AStreamLosesNoTreeBetweenStages) {
  for (const Node words : {20, 100, 400}) {
    const Multigraph graph = one_sided(words);
    const TreeList all = kbest(graph, {.root = RootRule::any}, {.k = 100});
    EXPECT_EQ(all.size(), 32U) << words;
    EXPECT_EQ(stream(graph).edges.size(), 32U) << words;
    // Whatever the gap, all within it are there.
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const double gap = all.score(0) - all.score(rank) + 1.0;
      const auto within = static_cast<std::size_t>(
          std::count_if(all.scores().begin(), all.scores().end(),
                        [&](double score) { return all.score(0) - score <= gap; }));
      EXPECT_EQ(kbest(graph, {.root = RootRule::any}, {.max_gap = gap}).size(), within) << gap;
      EXPECT_EQ(stream(graph, {.max_gap = gap}).scores.size(), within) << gap;
    }
  }
}

// Weights that differ in their last digits only: all trees are equal within rounding.
std::vector<double> near_ties(Node nodes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> matrix(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes));
  for (double& weight : matrix) weight = 1.0 + static_cast<double>(random() % 8) * 0x1p-52;
  return matrix;
}

TEST(Promises, ListsAndStreamsMeanTheSameByAGap) {
  for (std::uint64_t seed = 1; seed <= testing::share(40U); ++seed) {
    const auto matrix = near_ties(6, seed);
    const Graph graph = DenseView::head_dependent(matrix.data(), 6);
    const TreeList all = kbest(graph, {.root = RootRule::any}, {.k = 2'000});
    ASSERT_EQ(all.size(), 1'296U);
    for (const double gap : {0.0, 0x1p-51, 0x1p-50, 0x1.8p-50}) {
      const auto within =
          testing::brute_force(graph, {.root = RootRule::any}, {.max_gap = gap}).size();
      const TreeList list = kbest(graph, {.root = RootRule::any}, {.max_gap = gap});
      EXPECT_EQ(list.size(), within) << seed << ' ' << gap;
      EXPECT_EQ(kbest(graph, {.root = RootRule::any}, {.k = 2'000, .max_gap = gap}).size(), within);
      const Listed streamed = stream(graph, {.max_gap = gap});
      EXPECT_EQ(streamed.scores.size(), within) << seed << ' ' << gap;
      ASSERT_FALSE(streamed.scores.empty());
      EXPECT_EQ(streamed.scores.front(), all.score(0)) << seed;
    }
  }
}

TEST(Promises, AListWithinAGapIsShortOnlyWhereThereAreNoMore) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto matrix = near_ties(6, seed);  // 1,296 trees
    const Graph graph = DenseView::head_dependent(matrix.data(), 6);
    for (const RootRule rule : {RootRule::any, RootRule::single}) {
      const std::size_t within = kbest(graph, {.root = rule}, {.max_gap = 0.0}).size();
      for (const std::int64_t k : {2, 30, 60, 127, 500}) {
        const std::size_t expected = std::min(within, static_cast<std::size_t>(k));
        EXPECT_EQ(kbest(graph, {.root = rule}, {.k = k, .max_gap = 0.0}).size(), expected)
            << "seed " << seed << ", k " << k;
      }
    }
  }
}

}  // namespace
}  // namespace coppice
