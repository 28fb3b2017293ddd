// Scores are exact sums, rounded once; so is the score after one edge was replaced.
#include "engine/numbers/tree_score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/exact_score.hpp"

namespace coppice::engine {
namespace {

// Every word hangs from the root.
Multigraph star(const std::vector<double>& weights) {
  Multigraph graph(static_cast<Node>(weights.size()) + 1);
  for (std::size_t v = 0; v < weights.size(); ++v)
    graph.add_edge(0, static_cast<Node>(v) + 1, weights[v]);
  return graph;
}

Tree only_tree(const Multigraph& graph) {
  Tree tree;
  tree.heads.assign(static_cast<std::size_t>(graph.nodes()), 0);
  tree.edges.assign(1, kNoEdge);
  tree.heads[0] = kNoNode;
  for (EdgeId e = 0; e < graph.edges(); ++e) tree.edges.push_back(e);
  return tree;
}

TEST(TreeScore, IsTheExactSumRoundedOnce) {
  std::mt19937_64 random(1);
  int swaps = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> weights(1 + random() % 12);
    const int spread = i % 3 == 0 ? 1 : i % 3 == 1 ? 60 : 900;
    for (double& weight : weights)
      weight = std::ldexp(std::uniform_real_distribution<>(-1.0, 1.0)(random),
                          static_cast<int>(random() % static_cast<unsigned>(spread)));
    const Multigraph graph = star(weights);
    const Tree tree = only_tree(graph);
    const TreeScore score(graph, tree.heads, tree.edges);
    ASSERT_EQ(score.value(), testing::exact_score(graph, tree));
    const double other =
        std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60) - 60);
    TreeScore swapped = score;
    swapped.swap(weights[0], other);
    if (!swapped.is_exact()) continue;
    ExactSum sum = testing::sum_of(graph, tree);
    sum.add(-weights[0]);
    sum.add(other);
    ASSERT_EQ(swapped.value(), testing::rounded(sum)) << i;
    ++swaps;
  }
  EXPECT_GT(swaps, 1500);
}

TEST(TreeScore, NoPlainSumIsAsGood) {
  const Multigraph graph = star({0x1p53, 1.0, 1.0, 0x1p-60});
  const Tree tree = only_tree(graph);
  const TreeScore score(graph, tree.heads, tree.edges);
  EXPECT_EQ(score.value(), 0x1p53 + 2.0);
  EXPECT_FALSE(score.is_exact());  // more than two numbers hold
}

TEST(TreeScore, OfIntegers) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 60) + 1;
  const std::vector<std::int64_t> weights = {0, kLarge, 3, 0, 0, 5, 0, 7, 0};
  const auto view = DenseView::head_dependent(weights.data(), 3);
  const TreeScore score(view, std::vector<Node>{kNoNode, 0, 1}, {});
  EXPECT_EQ(score.integer(), kLarge + 5);
  TreeScore other = score;
  other.swap(std::int64_t{5}, std::int64_t{3});
  EXPECT_EQ(other.integer(), kLarge + 3);
  EXPECT_EQ(score.value(), static_cast<double>(kLarge + 5));
}

}  // namespace
}  // namespace coppice::engine
