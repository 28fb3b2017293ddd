// Masks and huge weights, in every pattern, cost no digits of trees that do without them: lists of
// all trees by every way of the engine, number for number, against brute force that adds up
// exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/max_marginals.hpp>
#include <coppice/paper.hpp>
#include <coppice/ties.hpp>
#include <functional>
#include <limits>
#include <random>

#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/engines.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Matrix;

constexpr RootRule kRules[] = {RootRule::any, RootRule::single};

// What is masked, by the number of the pattern.
using IsMasked = std::function<bool(Node head, Node dependent, std::mt19937_64& random)>;
std::vector<IsMasked> patterns(Node nodes) {
  const Node last = nodes - 1;
  return {
      [](Node, Node, auto& random) { return random() % 10 == 0; },
      [](Node, Node, auto& random) { return random() % 2 == 0; },
      [](Node, Node, auto& random) { return random() % 10 != 0; },
      [](Node, Node, auto&) { return true; },
      [](Node head, Node, auto&) { return head == 0; },
      [](Node head, Node, auto&) { return head != 0; },
      [=](Node head, Node dependent, auto&) { return head == 0 && dependent != last; },
      [=](Node, Node dependent, auto&) { return dependent == last; },
      [=](Node head, Node dependent, auto&) { return head == last || dependent == last; },
      // Two parts.
      [=](Node head, Node dependent, auto&) {
        return head != 0 && (head <= nodes / 2) != (dependent <= nodes / 2);
      },
      [](Node head, Node dependent, auto&) { return head > dependent; },
  };
}

// Multiples of 1/1024, of which no sum rounds; with masks, some edges missing.
Matrix dyadic(Node nodes, double density, std::mt19937_64& random) {
  Matrix matrix{nodes, std::vector<double>(static_cast<std::size_t>(nodes * nodes)), {}};
  for (double& weight : matrix.doubles) {
    weight = (static_cast<double>(random() % 2001) - 1000.0) / 1024.0;
    if (std::uniform_real_distribution<>()(random) >= density) weight = kNoWeight;
  }
  return matrix;
}

void mask(Matrix& matrix, const IsMasked& is_masked, const std::vector<double>& masks,
          std::mt19937_64& random) {
  for (Node h = 0; h < matrix.nodes; ++h)
    for (Node d = 1; d < matrix.nodes; ++d)
      if (h != d && is_masked(h, d, random)) {
        double& weight = matrix.doubles[static_cast<std::size_t>(h * matrix.nodes + d)];
        if (weight != kNoWeight) weight = masks[random() % masks.size()];
      }
}

Multigraph edges_of(const Matrix& matrix, std::mt19937_64& random) {
  Multigraph graph(matrix.nodes);
  for (Node t = 1; t < matrix.nodes; ++t)
    for (Node s = 0; s < matrix.nodes; ++s) {
      if (s == t || matrix.view().weight(s, t) == kNoWeight) continue;
      graph.add_edge(s, t, matrix.view().weight(s, t));
      if (random() % 8 == 0) graph.add_edge(s, t, matrix.view().weight(s, t) + 0.25);
    }
  return graph;
}

const std::vector<std::vector<double>> kMasks = {
    {-1e4}, {-1e9}, {-1e20}, {-1e300}, {1e20}, {1e300}, {-1e4, -1e9}, {-1e4, 1e20, -1e300}};

template <class Check>
void for_each_masked(Check check) {
  std::uint64_t seed = 0;
  for (Node nodes : {3, 4, 5})
    for (const auto& masks : kMasks)
      for (const IsMasked& pattern : patterns(nodes))
        for (double density : {1.0, 0.6}) {
          if (testing::left_out(++seed) || ::testing::Test::HasFailure()) continue;
          std::mt19937_64 random(seed);
          Matrix matrix = dyadic(nodes, density, random);
          mask(matrix, pattern, masks, random);
          check(matrix, random,
                "mask " + std::to_string(masks[0]) + ", seed " + std::to_string(seed) + ", nodes " +
                    std::to_string(nodes));
        }
}

TEST(Exact, ListsOfMaskedMatrices) {
  for_each_masked([](const Matrix& matrix, auto&, const std::string& where) {
    testing::expect_brute_force(matrix.view(), where, testing::kMaskedOnly);
  });
}

TEST(Exact, ListsOfMaskedMultigraphs) {
  for_each_masked([](const Matrix& matrix, auto& random, const std::string& where) {
    const Multigraph graph = edges_of(matrix, random);
    if (testing::choices(graph) <= 400)
      testing::expect_brute_force(graph, where, testing::kMaskedOnly);
  });
}

