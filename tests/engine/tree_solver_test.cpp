// The best tree of either kind of graph, alone.
#include "engine/solve/tree_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/paper.hpp>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "support/exact_score.hpp"
#include "support/generate.hpp"
#include "support/tree_test.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;
using Answer = TreeSolver::Answer;

Multigraph edges_of(const DenseView& view) {
  Multigraph graph(view.nodes());
  for (Node t = 1; t < view.nodes(); ++t)
    for (Node s = 0; s < view.nodes(); ++s)
      if (s != t && view.weight(s, t) != kNoWeight) graph.add_edge(s, t, view.weight(s, t));
  return graph;
}

// head, dependent, reduced cost
using Edges = std::set<std::tuple<Node, Node, double>>;

Edges collected(const TreeSolver& solver, double limit) {
  ReducedCost reduced;
  reduced.prepare(solver.tree());
  CandidateList candidates;
  EXPECT_TRUE(solver.collect(reduced, limit, 1000, candidates));
  Edges edges;
  for (const Candidate& edge : candidates) {
    const double price = edge.head == 0 ? solver.tree().root_price : 0.0;
    EXPECT_EQ(edge.loss, solver.tree().gain[edge.dependent] -
                             (solver.gain(edge.head, edge.dependent, edge.edge) - price));
    edges.emplace(edge.head, edge.dependent, edge.reduced_cost);
  }
  EXPECT_EQ(edges.size(), candidates.size());
  return edges;
}

Edges all_cheap(const TreeSolver& solver, const DenseView& view, double limit) {
  ReducedCost reduced;
  reduced.prepare(solver.tree());
  Edges edges;
  EdgeId edge = 0;  // in the order of edges_of()
  for (Node t = 1; t < view.nodes(); ++t)
    for (Node s = 0; s < view.nodes(); ++s) {
      if (s == t || view.weight(s, t) == kNoWeight) continue;
      const double price = s == 0 ? solver.tree().root_price : 0.0;
      const double cost = reduced(s, t, solver.gain(s, t, edge++) - price);
      EXPECT_GE(cost, 0.0);
      if (s == solver.tree().head[t])
        EXPECT_EQ(cost, 0.0);
      else if (cost <= limit && cost != kInfinity)
        edges.emplace(s, t, cost);
    }
  return edges;
}

TEST(TreeSolver, DenseAndSparseAgree) {
  // Continuous weights: no ties, so there is one best tree.
  for (std::uint64_t seed = 1; seed <= 60 && !::testing::Test::HasFailure(); ++seed) {
    const auto matrix = testing::random_matrix(static_cast<Node>(1 + seed % 12),
                                               Weights::continuous, seed % 3 ? 1.0 : 0.5, seed);
    const Multigraph graph = edges_of(matrix.view());
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Problem problem{.root = rule};
      TreeSolver dense, sparse;
      const Answer answer = dense.solve(matrix.view(), problem, true);
      ASSERT_EQ(sparse.solve(graph, problem, true), answer);
      ASSERT_NE(answer, Answer::wide);
      if (answer == Answer::none) continue;
      for (Node v = 1; v < matrix.nodes; ++v) {
        EXPECT_EQ(dense.tree().head[v], sparse.tree().head[v]);
        EXPECT_EQ(graph.source(sparse.tree().edge[v]), sparse.tree().head[v]);
      }
      EXPECT_EQ(dense.scale().unit, sparse.scale().unit);
      EXPECT_EQ(dense.tree().loss(), sparse.tree().loss());
      for (double limit : {0.0, std::floor(0.25 * dense.scale().per_unit), kInfinity}) {
        EXPECT_EQ(collected(dense, limit), all_cheap(dense, matrix.view(), limit));
        EXPECT_EQ(collected(sparse, limit), all_cheap(sparse, matrix.view(), limit));
      }
    }
  }
}

std::vector<Node> heads_of(const CertifiedTree& tree) {
  return {tree.head.begin(), tree.head.end()};
}

int root_edges(const CertifiedTree& tree) {
  return static_cast<int>(std::count(tree.head.begin(), tree.head.end(), 0));
}

// Two words want to be the root, or none does: a price for root edges leaves a tree of best edges.
TEST(TreeSolver, APriceInsteadOfAContraction) {
  const testing::Matrix matrices[] = {
      testing::matrix_of({{5, 4, 1}, {kNoWeight, 3, 2}, {1, kNoWeight, 6}, {0, 0, kNoWeight}}),
      testing::matrix_of({{0, -3, -4}, {kNoWeight, 5, 1}, {4, kNoWeight, 6}, {1, 1, kNoWeight}})};
  for (const auto& matrix : matrices) {
    TreeSolver solver;
    ASSERT_EQ(solver.solve(matrix.view(), {.root = RootRule::single}, true), Answer::tree);
    EXPECT_FALSE(solver.tree().contracted());
    EXPECT_EQ(heads_of(solver.tree()), (std::vector<Node>{kNoNode, 0, 1, 2}));
  }
}

