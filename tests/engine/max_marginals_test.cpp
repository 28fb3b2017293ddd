// For every arc the score of the best tree that has it, against a list of all trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/max_marginals.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>

#include "graph/input.hpp"
#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Matrix;
using testing::Weights;

void expect_best_of_all(const DenseView& view, const Problem& problem, const std::string& where) {
  SCOPED_TRACE(where);
  const bool minimize = problem.objective == Objective::minimize;
  const double none = minimize ? std::numeric_limits<double>::infinity() : kNoWeight;
  auto nodes = static_cast<std::size_t>(view.nodes());
  std::vector<double> expected(nodes * nodes, none);
  for (const Tree& tree : testing::brute_force(view, problem))
    for (std::size_t d = 1; d < nodes; ++d) {
      double& best = expected[static_cast<std::size_t>(tree.heads[d]) * nodes + d];
      best = minimize ? std::min(best, tree.score) : std::max(best, tree.score);
    }
  const std::vector<double> found = max_marginals(view, problem);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isinf(expected[i]))
      EXPECT_EQ(found[i], expected[i]) << "arc " << i / nodes << " -> " << i % nodes;
    else
      EXPECT_NEAR(found[i], expected[i], testing::rounding_of(view))
          << "arc " << i / nodes << " -> " << i % nodes;
  }
}

TEST(MaxMarginals, AgainstAllTrees) {
  std::uint64_t seed = 1;
  for (Node words = 1; words <= 5; ++words)
    for (Weights weights : testing::kAllWeights)
      for (double density : {0.4, 0.7, 1.0})
        for (RootRule rule : {RootRule::any, RootRule::single})
          for (int i = 0; i < testing::share(12) && !HasFailure(); ++i, ++seed) {
            Matrix matrix = testing::random_matrix(words, weights, density, seed);
            Problem problem{.root = rule};
            if (i % 4 == 1) problem.objective = Objective::minimize;
            if (i % 4 == 2 && words > 1) problem.forbidden = {{static_cast<Node>(seed % 2), words}};
            if (i % 4 == 3 && words > 1) problem.required = {{2, 1}};
            expect_best_of_all(matrix.view(), problem, "seed " + std::to_string(seed));
          }
}

// Greedy heads that form cycles within cycles.
TEST(MaxMarginals, NestedCycles) {
  for (std::uint64_t seed = 1; seed <= testing::share(60u) && !HasFailure(); ++seed)
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      Matrix matrix = testing::random_matrix(6, Weights::small_integers, 1.0, seed);
      for (std::size_t d = 1; d < 7; ++d) matrix.doubles[d] -= 9.0;
      for (std::size_t d = 1; d < 7; ++d) matrix.doubles[(d ^ 1) % 7 * 7 + d] += 5.0;
      expect_best_of_all(matrix.view(), {.root = rule}, "seed " + std::to_string(seed));
    }
}

// Weights by which a tree is the best one, as in most sentences, by much or by little.
Matrix with_greedy_tree(Node words, double bonus, std::uint64_t seed) {
  Matrix matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(static_cast<std::size_t>(words));
  std::iota(order.begin(), order.end(), 1);
  std::ranges::shuffle(order, random);
  auto nodes = static_cast<std::size_t>(words + 1);
  for (std::size_t i = 0; i < order.size(); ++i)
    matrix.doubles[(i == 0 ? 0 : order[random() % i]) * nodes + order[i]] += bonus;
  return matrix;
}

TEST(MaxMarginals, GreedyHeads) {
  std::uint64_t seed = 1;
  for (Node words : {3, 5, 6})
    for (double bonus : {0.5, 1.0, 2.0, 5.0})
      for (RootRule rule : {RootRule::any, RootRule::single})
        for (int i = 0; i < testing::share(25) && !HasFailure(); ++i, ++seed)
          expect_best_of_all(with_greedy_tree(words, bonus, seed).view(), {.root = rule},
                             "seed " + std::to_string(seed));
}

// The best tree with each edge, found by a solve of its own.
void expect_best_with_required(const Multigraph& graph, const Problem& problem, EdgeId step,
                               const std::string& where) {
  SCOPED_TRACE(where);
  const double none = problem.objective == Objective::minimize ? -kNoWeight : kNoWeight;
  const std::vector<double> found = max_marginals(graph, problem);
  ASSERT_EQ(found.size(), static_cast<std::size_t>(graph.edges()));
  for (EdgeId e = 0; e < graph.edges(); e += step) {
    const auto place = static_cast<std::size_t>(e);
    Problem with = problem;
    with.required_edges = {e};
    std::optional<Tree> tree;
    if (graph.target(e) != 0 && graph.source(e) != graph.target(e)) tree = best(graph, with);
    if (!tree)
      EXPECT_EQ(found[place], none) << "edge " << e;
    else
      EXPECT_NEAR(found[place], testing::exact_score(graph, *tree), testing::rounding_of(graph))
          << "edge " << e;
  }
}

