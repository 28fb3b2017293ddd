// Projective trees of graphs too large for brute force: against dynamic programming that keeps the
// k best parts of every span written out.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <coppice/verify.hpp>
#include <iterator>
#include <set>

#include "graph/best_projective.hpp"
#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"
#include "support/projective.hpp"

namespace coppice::testing {
namespace {

using Key = std::pair<std::vector<Node>, std::vector<EdgeId>>;

bool crosses(const TreeRef& tree) {
  const auto nodes = static_cast<Node>(tree.heads.size());
  for (Node v = 1; v < nodes; ++v) {
    for (Node w = 1; w < nodes; ++w) {
      auto [a, b] = std::minmax(v, tree.heads[static_cast<std::size_t>(v)]);
      auto [c, d] = std::minmax(w, tree.heads[static_cast<std::size_t>(w)]);
      if (a < c && c < b && b < d) return true;
    }
  }
  return false;
}

// The same scores; trees that are distinct, projective, and score what they say.
void expect_list(Graph graph, const Problem& problem, const TreeList& trees,
                 const std::vector<Tree>& expected) {
  ASSERT_EQ(trees.size(), expected.size());
  std::set<Key> seen;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const TreeRef tree = trees[i];
    ASSERT_NEAR(tree.score, expected[i].score, 1e-9 * (1.0 + std::abs(tree.score))) << "rank " << i;
    ASSERT_FALSE(crosses(tree)) << "rank " << i;
    ASSERT_TRUE(is_tree(tree.heads) && obeys(tree.heads, problem.root)) << "rank " << i;
    ASSERT_NEAR(tree.score, testing::exact_score(graph, tree.copy()), testing::rounding_of(graph))
        << "rank " << i;
    const bool is_new = seen.emplace(std::vector(tree.heads.begin(), tree.heads.end()),
                                     std::vector(tree.edges.begin(), tree.edges.end()))
                            .second;
    ASSERT_TRUE(is_new) << "rank " << i;
  }
}

void expect_projective(Graph graph, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", nodes " + std::to_string(graph.nodes()));
  for (RootRule root : {RootRule::any, RootRule::single}) {
    Problem problem{.root = root,
                    .objective = seed % 2 == 0 ? Objective::minimize : Objective::maximize,
                    .rules = {rules::projective()}};
    const auto k = static_cast<std::int64_t>(1 + (seed * 7) % 41);
    const auto expected = projective_kbest(graph, problem, static_cast<std::size_t>(k));
    expect_list(graph, problem, kbest(graph, problem, {.k = k}), expected);

    TreeStream stream(graph, problem, {.k = k});
    std::size_t given = 0;
    for (auto tree = stream.next(); tree; tree = stream.next(), ++given) {
      ASSERT_LT(given, expected.size());
      ASSERT_NEAR(tree->score, expected[given].score, 1e-9 * (1.0 + std::abs(tree->score)));
    }
    ASSERT_EQ(given, expected.size());

    const auto first = best_projective(graph, problem);
    ASSERT_EQ(first.has_value(), !expected.empty());
    if (first) {
      ASSERT_NEAR(score(graph, first->heads, first->edges), expected[0].score,
                  1e-9 * (1.0 + std::abs(expected[0].score)));
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Projective, ListsOfMatrices) {
  for (std::uint64_t seed = 1; seed <= testing::share(120U) && !HasFailure(); ++seed) {
    const Weights weights = kAllWeights[seed % std::size(kAllWeights)];
    const auto matrix =
        random_matrix(1 + static_cast<Node>(seed % 11), weights, seed % 5 == 0 ? 0.4 : 0.95, seed);
    expect_projective(matrix.view(), seed);
  }
}

TEST(Projective, ListsOfMultigraphs) {
  for (std::uint64_t seed = 1; seed <= 80 && !HasFailure(); ++seed) {
    const Node words = 1 + static_cast<Node>(seed % 8);
    const Weights weights = seed % 3 == 0 ? Weights::small_integers : Weights::continuous;
    for (Scalar scalar : {Scalar::float64, Scalar::int64}) {
      if (scalar == Scalar::int64 && weights != Weights::small_integers) continue;
      const auto graph = random_multigraph(words, words * 8, weights, seed, scalar);
      expect_projective(graph, seed);
    }
  }
}

// More trees than there are, and every last one of them in the right place.
TEST(Projective, AllOfThem) {
  for (std::uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    const auto matrix = random_matrix(5, kAllWeights[seed % std::size(kAllWeights)], 0.9, seed);
    for (RootRule root : {RootRule::any, RootRule::single}) {
      const Problem problem{.root = root, .rules = {rules::projective()}};
      expect_list(matrix.view(), problem, kbest(matrix.view(), problem, {.k = 100'000}),
                  projective_kbest(matrix.view(), problem, 100'000));
    }
  }
}

// Integers that no float64 holds: sums must be exact.
TEST(Projective, LargeIntegers) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 55;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    Multigraph graph(6, Scalar::int64);
    for (Node v = 1; v < 6; ++v)
      for (Node h = 0; h < 6; ++h)
        if (h != v) graph.add_edge(h, v, kLarge + static_cast<std::int64_t>(random() % 4));
    const Problem problem{.root = RootRule::any, .rules = {rules::projective()}};
    const auto trees = kbest(graph, problem, {.k = 30});
    std::vector<std::int64_t> expected;
    for (const Tree& tree : brute_force(graph, {.root = RootRule::any}))
      if (!crosses({tree.heads, tree.edges})) expected.push_back(tree.integer_score);
    std::sort(expected.rbegin(), expected.rend());
    ASSERT_EQ(trees.size(), 30U);
    for (std::size_t i = 0; i < trees.size(); ++i)
      ASSERT_EQ(trees[i].integer_score, expected[i]) << "seed " << seed << ", rank " << i;
  }
}

// One that crosses in so many ways that mending them one by one would have no end.
TEST(Projective, HardlyAnyTreeIs) {
  const auto matrix = random_matrix(40, Weights::continuous, 1.0, 4);
  const Problem problem{.root = RootRule::single, .rules = {rules::projective()}};
  expect_list(matrix.view(), problem, kbest(matrix.view(), problem, {.k = 5}),
              projective_kbest(matrix.view(), problem, 5));
}

}  // namespace
}  // namespace coppice::testing