TEST(Exact, ListsOfSixNodes) {
  std::uint64_t seed = 1000;
  for (const auto& masks : kMasks)
    for (const IsMasked& pattern : patterns(6)) {
      if (testing::left_out(++seed) || HasFailure()) continue;
      std::mt19937_64 random(seed);
      Matrix matrix = dyadic(6, 0.7, random);
      mask(matrix, pattern, masks, random);
      for (RootRule rule : kRules)
        testing::expect_trees(matrix.view(), {.root = rule}, {.k = 100},
                              "seed " + std::to_string(seed), testing::kMaskedOnly);
    }
}

TEST(Exact, Float32) {
  std::uint64_t seed = 2000;
  for (const std::vector<double>& masks :
       {std::vector<double>{-1e4}, {-1e9}, {-1e30}, {1e20}, {-1e4, 1e20, -3e38}})
    for (const IsMasked& pattern : patterns(4)) {
      if (testing::left_out(++seed) || HasFailure()) continue;
      std::mt19937_64 random(seed);
      Matrix matrix = dyadic(4, 0.8, random);
      mask(matrix, pattern, masks, random);
      matrix.floats.assign(matrix.doubles.begin(), matrix.doubles.end());
      testing::expect_brute_force(matrix.view(), "seed " + std::to_string(seed),
                                  testing::kMaskedOnly);
    }
}

TEST(Exact, Integers) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 57;
  std::uint64_t seed = 3000;
  for (Node nodes : {3, 4, 5})
    for (std::int64_t large :
         {std::int64_t{10'000}, std::int64_t{1'000'000'000}, (std::int64_t{1} << 53) + 1, kLarge})
      for (std::int64_t sign : {-1, 1})
        for (const IsMasked& pattern : patterns(nodes)) {
          if (testing::left_out(++seed) || HasFailure()) continue;
          std::mt19937_64 random(seed);
          std::vector<std::int64_t> weights(static_cast<std::size_t>(nodes * nodes));
          Multigraph graph(nodes, Scalar::int64);
          for (Node h = 0; h < nodes; ++h)
            for (Node d = 1; d < nodes; ++d) {
              auto& weight = weights[static_cast<std::size_t>(h * nodes + d)];
              weight = static_cast<std::int64_t>(random() % 7) - 3;
              if (h != d && pattern(h, d, random)) weight += sign * large;
              if (random() % 4 != 0) graph.add_edge(h, d, weight);
            }
          testing::expect_brute_force(DenseView::head_dependent(weights.data(), nodes),
                                      "seed " + std::to_string(seed));
          testing::expect_brute_force(graph, "edges, seed " + std::to_string(seed));
        }
}

// Weights with all their digits: what is reported is off by no more than without the masks.
TEST(Exact, MasksCostNoDigits) {
  std::uint64_t seed = 4000;
  for (Node nodes : {3, 4, 5})
    for (double large : {-1e9, -1e20, -1e300, 1e20})
      for (const IsMasked& pattern : patterns(nodes)) {
        if (testing::left_out(++seed) || HasFailure()) continue;
        std::mt19937_64 random(seed);
        Matrix matrix = testing::random_matrix(nodes - 1, testing::Weights::negative, 0.9, seed);
        const double rounding = testing::rounding_of(matrix.view());
        mask(matrix, pattern, {large}, random);
        testing::expect_brute_force(
            matrix.view(), "mask " + std::to_string(large) + ", seed " + std::to_string(seed),
            testing::Rounding(rounding, 0x1p-40));
      }
}

// max_gap among masks: a list ends where it must.
TEST(Exact, WithinAGap) {
  for_each_masked([](const Matrix& matrix, auto& random, const std::string& where) {
    for (RootRule rule : kRules)
      for (double gap : {0.0, 0.5, 3.0, 1e4, 1e9}) {
        const auto first = best(matrix.view(), {.root = rule});
        // Beside masks in all trees so small a gap cannot be told.
        if (first && testing::kMaskedOnly.of(matrix.view(), *first) > 0x1p-20) continue;
        if (random() % 4 == 0)
          testing::expect_trees(matrix.view(), {.root = rule}, {.max_gap = gap}, where,
                                testing::kMaskedOnly);
      }
  });
}

