// Proofs that no legal tree is better: true ones are found and accepted, wrong ones are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <coppice/verify.hpp>
#include <functional>
#include <iterator>

#include "support/brute_force.hpp"
#include "support/clauses.hpp"
#include "support/generate.hpp"

namespace coppice::testing {
namespace {

using Use = std::function<void(Graph graph, const Problem& problem)>;

// Matrices and multigraphs with random clauses, and with projective() beside them.
void for_each_case(const Use& use) {
  for (std::uint64_t seed = 1; seed <= 60 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto matrix = random_matrix(5, kAllWeights[seed % std::size(kAllWeights)], 0.8, seed);
    auto edges = random_multigraph(5, 25, Weights::continuous, seed);
    for (Graph graph : {Graph(matrix.view()), Graph(edges)}) {
      for (RootRule root : {RootRule::any, RootRule::single}) {
        Problem problem{.root = root,
                        .objective = seed % 3 == 0 ? Objective::minimize : Objective::maximize,
                        .rules = {clauses_rule(random_clauses(graph, random))}};
        if (seed % 4 == 0) problem.forbidden.push_back({1, 2});
        if (seed % 5 == 0 && graph.dense() != nullptr) problem.required.push_back({2, 3});
        use(graph, problem);
        problem.rules.push_back(rules::projective());
        use(graph, problem);
      }
    }
  }
}

TEST(Proofs, OfTheBestLegalTree) {
  std::size_t split = 0, worse = 0;
  for_each_case([&](Graph graph, const Problem& problem) {
    auto trees = kbest(graph, problem, {.k = 3});
    if (trees.empty()) return;
    const Tree best = trees.copy(0), last = trees.copy(trees.size() - 1);
    auto proof = prove_best(graph, problem, best);
    ASSERT_TRUE(proof);
    EXPECT_EQ(check_proof(graph, problem, best, *proof), "");
    split += proof->parts.size() > 1 ? 1 : 0;
    if (std::abs(best.score - last.score) < 1e-6) return;
    ++worse;
    EXPECT_FALSE(prove_best(graph, problem, last));
    EXPECT_NE(check_proof(graph, problem, last, *proof), "");
  });
  EXPECT_GT(split, 50U);
  EXPECT_GT(worse, 50U);
}

TEST(Proofs, WithPartsAddedOrMissing) {
  for_each_case([](Graph graph, const Problem& problem) {
    const auto tree = best(graph, problem);
    if (!tree) return;
    const Proof proof = *prove_best(graph, problem, *tree);
    Proof wrong = proof;
    wrong.parts.pop_back();
    EXPECT_EQ(check_proof(graph, problem, *tree, wrong), "proof: parts are missing");
    wrong = proof;
    wrong.parts.push_back(proof.parts.back());
    EXPECT_EQ(check_proof(graph, problem, *tree, wrong), "proof: more parts than there are");
  });
}

// Every part that is split is closed instead, in three ways.
TEST(Proofs, ThatStopTooEarly) {
  std::size_t closed = 0;
  for_each_case([&](Graph graph, const Problem& problem) {
    const auto tree = best(graph, problem);
    if (!tree) return;
    const Proof proof = *prove_best(graph, problem, *tree);
    if (proof.parts.size() == 1) return;
    ++closed;
    const bool projective = problem.rules.size() > 1;
    Proof wrong;
    wrong.parts = {{proof.parts[0].best, std::nullopt}};
    EXPECT_EQ(
        check_proof(graph, problem, *tree, wrong),
        projective ? "proof: a part has a better tree" : "proof: a part may have a better tree");
    wrong.parts = {{std::nullopt, std::nullopt}};
    EXPECT_EQ(check_proof(graph, problem, *tree, wrong),
              projective ? "proof: a part has a better tree"
                         : "proof: a part said to have no tree has one");
    // The given tree has no certificate as long as there are better ones.
    wrong.parts = {{CertifiedTree{*tree, proof.parts[0].best->certificate}, std::nullopt}};
    EXPECT_NE(check_proof(graph, problem, *tree, wrong), "");
  });
  EXPECT_GT(closed, 50U);
}

TEST(Proofs, WithClausesThatNoRuleReturned) {
  std::size_t seen = 0;
  for_each_case([&](Graph graph, const Problem& problem) {
    const auto tree = best(graph, problem);
    if (!tree) return;
    Proof wrong = *prove_best(graph, problem, *tree);
    if (!wrong.parts[0].clause) return;
    ++seen;
    wrong.parts[0].clause->without.push_back({0, 1});
    EXPECT_EQ(check_proof(graph, problem, *tree, wrong),
              "proof: a clause that no rule has returned");
    wrong.parts[0].clause->without.back() = {0, 99};
    EXPECT_EQ(check_proof(graph, problem, *tree, wrong), "proof: a clause names what is no node");
    wrong.parts[0].best->tree.heads.back() = 99;
    EXPECT_NE(check_proof(graph, problem, *tree, wrong), "");
    wrong.parts[0].best.reset();
    EXPECT_EQ(check_proof(graph, problem, *tree, wrong), "proof: a part without a tree is split");
  });
  EXPECT_GT(seen, 50U);
}

TEST(Proofs, OfTreesThatAreNotMeant) {
  auto matrix = random_matrix(4, Weights::continuous, 1.0, 3);
  const Graph graph(matrix.view());
  const Problem any{.root = RootRule::any};
  const Tree first = *best(graph, any);
  const Proof proof = *prove_best(graph, any, first);
  EXPECT_EQ(check_proof(graph, any, first, proof), "");

  Problem ruled = any;
  ruled.rules = {clauses_rule({{.without = {{first.heads[1], 1}}, .with = {}}})};
  EXPECT_EQ(check_proof(graph, ruled, first, proof), "breaks the rule clauses");
  Problem forbidding = any;
  forbidding.forbidden = {{first.heads[1], 1}};
  EXPECT_EQ(check_proof(graph, forbidding, first, proof),
            "takes an edge that is missing or not allowed");
  Tree flat{.heads = {kNoNode, 0, 0, 0, 0}, .edges = {}};
  EXPECT_EQ(check_proof(graph, {.root = RootRule::single}, flat, proof), "more than one root edge");
  Tree cycle{.heads = {kNoNode, 2, 1, 0, 0}, .edges = {}};
  EXPECT_EQ(check_proof(graph, any, cycle, proof), "not a tree");
}

// Weights of any size: what counts as equal grows and shrinks with them.
TEST(Proofs, OfTinyAndHugeWeights) {
  for (double scale : {1e-30, 1e30}) {
    auto matrix = random_matrix(5, Weights::continuous, 1.0, 9);
    for (double& weight : matrix.doubles) weight *= scale;
    const Problem problem{.root = RootRule::single, .rules = {rules::max_children(1)}};
    auto trees = kbest(matrix.view(), problem, {.k = 2});
    EXPECT_TRUE(prove_best(matrix.view(), problem, trees.copy(0)));
    EXPECT_FALSE(prove_best(matrix.view(), problem, trees.copy(1)));
  }
}

// A word cannot be its own head: such an edge of a clause is in no tree, and splits nothing off.
TEST(Proofs, WithClausesThatNameLoops) {
  auto matrix = random_matrix(3, Weights::continuous, 1.0, 1);
  const Tree first = *best(matrix.view(), {.root = RootRule::any});
  const Problem problem{
      .root = RootRule::any,
      .rules = {clauses_rule({{.without = {{first.heads[1], 1}}, .with = {{2, 2}, {3, 3}}}})}};
  auto trees = kbest(matrix.view(), problem, {.k = 2});
  auto proof = prove_best(matrix.view(), problem, trees.copy(0));
  ASSERT_TRUE(proof);
  EXPECT_EQ(check_proof(matrix.view(), problem, trees.copy(0), *proof), "");
  EXPECT_FALSE(prove_best(matrix.view(), problem, trees.copy(1)));
}

}  // namespace
}  // namespace coppice::testing
