// Legal trees counted, drawn, found and shown not to be there, against all trees of small graphs.
#include <coppice/legal.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/error.hpp>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <coppice/verify.hpp>
#include <map>
#include <random>

#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/generate.hpp"
#include "support/labelled.hpp"

namespace coppice::testing {
namespace {

constexpr RootRule kRootRules[] = {RootRule::any, RootRule::single};

std::vector<Rule> some_rules(Node words, std::mt19937_64& random) {
  std::vector<std::int32_t> most;
  std::vector<double> least, largest;
  for (Node v = 0; v <= words; ++v) {
    most.push_back(static_cast<std::int32_t>(random() % 3));
    for (int sample = 0; sample < 2; ++sample) {
      least.push_back(v == 0 ? 1.0 : static_cast<double>(random() % 9) / 8.0);
      largest.push_back(least.back() + static_cast<double>(random() % 3) / 8.0);
    }
  }
  return {rules::max_children(1 + static_cast<std::int32_t>(random() % 2)),
          rules::max_children(most),
          rules::max_depth(1 + static_cast<std::int32_t>(random() % 3)),
          rules::projective(),
          rules::sum_condition(least, 2),
          rules::sum_condition(least, largest, 2)};
}

void expect_counted(Graph graph, const Problem& problem, const std::string& where) {
  const auto truth = static_cast<std::int64_t>(brute_force(graph, problem).size());
  EXPECT_EQ(count_legal(graph, problem), truth) << where;
  EXPECT_EQ(count_legal(graph, problem, truth), truth) << where;
  if (truth > 0) EXPECT_EQ(count_legal(graph, problem, truth - 1), std::nullopt) << where;
}

TEST(Legal, CountsAreThoseOfAllTrees) {
  for (std::uint64_t seed = 1; seed <= testing::share(120U) && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const Node words = 1 + static_cast<Node>(seed % 5);
    const auto matrix = random_matrix(words, Weights::continuous, seed % 2 == 0 ? 1.0 : 0.7, seed);
    const auto edges = random_multigraph(words, 4 * words, Weights::small_integers, seed);
    const std::vector<Rule> rules = some_rules(words, random);
    for (const RootRule root : kRootRules) {
      expect_counted(matrix.view(), {.root = root}, "no rule");
      for (const Rule& rule : rules) {
        const std::string where = rule.name() + ", seed " + std::to_string(seed);
        expect_counted(matrix.view(), {.root = root, .rules = {rule}}, where);
        expect_counted(edges, {.root = root, .rules = {rule, rules[0]}}, where);
      }
    }
  }
}

TEST(Legal, CountsObeyConstraintsAndLabels) {
  for (std::uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    const auto matrix = random_matrix(4, Weights::continuous, 1.0, seed);
    for (const RootRule root : kRootRules)
      expect_counted(matrix.view(),
                     {.root = root,
                      .required = {{2, 3}},
                      .forbidden = {{1, 2}, {0, 4}},
                      .rules = {rules::max_children(2)}},
                     std::to_string(seed));
    const LabelledKind kind{.labels = {"nsubj", "dep"}, .tags = {}};
    const LabelledSentence sentence(3, kind, seed);
    const auto& names = sentence.facts().label_names;
    if (std::ranges::find(names, "nsubj") == names.end()) continue;
    expect_counted(
        sentence.graph(),
        {.root = RootRule::any, .rules = {rules::at_most(1, {"nsubj"}), rules::max_children(2)}},
        std::to_string(seed));
  }
}

TEST(Legal, SamplesAreUniform) {
  const auto matrix = random_matrix(5, Weights::continuous, 1.0, 7);
  const Problem problem{.root = RootRule::any, .rules = {rules::max_children(2)}};
  const auto all = static_cast<double>(*count_legal(matrix.view(), problem));
  constexpr std::size_t kDraws = 200'000;
  const TreeList samples = sample_legal(matrix.view(), problem, kDraws, 1);
  ASSERT_EQ(samples.size(), kDraws);
  std::map<std::vector<Node>, double> seen;
  for (std::size_t i = 0; i < samples.size(); ++i)
    ++seen[std::vector<Node>(samples.heads(i).begin(), samples.heads(i).end())];
  ASSERT_EQ(static_cast<double>(seen.size()), all);
  const double expected = kDraws / all;
  double squares = 0.0;
  for (const auto& [heads, count] : seen)
    squares += (count - expected) * (count - expected) / expected;
  EXPECT_LT(squares, all + 5.0 * std::sqrt(2.0 * all));
  EXPECT_GT(squares, all - 5.0 * std::sqrt(2.0 * all));
}

TEST(Legal, SamplesComeFromTheSeed) {
  const auto edges = random_multigraph(5, 40, Weights::continuous, 3);
  const Problem problem{.root = RootRule::single, .rules = {rules::max_children(2)}};
  const TreeList many = sample_legal(edges, problem, 50, 9);
  const TreeList few = sample_legal(edges, problem, 20, 9);
  const TreeList others = sample_legal(edges, problem, 50, 10);
  ASSERT_EQ(many.size(), 50U);
  int same = 0;
  for (std::size_t i = 0; i < many.size(); ++i) {
    const Tree tree = many.copy(i);
    EXPECT_TRUE(is_tree(tree.heads) && obeys(tree.heads, problem.root));
    EXPECT_NEAR(tree.score, score(edges, tree.heads, tree.edges), 1e-12);
    if (i < few.size()) EXPECT_EQ(tree, few.copy(i));
    same += tree == others.copy(i) ? 1 : 0;
  }
  EXPECT_LT(same, 50);
}

TEST(Legal, NothingToDraw) {
  const auto matrix = random_matrix(3, Weights::continuous, 1.0, 1);
  const Problem none{.root = RootRule::any, .rules = {rules::max_children(0)}};
  EXPECT_EQ(count_legal(matrix.view(), none), 0);
  EXPECT_TRUE(sample_legal(matrix.view(), none, 5, 1).empty());
  EXPECT_FALSE(find_legal(matrix.view(), none));
  const Problem any{.root = RootRule::any};
  EXPECT_EQ(count_legal(matrix.view(), any), 16);
  EXPECT_THROW(sample_legal(matrix.view(), any, 5, 1, 15), Error);
  EXPECT_THROW(count_legal(matrix.view(), any, -1), Error);
}

TEST(Legal, WhatIsFoundIsLegal) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= testing::share(80U) && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const Node words = 2 + static_cast<Node>(seed % 4);
    const auto matrix = random_matrix(words, Weights::continuous, 1.0, seed);
    const auto edges =
        random_multigraph(words, 5 * words, Weights::small_integers, seed, Scalar::int64);
    for (const Graph graph : {Graph(matrix.view()), Graph(edges)}) {
      for (const Rule& rule : some_rules(words, random)) {
        for (const Objective objective : {Objective::maximize, Objective::minimize}) {
          const Problem problem{
              .root = kRootRules[seed % 2], .objective = objective, .rules = {rule}};
          const auto truth = brute_force(graph, problem);
          const auto tree = find_legal(graph, problem);
          ASSERT_EQ(tree.has_value(), !truth.empty()) << rule.name() << ", seed " << seed;
          if (!tree) continue;
          ++found;
          const bool listed = std::ranges::any_of(truth, [&](const Tree& other) {
            return other.heads == tree->heads && other.edges == tree->edges &&
                   std::abs(other.score - tree->score) < 1e-9 &&
                   other.integer_score == tree->integer_score;
          });
          EXPECT_TRUE(listed) << rule.name() << ", seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(found, testing::share(500));
}

// Where a budget ends before the first tree, a legal one is given, with how much is left to gain.
TEST(Legal, ABudgetGivesATree) {
  for (const Objective objective : {Objective::maximize, Objective::minimize}) {
    const auto matrix = random_matrix(60, Weights::continuous, 1.0, 5);
    const Problem problem{
        .root = RootRule::single, .objective = objective, .rules = {rules::max_children(2)}};
    const double sign = objective == Objective::maximize ? 1.0 : -1.0;
    const auto expect_found = [&](const TreeRef& tree, double bound) {
      Clause clause;
      EXPECT_FALSE(problem.rules[0].prepare(matrix.view())(tree, clause));
      EXPECT_TRUE(is_tree(tree.heads) && obeys(tree.heads, RootRule::single));
      EXPECT_GT(sign * bound, sign * tree.score);
      EXPECT_LT(std::abs(bound - tree.score), 0.05 * std::abs(tree.score));
    };
    for (const Request& request :
         {Request{.k = 3, .budget = 5}, Request{.k = 3, .time_limit = 1e-9}}) {
      const TreeList trees = kbest(matrix.view(), problem, request);
      ASSERT_EQ(trees.size(), 1U);
      EXPECT_FALSE(trees.complete());
      EXPECT_GT(trees.bound_gap(), 0.0);
      EXPECT_EQ(trees.bound_gap(), std::abs(trees.bound() - trees.score(0)));
      if (request.budget) expect_found(trees[0], trees.bound());
    }
    TreeStream stream(matrix.view(), problem, {.budget = 5});
    const auto tree = stream.next();
    ASSERT_TRUE(tree);
    EXPECT_FALSE(stream.complete());
    expect_found({tree->heads, tree->edges, tree->score}, stream.bound());
    EXPECT_EQ(stream.bound_gap(), std::abs(stream.bound() - tree->score));
    EXPECT_FALSE(stream.next());
  }
  EXPECT_EQ(TreeList().bound_gap(), 0.0);
}

// A rule that says no to whole trees may be slow: it is not asked about a million of them.
TEST(Legal, GivesUpSoon) {
  std::int64_t asked = 0;
  const Rule never("never", [&](Graph, const TreeRef& tree) {
    ++asked;
    std::optional<Clause> broken(std::in_place);
    for (std::size_t v = 1; v < tree.heads.size(); ++v)
      broken->without.push_back({tree.heads[v], static_cast<Node>(v)});
    return broken;
  });
  const auto matrix = random_matrix(20, Weights::continuous, 1.0, 5);
  EXPECT_FALSE(find_legal(matrix.view(), {.root = RootRule::any, .rules = {never}}));
  EXPECT_LT(asked, 1'200);
}

TEST(Legal, WhyThereIsNone) {
  Multigraph graph(4);
  graph.add_edge(0, 1, 1.0);
  graph.add_edge(1, 2, 1.0);
  graph.add_edge(1, 3, 1.0);
  const auto why = [&](const std::vector<Rule>& rules) {
    return why_none_legal(graph, {.root = RootRule::any, .rules = rules});
  };
  const Rule narrow = rules::max_children(1);
  EXPECT_EQ(why({narrow}), "no tree obeys rule max-children=1");
  EXPECT_EQ(why({rules::max_depth(2), narrow}), "no tree obeys rule max-children=1");
  EXPECT_EQ(why({rules::sum_condition({1.0, 0.5, 0.2, 0.6}, 1), narrow}),
            "rule sum-condition allows no edge into node 3");
  EXPECT_EQ(why({rules::max_children({1, 0, 3, 3})}),
            "rule max-children allows no edge into node 2");
  graph.add_edge(2, 3, 1.0);
  EXPECT_EQ(why({narrow, rules::max_depth(2)}), "no tree obeys all rules together");
  const Multigraph empty(3);
  EXPECT_EQ(why_none_legal(empty, {.root = RootRule::any, .rules = {narrow}}), "");
  const std::vector<std::string> names = {"r", "a", "b", "c"};
  EXPECT_EQ(
      why_none_legal(graph, {.root = RootRule::any, .rules = {rules::max_children({1, 0, 3, 3})}},
                     names),
      "rule max-children allows no edge into b");
}

}  // namespace
}  // namespace coppice::testing