// An edge of weight 1e20 that no tree has: the list is that of the graph without it.
TEST(Exact, AHugeWeightThatNoTreeCanUse) {
  for (Node nodes : {5, 13, 21})
    for (std::uint64_t seed = 1; seed <= testing::share(30U) && !HasFailure(); ++seed) {
      std::mt19937_64 random(seed);
      Matrix matrix = dyadic(nodes, 1.0, random);
      auto weight = [&](Node h, Node d) -> double& {
        return matrix.doubles[static_cast<std::size_t>(h * nodes + d)];
      };
      for (Node h = 0; h < nodes; ++h) weight(h, 2) = kNoWeight;
      weight(1, 2) = 0.5;
      weight(2, 1) = kNoWeight;
      const Matrix without = matrix;
      weight(2, 1) = 1e20;
      Matrix floats = matrix;
      floats.floats.assign(matrix.doubles.begin(), matrix.doubles.end());
      Multigraph graph(nodes);
      for (Node h = 0; h < nodes; ++h)
        for (Node d = 1; d < nodes; ++d)
          if (h != d && weight(h, d) != kNoWeight) graph.add_edge(h, d, weight(h, d));
      for (RootRule rule : kRules) {
        const auto first =
            rule == RootRule::any ? paper::opt(without.view()) : paper::opt_dep(without.view());
        for (std::int64_t k : {1, 2, 30}) {
          SCOPED_TRACE("nodes " + std::to_string(nodes) + ", seed " + std::to_string(seed));
          const TreeList expected = kbest(without.view(), {.root = rule}, {.k = k});
          EXPECT_EQ(expected.score(0), first->score);
          for (const Graph& input : {Graph(matrix.view()), Graph(floats.view()), Graph(graph)}) {
            const TreeList trees = kbest(input, {.root = rule}, {.k = k});
            EXPECT_TRUE(std::ranges::equal(trees.scores(), expected.scores())) << "k " << k;
            EXPECT_EQ(best(input, {.root = rule})->score, first->score);
          }
        }
      }
    }
}

// For every arc the score of the best tree that has it, and how many best trees have it.
void expect_sums_over_trees(const DenseView& view, RootRule rule, Objective objective) {
  const Problem problem{.root = rule, .objective = objective};
  const auto nodes = static_cast<std::size_t>(view.nodes());
  const double none = objective == Objective::minimize ? -kNoWeight : kNoWeight;
  std::vector<double> marginals(nodes * nodes, none), support(nodes * nodes, 0.0),
      allowed(nodes * nodes, 0.0);
  const std::vector<Tree> trees = testing::brute_force(view, problem);
  int tied = 0;
  for (const Tree& tree : trees) {
    const bool ties =
        tree.integer_score == trees[0].integer_score &&
        (view.scalar() == Scalar::int64 ||
         testing::compare(testing::sum_of(view, tree), testing::sum_of(view, trees[0])) == 0.0);
    tied += ties ? 1 : 0;
    for (std::size_t d = 1; d < nodes; ++d) {
      const std::size_t arc = static_cast<std::size_t>(tree.heads[d]) * nodes + d;
      if (std::isinf(marginals[arc])) {
        marginals[arc] = tree.score;
        allowed[arc] = testing::kMaskedOnly.of(view, tree);
      }
      support[arc] += ties ? 1.0 : 0.0;
    }
  }
  const std::vector<double> found = max_marginals(view, problem);
  const Ties ties(view, problem);
  const std::vector<double> shares = ties.support();
  EXPECT_EQ(ties.count().decimal(), std::to_string(tied));
  for (std::size_t arc = 0; arc < marginals.size(); ++arc) {
    if (found[arc] != marginals[arc]) {  // both may be infinite
      EXPECT_NEAR(found[arc], marginals[arc], allowed[arc]) << arc / nodes << " -> " << arc % nodes;
    }
    EXPECT_NEAR(shares[arc], tied == 0 ? 0.0 : support[arc] / tied, 1e-12)
        << arc / nodes << " -> " << arc % nodes;
  }
}

TEST(Exact, MaxMarginalsAndTies) {
  for_each_masked([](const Matrix& matrix, auto&, const std::string& where) {
    SCOPED_TRACE(where);
    for (RootRule rule : kRules)
      for (Objective objective : {Objective::maximize, Objective::minimize})
        expect_sums_over_trees(matrix.view(), rule, objective);
  });
}

TEST(Exact, MaxMarginalsAndTiesOfIntegers) {
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed)
    for (std::int64_t large : {std::int64_t{1'000'000'000'000'000}, std::int64_t{1} << 57}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      std::mt19937_64 random(seed);
      std::vector<std::int64_t> weights(16);
      for (auto& weight : weights)
        weight = static_cast<std::int64_t>(random() % 3) - (random() % 2 == 0 ? large : 0);
      for (RootRule rule : kRules)
        expect_sums_over_trees(DenseView::head_dependent(weights.data(), 4), rule,
                               Objective::maximize);
    }
}

}  // namespace
}  // namespace coppice
