// The best tree of either kind of graph, alone.
#include "engine/best_tree.hpp"

#include <gtest/gtest.h>

#include <coppice/paper.hpp>
#include <set>
#include <tuple>
#include <vector>

#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

Multigraph edges_of(const DenseView& view) {
  Multigraph graph(view.nodes());
  for (Node t = 1; t < view.nodes(); ++t)
    for (Node s = 0; s < view.nodes(); ++s)
      if (s != t && view.weight(s, t) != kNoWeight) graph.add_edge(s, t, view.weight(s, t));
  return graph;
}

// head, dependent, reduced cost
using Edges = std::set<std::tuple<Node, Node, double>>;

Edges collected(BestTree& tree, double limit) {
  ReducedCost reduced;
  reduced.prepare(tree.solution());
  CandidateList candidates;
  EXPECT_TRUE(tree.solver().collect(tree.solution(), reduced, limit, 1000, candidates));
  Edges edges;
  for (const Candidate& edge : candidates) {
    EXPECT_EQ(edge.loss, tree.solution().weight[edge.dependent] - edge.weight);
    edges.emplace(edge.head, edge.dependent, edge.reduced_cost);
  }
  EXPECT_EQ(edges.size(), candidates.size());
  return edges;
}

Edges all_cheap(const BestTree& tree, const DenseView& view, double limit) {
  ReducedCost reduced;
  reduced.prepare(tree.solution());
  Edges edges;
  for (Node t = 1; t < view.nodes(); ++t)
    for (Node s = 0; s < view.nodes(); ++s) {
      if (s == t || s == tree.solution().head[t] || view.weight(s, t) == kNoWeight) continue;
      const double price = s == 0 ? tree.solution().root_price : 0.0;
      const double cost = reduced(s, t, view.weight(s, t) - price);
      EXPECT_GE(cost, -1e-9);
      if (cost <= limit && cost != kNever) edges.emplace(s, t, cost);
    }
  return edges;
}

TEST(BestTree, DenseAndSparseAgree) {
  // Continuous weights: no ties, so there is one best tree and one dual.
  for (std::uint64_t seed = 1; seed <= 60 && !::testing::Test::HasFailure(); ++seed) {
    const auto matrix = testing::random_matrix(static_cast<Node>(1 + seed % 12),
                                               Weights::continuous, seed % 3 ? 1.0 : 0.5, seed);
    const Multigraph graph = edges_of(matrix.view());
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      BestTree dense, sparse;
      const bool found = dense.solve(matrix.view(), {.root = rule});
      ASSERT_EQ(sparse.solve(graph, {.root = rule}), found);
      if (!found) continue;
      for (Node v = 1; v < matrix.nodes; ++v) {
        EXPECT_EQ(dense.solution().head[v], sparse.solution().head[v]);
        EXPECT_EQ(graph.source(sparse.solution().edge[v]), sparse.solution().head[v]);
      }
      EXPECT_NEAR(dense.solution().magnitude(), sparse.solution().magnitude(), 1e-9);
      // Not 0: what costs nothing may cost a rounding error.
      for (double limit : {1e-12, 0.25, kNever}) {
        EXPECT_EQ(collected(dense, limit), all_cheap(dense, matrix.view(), limit));
        EXPECT_EQ(collected(sparse, limit), all_cheap(sparse, matrix.view(), limit));
      }
    }
  }
}

TEST(BestTree, IntegerWeightsAreToBeMaximised) {
  const std::vector<std::int64_t> weights = {0, 5, 7, 0, 0, 3, 0, 2, 0};
  const auto view = DenseView::head_dependent(weights.data(), 3);
  Multigraph graph(3, Scalar::int64);
  const EdgeId edge = graph.add_edge(0, 1, std::int64_t{5});
  for (Objective objective : {Objective::maximize, Objective::minimize}) {
    const std::int64_t sign = objective == Objective::minimize ? -1 : 1;
    BestTree tree;
    ASSERT_TRUE(tree.solve(view, {.root = RootRule::any, .objective = objective}));
    EXPECT_EQ(tree.solver().integer_weight(0, 2, kNoEdge), 7 * sign);
    tree.solve(graph, {.root = RootRule::any, .objective = objective});
    EXPECT_EQ(tree.solver().integer_weight(0, 1, edge), 5 * sign);
  }
}

std::vector<Node> heads_of(const Solution& solution) {
  return {solution.head.begin(), solution.head.end()};
}

// Two words want to be the root, or none does: a price for root edges leaves a tree of best edges.
TEST(BestTree, APriceInsteadOfAContraction) {
  struct Case {
    testing::Matrix matrix;
    double price;
  };
  const Case cases[] = {
      {testing::matrix_of({{5, 4, 1}, {kNoWeight, 3, 2}, {1, kNoWeight, 6}, {0, 0, kNoWeight}}),
       1.0},
      {testing::matrix_of({{0, -3, -4}, {kNoWeight, 5, 1}, {4, kNoWeight, 6}, {1, 1, kNoWeight}}),
       -4.0}};
  for (const auto& [matrix, price] : cases) {
    const Multigraph graph = edges_of(matrix.view());
    for (const Graph& input : {Graph(matrix.view()), Graph(graph)}) {
      BestTree tree;
      ASSERT_TRUE(tree.solve(input, {.root = RootRule::single}));
      const Solution& solution = tree.solution();
      EXPECT_FALSE(solution.contracted());
      EXPECT_EQ(solution.root_price, price);
      EXPECT_EQ(heads_of(solution), (std::vector<Node>{kNoNode, 0, 1, 2}));
      EXPECT_EQ(solution.weight[1], matrix.view().weight(0, 1) - price);
    }
  }
}

// Of many components that hang from the root one is left, whichever way they are found.
TEST(BestTree, OneOfManyRootChildren) {
  for (std::uint64_t seed = 1; seed <= 40 && !::testing::Test::HasFailure(); ++seed) {
    auto matrix = testing::random_matrix(30, Weights::continuous, 1.0, seed);
    for (std::size_t v = 1; v <= 30; ++v) matrix.doubles[v] += seed % 2 == 0 ? 0.5 : 3.0;
    BestTree tree;
    ASSERT_TRUE(tree.solve(matrix.view(), {.root = RootRule::single}));
    EXPECT_EQ(tree.solution().root_edges(), 1) << seed;
    EXPECT_GT(tree.solution().root_price, 0.0);
    const auto truth = paper::opt_dep(matrix.view());
    EXPECT_EQ(truth->heads, heads_of(tree.solution())) << seed;
  }
}

}  // namespace
}  // namespace coppice::engine
