// The best tree of either kind of graph, alone.
#include "engine/best_tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <coppice/paper.hpp>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "graph/forest.hpp"
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

bool is_tree(const Solution& solution) {
  return TreeTest()(solution.nodes(), [&](Node v) { return solution.head[v]; });
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

// Rings of words, each with a root edge, joined by few dear edges: where two of them hang from the
// root, which one gives that up is often seen at once.
Multigraph joined_rings(Node rings, Node size, bool integers, bool joined, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto weight = [&](double most) {
    const double unit = std::uniform_real_distribution<double>()(random);
    return integers ? std::floor(4.0 * most * unit) : most * unit;
  };
  Multigraph graph(rings * size + 1, integers ? Scalar::int64 : Scalar::float64);
  auto add = [&](Node head, Node word, double of) {
    if (integers)
      graph.add_edge(head, word, static_cast<std::int64_t>(of));
    else
      graph.add_edge(head, word, of);
  };
  auto any = [&](Node ring) {
    return 1 + ring * size + static_cast<Node>(random() % static_cast<unsigned>(size));
  };
  for (Node ring = 0; ring < rings; ++ring) {
    for (Node i = 0; i < size; ++i)
      add(1 + ring * size + i, 1 + ring * size + (i + 1) % size, 2.0 + weight(1.0));
    for (Node i = 0; i < size; ++i) add(any(ring), any(ring), 1.0 + weight(1.0));
    add(0, any(ring), weight(3.0));
    add(0, any(ring), weight(1.0));
    for (Node other = 0; other < rings; ++other)
      if (joined && other != ring) add(any(other), any(ring), weight(2.0));
  }
  return graph;
}

// The tree alone, which may be found without a proof, weighs what the one that has a proof weighs.
TEST(BestTree, TheTreeAloneIsAsGood) {
  int seen_at_once = 0;
  for (std::uint64_t seed = 1; seed <= 4000 && !::testing::Test::HasFailure(); ++seed) {
    const bool joined = seed % 11 != 0;  // else there is no tree
    const Multigraph graph =
        joined_rings(static_cast<Node>(2 + seed % 3), static_cast<Node>(1 + seed % 5),
                     seed % 4 == 0, joined, seed);
    const Which which{.root = RootRule::single,
                      .objective = seed % 7 == 0 ? Objective::minimize : Objective::maximize};
    BestTree proved;
    BestTree alone({.few_edges = 0});
    ASSERT_EQ(proved.solve(graph, which), joined) << seed;
    ASSERT_EQ(alone.solve(graph, which, Solver::Wanted::tree), joined) << seed;
    if (!joined) continue;
    EXPECT_EQ(alone.solution().root_edges(), 1) << seed;
    auto score = [&](const BestTree& tree) {
      double sum = 0.0;
      for (Node v = 1; v < graph.nodes(); ++v) {
        EXPECT_EQ(graph.target(tree.solution().edge[v]), v);
        sum += graph.weight(tree.solution().edge[v]);
      }
      return sum;
    };
    EXPECT_NEAR(score(alone), score(proved), 1e-9) << seed;
    EXPECT_TRUE(is_tree(alone.solution())) << seed;
    seen_at_once += alone.solution().root_price < proved.solution().root_price ? 1 : 0;
  }
  EXPECT_GT(seen_at_once, 100);
}

}  // namespace
}  // namespace coppice::engine