// Pairs of words, and pairs of pairs, that would rather have heads inside: nested components.
// Parallel edges, loops and edges into the root are among them.
Multigraph with_groups(Node words, std::int64_t edges, double mask, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Multigraph graph(words + 1);
  const auto nodes = static_cast<std::uint64_t>(words + 1);
  for (std::int64_t e = 0; e < edges; ++e) {
    const auto head = static_cast<Node>(random() % nodes),
               word = static_cast<Node>(random() % nodes);
    double weight = std::ldexp(static_cast<double>(random() >> 11), -53);
    if (random() % 8 == 0) weight = mask;
    for (Node size : {2, 4, 8})
      if (head != 0 && (head - 1) / size == (word - 1) / size) weight += 1.0;
    graph.add_edge(head, word, weight);
  }
  return graph;
}

TEST(MaxMarginals, ManyGroupsAgainstRequiredEdges) {
  for (std::uint64_t seed = 1; seed <= testing::share(400u) && !HasFailure(); ++seed)
    for (RootRule rule : {RootRule::any, RootRule::single})
      for (double mask : {0.25, -1e9}) {
        const auto words = static_cast<Node>(1 + seed % 12);
        Problem problem{.root = rule};
        if (seed % 4 == 0 && mask > 0) problem.objective = Objective::minimize;
        expect_best_with_required(
            with_groups(words, words * static_cast<Node>(1 + seed % 7), mask, seed), problem, 1,
            "seed " + std::to_string(seed));
      }
}

// So many that a heap is worth it, and more components than one in each other.
TEST(MaxMarginals, LargeMultigraphsAgainstRequiredEdges) {
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    expect_best_with_required(with_groups(200, 2500, 0.5, 1), {.root = rule}, 7, "groups");
    Multigraph late(121);  // heads come later, so that cycles are in cycles
    std::mt19937_64 random(1);
    for (Node v = 1; v <= 120; ++v)
      for (int i = 0; i < 9; ++i) {
        const auto head = static_cast<Node>(random() % 121);
        late.add_edge(
            head, v, (head < v ? 0.0 : 1.0) + std::ldexp(static_cast<double>(random() >> 11), -53));
      }
    expect_best_with_required(late, {.root = rule}, 5, "late heads");
  }
}

// Pairs of a node and one that hangs from it would not fit into memory.
TEST(MaxMarginals, DeepLine) {
  constexpr Node kNodes = 100'000;
  Multigraph graph(kNodes + 1);
  for (Node v = 1; v <= kNodes; ++v) {
    graph.add_edge(v - 1, v, 2.0);
    graph.add_edge(0, v, v == 1 ? 2.0 : 1.0);
  }
  graph.add_edge(kNodes, 1, 1.5);
  const double best = 2.0 * kNodes;
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    std::vector<double> expected{best, best};
    for (Node v = 2; v <= kNodes; ++v) {
      expected.push_back(best);
      expected.push_back(best - (rule == RootRule::any ? 1.0 : 1.5));  // one needs the last edge
    }
    expected.push_back(best - 1.5);
    EXPECT_EQ(max_marginals(graph, {.root = rule}), expected);
  }
}

// As large as int64 weights may be.
TEST(MaxMarginals, IntegersNearOverflow) {
  const auto limit = static_cast<std::uint64_t>(largest_weight(Scalar::int64, 6));
  for (std::uint64_t seed = 1; seed <= testing::share(100u) && !HasFailure(); ++seed)
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      std::mt19937_64 random(seed);
      Multigraph graph(6, Scalar::int64);
      for (int e = 0; e < 25; ++e) {
        const auto weight = static_cast<std::int64_t>(random() % limit);
        graph.add_edge(static_cast<Node>(random() % 6), static_cast<Node>(random() % 6),
                       random() % 2 == 0 ? weight : -weight);
      }
      expect_best_with_required(graph, {.root = rule}, 1, "seed " + std::to_string(seed));
    }
}

TEST(MaxMarginals, OneWord) {
  Multigraph graph(2);
  for (double weight : {1.0, 3.0, 2.0}) graph.add_edge(0, 1, weight);
  for (RootRule rule : {RootRule::any, RootRule::single})
    EXPECT_EQ(max_marginals(graph, {.root = rule}), (std::vector<double>{1.0, 3.0, 2.0}));
}

