// k, max_gap, required and forbidden edges: against brute force, and their errors.
#include <gtest/gtest.h>

#include <coppice/kbest.hpp>
#include <limits>

#include "support/effort.hpp"
#include "support/engines.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Weights;

TEST(Problem, GapsAndConstraintsAgainstBruteForce) {
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 1; seed <= testing::share(300U) && !HasFailure(); ++seed) {
    Weights weights = testing::kAllWeights[seed % std::size(testing::kAllWeights)];
    auto words = static_cast<Node>(2 + seed % 3);
    auto matrix = testing::random_matrix(words, weights, seed % 2 == 0 ? 1.0 : 0.7, seed);
    auto any_word = [&] { return static_cast<Node>(1 + random() % static_cast<unsigned>(words)); };
    auto other = [&](Node d) {
      Node h = static_cast<Node>(random() % static_cast<unsigned>(words));
      return h >= d ? h + 1 : h;
    };
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      Problem problem{.root = rule};
      Request request;
      if (seed % 3 == 0) request.max_gap = static_cast<double>(random() % 4) * 0.5;
      if (seed % 4 == 0) request.k = static_cast<std::int64_t>(1 + random() % 9);
      if (seed % 5 == 0) problem.objective = Objective::minimize;
      Node d = any_word();
      if (seed % 2 == 0) problem.required.push_back({other(d), d});
      for (int i = 0; i < static_cast<int>(random() % 3); ++i) {
        Node e = any_word();
        Arc arc{other(e), e};
        if (problem.required.empty() || !(arc == problem.required[0]))
          problem.forbidden.push_back(arc);
      }
      testing::expect_trees(matrix.view(), problem, request, "seed " + std::to_string(seed));
    }
  }
}

TEST(Problem, AllCooptimalTrees) {
  auto matrix = testing::random_matrix(5, Weights::small_integers, 1.0, 11);
  for (RootRule rule : {RootRule::any, RootRule::single})
    testing::expect_trees(matrix.view(), {.root = rule}, {.max_gap = 0.0}, "co-optimal");
}

TEST(Problem, EdgesOfMultigraphs) {
  for (std::uint64_t seed = 1; seed <= testing::share(60U) && !HasFailure(); ++seed) {
    auto graph = testing::random_multigraph(3, 14, Weights::continuous, seed);
    for (EdgeId edge = 0; edge < graph.edges(); edge += 3) {
      if (graph.target(edge) == 0 || graph.source(edge) == graph.target(edge)) continue;
      for (RootRule rule : {RootRule::any, RootRule::single}) {
        testing::expect_trees(graph, {.root = rule, .required_edges = {edge}}, {},
                              std::to_string(seed));
        testing::expect_trees(graph, {.root = rule, .forbidden_edges = {edge}}, {},
                              std::to_string(seed));
      }
    }
  }
}

std::string error_of(Graph graph, const Problem& problem, const Request& request) {
  try {
    kbest(graph, problem, request);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Problem, Errors) {
  auto matrix = testing::random_matrix(3, Weights::continuous, 1.0, 1);
  Graph graph = matrix.view();
  const RootRule any = RootRule::any, single = RootRule::single;
  EXPECT_EQ(error_of(graph, {.root = any}, {.k = 0}), "k is 0, must be at least 1");
  EXPECT_EQ(error_of(graph, {.root = any}, {.k = -3}), "k is -3, must be at least 1");
  EXPECT_EQ(error_of(graph, {.root = any}, {}),
            "give k, max_gap or both: how many trees are wanted?");
  EXPECT_NE(error_of(graph, {.root = any}, {.max_gap = -1.0}), "no error");
  EXPECT_NE(error_of(graph, {.root = any}, {.max_gap = std::nan("")}), "no error");
  EXPECT_EQ(error_of(graph, {.root = any, .required = {{0, 9}}}, {.k = 1}),
            "required edge 0 -> 9: dependent 9 is not a word 1..3");
  EXPECT_EQ(error_of(graph, {.root = any, .forbidden = {{2, 2}}}, {.k = 1}),
            "forbidden edge 2 -> 2: a word cannot be its own head");
  EXPECT_EQ(error_of(graph, {.root = any, .required = {{0, 1}, {2, 1}}}, {.k = 1}),
            "required edge 2 -> 1: 0 -> 1 is required too");
  EXPECT_EQ(error_of(graph, {.root = any, .required = {{2, 1}}, .forbidden = {{2, 1}}}, {.k = 1}),
            "required edge 2 -> 1: it is forbidden too");
  EXPECT_EQ(error_of(graph, {.root = any, .required = {{2, 1}, {1, 2}}}, {.k = 1}),
            "required edge 1 -> 2: the required edges form a cycle, 2 -> 1 -> 2");
  EXPECT_EQ(error_of(graph, {.root = single, .required = {{0, 1}, {0, 2}}}, {.k = 1}),
            "required edge 0 -> 2: 0 -> 1 is required too, and the root rule allows one root edge");
  EXPECT_EQ(error_of(graph, {.root = any, .required_edges = {0}}, {.k = 1}),
            "required edge id 0: a score matrix has arcs, not edge ids");
}

TEST(Problem, InfeasibleIsNoTree) {
  auto matrix = testing::random_matrix(2, Weights::continuous, 1.0, 1);
  matrix.doubles[2 * 3 + 1] = kNoWeight;
  EXPECT_TRUE(
      kbest(matrix.view(), {.root = RootRule::any, .required = {{2, 1}}}, {.k = 5}).empty());
  EXPECT_TRUE(kbest(matrix.view(), {.root = RootRule::any, .forbidden = {{0, 1}, {2, 1}}}, {.k = 5})
                  .empty());
}

}  // namespace
}  // namespace coppice