// Of many components that hang from the root one is left, whichever way they are found.
TEST(TreeSolver, OneOfManyRootChildren) {
  for (std::uint64_t seed = 1; seed <= 40 && !::testing::Test::HasFailure(); ++seed) {
    auto matrix = testing::random_matrix(30, Weights::continuous, 1.0, seed);
    for (std::size_t v = 1; v <= 30; ++v) matrix.doubles[v] += seed % 2 == 0 ? 0.5 : 3.0;
    TreeSolver solver;
    ASSERT_EQ(solver.solve(matrix.view(), {.root = RootRule::single}, true), Answer::tree);
    EXPECT_EQ(root_edges(solver.tree()), 1) << seed;
    EXPECT_GT(solver.tree().root_price, 0.0);
    const auto truth = paper::opt_dep(matrix.view());
    EXPECT_EQ(truth->heads, heads_of(solver.tree())) << seed;
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

// The tree alone, which may be found without a proof, weighs what the one that has a proof weighs,
// and what that of the matrix weighs.
TEST(TreeSolver, TheTreeAloneIsAsGood) {
  for (std::uint64_t seed = 1; seed <= 4000 && !::testing::Test::HasFailure(); ++seed) {
    const bool joined = seed % 11 != 0;  // else there is no tree
    const Multigraph graph =
        joined_rings(static_cast<Node>(2 + seed % 3), static_cast<Node>(1 + seed % 5),
                     seed % 4 == 0, joined, seed);
    const Problem problem{.root = RootRule::single,
                          .objective = seed % 7 == 0 ? Objective::minimize : Objective::maximize};
    TreeSolver proved, alone;
    ASSERT_EQ(proved.solve(graph, problem, true) != Answer::none, joined) << seed;
    ASSERT_EQ(alone.solve(graph, problem, false) != Answer::none, joined) << seed;
    if (!joined) continue;
    EXPECT_EQ(root_edges(alone.tree()), 1) << seed;
    auto sum = [&](const TreeSolver& solver) {
      Tree tree;
      tree.heads = heads_of(solver.tree());
      tree.edges.assign(solver.tree().edge.begin(), solver.tree().edge.end());
      for (Node v = 1; v < graph.nodes(); ++v) EXPECT_EQ(graph.target(solver.tree().edge[v]), v);
      return testing::sum_of(graph, tree);
    };
    EXPECT_NEAR(testing::compare(sum(alone), sum(proved)), 0.0, testing::rounding_of(graph))
        << seed;
    EXPECT_TRUE(testing::is_tree(graph.nodes(), [&](Node v) { return alone.tree().head[v]; }));
  }
}

// A huge weight that no tree can use, or a mask, is left out; a mask that every tree needs is not.
TEST(TreeSolver, SaysWhereWiderNumbersAreNeeded) {
  auto matrix = testing::random_matrix(12, Weights::continuous, 1.0, 1);
  constexpr std::size_t kNodes = 13;
  TreeSolver solver;
  const Problem problem{.root = RootRule::any};
  EXPECT_EQ(solver.solve(matrix.view(), problem, true), Answer::tree);
  EXPECT_FALSE(solver.scale().leaves_out);
  matrix.doubles[4 * kNodes + 7] = -1e20;
  EXPECT_EQ(solver.solve(matrix.view(), problem, true), Answer::tree);
  EXPECT_TRUE(solver.scale().leaves_out);
  EXPECT_EQ(solver.gain(4, 7, kNoEdge), kNoWeight);
  EXPECT_GT(solver.reach() * solver.scale().unit, 1e6);
  EXPECT_LT(solver.reach() * solver.scale().unit, 1e20);
  for (std::size_t h = 0; h < kNodes; ++h) matrix.doubles[h * kNodes + 7] = kNoWeight;
  for (std::size_t h = 0; h < kNodes; ++h) matrix.doubles[h * kNodes + 8] = -1e20;
  matrix.doubles[8 * kNodes + 7] = matrix.doubles[7 * kNodes + 8] = 1.0;
  EXPECT_EQ(solver.solve(matrix.view(), problem, true), Answer::wide);
}

}  // namespace
}  // namespace coppice::engine