TEST(MaxMarginals, NoTree) {
  Multigraph graph(4);
  graph.add_edge(0, 1, 1.0);
  graph.add_edge(2, 3, 1.0);
  graph.add_edge(3, 2, 1.0);
  for (RootRule rule : {RootRule::any, RootRule::single})
    EXPECT_EQ(max_marginals(graph, {.root = rule}), std::vector<double>(3, kNoWeight));
  graph.add_edge(0, 2, 1.0);
  EXPECT_EQ(max_marginals(graph, {.root = RootRule::single}), std::vector<double>(4, kNoWeight));
  EXPECT_EQ(max_marginals(graph, {.root = RootRule::any}),
            (std::vector<double>{3.0, 3.0, kNoWeight, 3.0}));
}

TEST(MaxMarginals, OfAMultigraph) {
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed)
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      Multigraph graph = testing::random_multigraph(4, 24, Weights::continuous, seed);
      std::vector<double> expected(24, kNoWeight);
      for (const Tree& tree : testing::brute_force(graph, {.root = rule}))
        for (std::size_t d = 1; d < tree.edges.size(); ++d) {
          double& best = expected[static_cast<std::size_t>(tree.edges[d])];
          best = std::max(best, tree.score);
        }
      const std::vector<double> found = max_marginals(graph, {.root = rule});
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (expected[i] == kNoWeight)
          EXPECT_EQ(found[i], kNoWeight);
        else
          EXPECT_NEAR(found[i], expected[i], testing::rounding_of(graph));
      }
    }
}

TEST(MaxMarginals, LongSentencesAgainstRequiredArcs) {
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    Matrix matrix = testing::random_matrix(30, Weights::negative, 1.0, 1);
    const std::vector<double> found = max_marginals(matrix.view(), {.root = rule});
    for (Node d = 1; d <= 30; d += 3)
      for (Node h = 0; h <= 30; h += 2) {
        if (h == d) continue;
        auto tree = best(matrix.view(), {.root = rule, .required = {{h, d}}});
        EXPECT_NEAR(found[static_cast<std::size_t>(h * 31 + d)], tree->score, 1e-11);
      }
  }
}

// Finite masks, which the best tree or the way into a cycle may need, leave no rounding behind.
TEST(MaxMarginals, Masks) {
  for (double mask : {-1e9, -1e20, 1e20})
    for (std::uint64_t seed = 1; seed <= testing::share(300U) && !HasFailure(); ++seed)
      for (RootRule rule : {RootRule::any, RootRule::single}) {
        Matrix matrix = testing::random_matrix(4, Weights::continuous, 1.0, seed);
        std::mt19937_64 random(seed);
        const std::uint64_t masked = mask > 0 ? 1 : 1 + seed % 9;
        for (double& weight : matrix.doubles)
          if (random() % 10 < masked) weight = mask;
        const Problem problem{.root = rule};
        const std::vector<double> found = max_marginals(matrix.view(), problem);
        for (Node h = 0; h <= 4; ++h)
          for (Node d = 1; d <= 4; ++d) {
            if (h == d) continue;
            const auto tree = best(matrix.view(), {.root = rule, .required = {{h, d}}});
            const double score = found[static_cast<std::size_t>(h * 5 + d)];
            if (!tree)
              EXPECT_EQ(score, kNoWeight);
            else
              EXPECT_NEAR(score, testing::exact_score(matrix.view(), *tree),
                          1e-14 * std::max(1.0, std::abs(tree->score)))
                  << "mask " << mask << " seed " << seed << " arc " << h << " -> " << d;
          }
      }
}

// The better of two parallel edges cancels out of the score of the other one.
TEST(MaxMarginals, ParallelEdgesOfUnlikeSize) {
  Multigraph graph(3);
  graph.add_edge(0, 1, 1e20);
  graph.add_edge(0, 1, 3.0);
  graph.add_edge(1, 2, 4.0);
  EXPECT_EQ(max_marginals(graph, {.root = RootRule::any}),
            (std::vector<double>{1e20 + 4.0, 7.0, 1e20 + 4.0}));
}

// float64 cannot tell these integers apart.
TEST(MaxMarginals, LargeIntegers) {
  for (std::int64_t e : {std::int64_t{1'000'000'000'000'000}, (std::int64_t{1} << 58) + 1}) {
    const std::vector<std::int64_t> weights = {0, 2, 0, 0, 0, 1 - e, 0, 2 - e, 0};
    const auto view = DenseView::head_dependent(weights.data(), 3);
    expect_best_of_all(view, {.root = RootRule::single}, "single");
    expect_best_of_all(view, {.root = RootRule::any}, "any");
  }
}

TEST(MaxMarginals, BadInput) {
  Matrix matrix = testing::random_matrix(3, Weights::continuous, 1.0, 1);
  matrix.doubles[1] = std::nan("");
  EXPECT_THROW(max_marginals(matrix.view(), {.root = RootRule::any}), std::invalid_argument);
}

}  // namespace
}  // namespace coppice
