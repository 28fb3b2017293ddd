// The K best legal trees against the slow truth: all trees, filtered.
#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/batch.hpp>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>

#include "support/brute_force.hpp"
#include "support/clauses.hpp"
#include "support/effort.hpp"
#include "support/engines.hpp"
#include "support/generate.hpp"
#include "support/labelled.hpp"

namespace coppice::testing {
namespace {

constexpr RootRule kRootRules[] = {RootRule::any, RootRule::single};

std::vector<Rule> structural_rules(Node words, std::mt19937_64& random) {
  std::vector<std::int32_t> most, least;
  std::vector<double> frequencies;
  for (Node v = 0; v <= words; ++v) {
    most.push_back(static_cast<std::int32_t>(random() % 4));
    least.push_back(random() % 4 == 0 ? 1 + static_cast<std::int32_t>(random() % 2) : 0);
    for (int sample = 0; sample < 2; ++sample)
      frequencies.push_back(v == 0 ? 2.0 : static_cast<double>(random() % 9) / 8.0);
  }
  return {rules::projective(),
          rules::max_children(1 + static_cast<std::int32_t>(random() % 2)),
          rules::max_children(most),
          rules::min_children(least),
          rules::max_depth(1 + static_cast<std::int32_t>(random() % 3)),
          rules::sum_condition(frequencies, 2)};
}

// Both root rules and objectives; fewer trees than there are, all of them, and more.
void expect_legal(Graph graph, const std::vector<Rule>& rules, std::uint64_t seed) {
  for (RootRule root : kRootRules) {
    for (Objective objective : {Objective::maximize, Objective::minimize}) {
      Problem problem{.root = root, .objective = objective, .rules = rules};
      std::string where = "seed " + std::to_string(seed) + ", rule " + rules.front().name();
      Request request;
      if (seed % 4 != 0) request.k = static_cast<std::int64_t>(1 + (seed * 7) % 29);
      if (seed % 3 == 0) request.max_gap = static_cast<double>(seed % 5) * 0.4;
      expect_trees(graph, problem, request, where);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// The search goes on to trees with edges that are 25 orders of magnitude worse; that must not cost
// the digits by which the best ones are told apart.
TEST(LegalTrees, WithinAGapBesideHopelessEdges) {
  constexpr double kHopeless = -0x1p99;
  Multigraph graph(4);
  std::vector<std::int32_t> labels;
  const auto add = [&](Node head, Node dependent, double weight, std::int32_t label) {
    graph.add_edge(head, dependent, weight);
    labels.push_back(label);
  };
  add(0, 1, 1, 0);
  add(0, 2, 0, 2);
  add(0, 2, 2048, 0);
  add(0, 3, 1, 0);
  add(0, 3, 1, 2);
  add(1, 2, kHopeless, 0);
  add(1, 2, kHopeless, 2);
  add(1, 3, kHopeless, 0);
  add(1, 3, kHopeless, 1);
  add(2, 1, 65536, 0);
  add(2, 1, -0x1p44, 0);
  add(2, 3, 1, 1);
  add(2, 3, 1, 1);
  add(3, 1, -0x1p-8, 0);
  add(3, 1, 0x1p-19, 0);
  add(3, 2, -0x1p-82, 0);
  add(3, 2, 0x1p26, 0);
  const std::vector<std::string> names{"obj", "punct", "cc"};
  const SentenceFacts facts{.edge_labels = labels, .label_names = names};
  const Graph labelled(graph, facts);
  for (RootRule root : kRootRules)
    for (double max_gap : {7.75, 1e3, 1e9})
      expect_trees(labelled, {.root = root, .rules = {rules::leaves({"punct", "cc"})}},
                   {.max_gap = max_gap}, "gap " + std::to_string(max_gap));
}

TEST(LegalTrees, ReadyMadeRules) {
  for (std::uint64_t seed = 1; seed <= testing::share(120u) && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    Weights weights = kAllWeights[seed % std::size(kAllWeights)];
    Node words = 1 + static_cast<Node>(seed % 5);
    auto matrix = random_matrix(words, weights, seed % 2 == 0 ? 1.0 : 0.7, seed);
    auto edges = random_multigraph(
        words, 4 * words, weights, seed,
        seed % 3 == 1 && weights == Weights::small_integers ? Scalar::int64 : Scalar::float64);
    for (const Rule& rule : structural_rules(words, random)) {
      expect_legal(matrix.view(), {rule}, seed);
      expect_legal(edges, {rule}, seed);
    }
    expect_legal(matrix.view(), structural_rules(words, random), seed);
  }
}

// Large enough for several stages, and for the sweep to be given up.
TEST(LegalTrees, SixWords) {
  for (std::uint64_t seed = 1; seed <= testing::share(8u) && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    auto matrix = random_matrix(6, kAllWeights[seed % std::size(kAllWeights)], 0.8, seed);
    for (const Rule& rule : structural_rules(6, random)) expect_legal(matrix.view(), {rule}, seed);
  }
}

TEST(LegalTrees, RandomClauses) {
  for (std::uint64_t seed = 1; seed <= testing::share(400u) && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    Weights weights = kAllWeights[seed % std::size(kAllWeights)];
    Node words = 1 + static_cast<Node>(seed % 5);
    auto matrix = random_matrix(words, weights, 0.8, seed);
    expect_legal(matrix.view(), {clauses_rule(random_clauses(matrix.view(), random))}, seed);
    auto edges = random_multigraph(words, 5 * words, weights, seed);
    expect_legal(
        edges,
        {clauses_rule(random_clauses(edges, random)), clauses_rule(random_clauses(edges, random))},
        seed);
  }
}

TEST(LegalTrees, LabelledRules) {
  LabelledKind kind{.labels = {"punct", "nsubj", "obj", "dep", "goeswith"},
                    .tags = {"PUNCT", "VERB", "NOUN", "X"}};
  for (std::uint64_t seed = 1; seed <= testing::share(100U) && !HasFailure(); ++seed) {
    LabelledSentence sentence(1 + static_cast<Node>(seed % 5), kind, seed);
    expect_legal(sentence.graph(), {rules::ud()}, seed);
    expect_legal(sentence.graph(), {rules::at_most(1, {"nsubj", "obj"}), rules::leaves({"punct"})},
                 seed);
  }
}

TEST(LegalTrees, WithRequiredAndForbiddenEdges) {
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    auto matrix = random_matrix(4, Weights::continuous, 1.0, seed);
    for (RootRule root : kRootRules)
      expect_trees(matrix.view(),
                   {.root = root,
                    .required = {{2, 3}},
                    .forbidden = {{1, 2}, {0, 4}},
                    .rules = {rules::max_children(2), rules::projective()}},
                   {}, std::to_string(seed));
  }
}

// A function that says yes or no: its clause is the whole tree.
TEST(LegalTrees, YesOrNo) {
  Rule odd("odd", [](Graph, const TreeRef& tree) {
    std::optional<Clause> broken;
    Node sum = 0;
    for (Node head : tree.heads) sum += head;
    if (sum % 2 == 0) return broken;
    broken.emplace();
    for (std::size_t v = 1; v < tree.heads.size(); ++v)
      broken->without.push_back({tree.heads[v], static_cast<Node>(v)});
    return broken;
  });
  for (std::uint64_t seed = 1; seed <= testing::share(30U) && !HasFailure(); ++seed)
    expect_legal(random_matrix(4, kAllWeights[seed % 6], 1.0, seed).view(), {odd}, seed);
}

TEST(LegalTrees, SingleRootAsARule) {
  Rule one_root("one root", [](Graph, const TreeRef& tree) {
    std::optional<Clause> broken;
    std::vector<ClauseEdge> root_edges;
    for (std::size_t v = 1; v < tree.heads.size(); ++v)
      if (tree.heads[v] == 0) root_edges.push_back({0, static_cast<Node>(v)});
    if (root_edges.size() > 1) broken = {.without = {root_edges[0], root_edges[1]}, .with = {}};
    return broken;
  });
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto matrix = random_matrix(12, Weights::negative, 1.0, seed);
    auto ruled = kbest(matrix.view(), {.root = RootRule::any, .rules = {one_root}}, {.k = 40});
    auto single = kbest(matrix.view(), {.root = RootRule::single}, {.k = 40});
    ASSERT_EQ(ruled.size(), single.size()) << seed;
    for (std::size_t rank = 0; rank < ruled.size(); ++rank)
      ASSERT_NEAR(ruled.score(rank), single.score(rank), testing::rounding_of(matrix.view()))
          << seed;
  }
}

TEST(LegalTrees, Budget) {
  bool cut = false, whole = false;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= testing::share(60U) && !HasFailure(); ++seed) {
    auto matrix = random_matrix(6, Weights::continuous, 1.0, seed);
    const double rounding = testing::rounding_of(matrix.view());
    for (Objective objective : {Objective::maximize, Objective::minimize}) {
      Problem problem{
          .root = RootRule::any, .objective = objective, .rules = {rules::max_children(1)}};
      auto truth = brute_force(matrix.view(), problem);
      for (std::int64_t budget : {1, 3, 10, 40, 1000}) {
        auto trees = kbest(matrix.view(), problem, {.k = 8, .budget = budget});
        TreeStream stream(matrix.view(), problem, {.k = 8, .budget = budget});
        std::vector<double> given;
        while (auto tree = stream.next()) given.push_back(tree->score);
        auto no_better = [&](double bound, double score) {
          return objective == Objective::maximize ? score <= bound + 1e-12 : score >= bound - 1e-12;
        };
        const auto expect = [&](std::span<const double> scores, bool complete, double bound) {
          ASSERT_LE(scores.size(), 8U);
          ASSERT_GE(scores.size(), 1U);
          EXPECT_EQ(complete, scores.size() == 8);
          // One tree, which is not proved to be the best, where none was.
          const bool unproved = !complete && scores.size() == 1 && no_better(bound, scores[0]);
          const std::size_t proved = unproved ? 0 : scores.size();
          for (std::size_t rank = 0; rank < proved; ++rank)
            EXPECT_NEAR(scores[rank], truth[rank].score, rounding);
          EXPECT_TRUE(complete || no_better(bound, truth[proved].score));
          found += unproved ? 1 : 0;
        };
        expect(trees.scores(), trees.complete(), trees.bound());
        expect(given, stream.complete(), stream.bound());
        (trees.complete() ? whole : cut) = true;
      }
    }
  }
  EXPECT_TRUE(cut && whole);
  EXPECT_GT(found, 10);
}

TEST(LegalTrees, NoLegalTree) {
  auto matrix = random_matrix(5, Weights::continuous, 1.0, 3);
  Problem problem{.root = RootRule::any, .rules = {rules::max_children(0)}};
  EXPECT_FALSE(best(matrix.view(), problem));
  EXPECT_TRUE(kbest(matrix.view(), problem, {.k = 5}).empty());
  EXPECT_FALSE(TreeStream(matrix.view(), problem).next());
}

TEST(LegalTrees, BatchesOnThreads) {
  std::vector<Matrix> matrices;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    matrices.push_back(random_matrix(8, Weights::continuous, 1.0, seed));
  std::vector<Graph> graphs;
  for (const Matrix& matrix : matrices) graphs.push_back(matrix.view());
  Problem problem{.root = RootRule::single, .rules = {rules::projective()}};
  auto results = kbest_batch(graphs, problem, {.k = 5}, 4);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    auto alone = kbest(graphs[i], problem, {.k = 5});
    ASSERT_TRUE(results[i].ok()) << results[i].failure.text;
    EXPECT_EQ(std::vector(results[i].trees.all_heads().begin(), results[i].trees.all_heads().end()),
              std::vector(alone.all_heads().begin(), alone.all_heads().end()));
  }
}

// A rule that breaks its own contract is told so.
TEST(LegalTrees, BadClauses) {
  auto matrix = random_matrix(3, Weights::continuous, 1.0, 1);
  auto always = [](const Clause& clause) {
    return Rule("bad", [clause](Graph, const TreeRef&) { return std::optional<Clause>(clause); });
  };
  Problem outside{.root = RootRule::any, .rules = {always({.without = {{0, 9}}, .with = {}})}};
  EXPECT_THROW(best(matrix.view(), outside), std::invalid_argument);
  Problem unbroken{.root = RootRule::any,
                   .rules = {always({.without = {}, .with = {{0, 1}, {2, 1}, {3, 1}}})}};
  EXPECT_THROW(best(matrix.view(), unbroken), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::testing
