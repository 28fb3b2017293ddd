// Distributions of multigraphs, labelled and constrained ones, against lists of all their trees.
#include <gtest/gtest.h>

#include <coppice/rules.hpp>

#include "distribution/truth.hpp"
#include "support/effort.hpp"
#include "support/labelled.hpp"

namespace coppice {
namespace {

using testing::kBothRules;
using testing::Matrix;
using testing::Weights;

using Edges = std::vector<EdgeId>;

struct TreeProbability {
  Tree tree;
  double probability;
};

std::vector<TreeProbability> all_trees(Graph graph, const Problem& problem) {
  std::vector<TreeProbability> all;
  double sum = 0.0;
  for (Tree& tree : testing::brute_force(graph, problem)) {
    sum += std::exp(tree.score);
    all.push_back({std::move(tree), 0.0});
  }
  for (auto& [tree, probability] : all) probability = std::exp(tree.score) / sum;
  return all;
}

// Constraints that most graphs of so many words and edges have a tree for.
Problem constrained(RootRule rule, std::uint64_t seed) {
  Problem problem{.root = rule};
  if (seed % 3 == 1) problem.forbidden = {{1, 2}};
  if (seed % 3 == 1) problem.forbidden_edges = {static_cast<EdgeId>(seed % 16)};
  if (seed % 3 == 2) problem.required = {{2, 3}};
  return problem;
}

TEST(Graphs, EdgesOfMultigraphs) {
  int with_trees = 0;
  for (RootRule rule : kBothRules)
    for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const Multigraph graph = testing::random_multigraph(4, 30, Weights::continuous, seed);
      const Problem problem = constrained(rule, seed);
      std::vector<double> expected(30, 0.0);
      double log_partition = 0.0;
      const auto all = all_trees(graph, problem);
      for (const auto& [tree, probability] : all)
        for (std::size_t d = 1; d < 5; ++d)
          expected[static_cast<std::size_t>(tree.edges[d])] += probability;
      for (const auto& [tree, probability] : all) log_partition += std::exp(tree.score);
      const TreeDistribution trees(graph, problem);
      EXPECT_EQ(trees.empty(), all.empty());
      const std::vector<double> found = trees.edge_marginals();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-13);
      if (all.empty()) continue;
      ++with_trees;
      EXPECT_NEAR(trees.log_partition(), std::log(log_partition), 1e-13);
    }
  EXPECT_GT(with_trees, 60);
}

TEST(Graphs, SamplesHaveEdges) {
  int drawn_from = 0;
  for (RootRule rule : kBothRules)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Multigraph graph = testing::random_multigraph(3, 16, Weights::continuous, seed);
      const Problem problem = constrained(rule, seed);
      std::map<Edges, double> probability;
      for (const auto& [tree, mass] : all_trees(graph, problem)) probability[tree.edges] = mass;
      const TreeDistribution trees(graph, problem);
      if (!probability.empty()) ++drawn_from;
      const TreeList samples = trees.sample(4000, seed);
      std::map<Edges, int> counts;
      for (std::size_t i = 0; i < samples.size(); ++i) {
        const Tree tree = samples.copy(i);
        ++counts[tree.edges];
        EXPECT_NEAR(std::log(probability[tree.edges]), trees.log_prob(tree), 1e-12);
        double score = 0.0;
        for (std::size_t d = 1; d < 4; ++d) {
          score += graph.weight(tree.edges[d]);
          EXPECT_EQ(graph.source(tree.edges[d]), tree.heads[d]);
        }
        EXPECT_EQ(tree.score, score);
      }
      testing::expect_drawn_from(probability, counts, "seed " + std::to_string(seed));
    }
  EXPECT_GT(drawn_from, 8);
}

double expected_correct(const std::vector<TreeProbability>& all, const Tree& tree, RiskUnit what) {
  double expected = 0.0;
  for (const auto& [other, probability] : all)
    for (std::size_t d = 1; d < tree.heads.size(); ++d)
      if (what == RiskUnit::head ? other.heads[d] == tree.heads[d]
                                 : other.edges[d] == tree.edges[d])
        expected += probability;
  return expected;
}

TEST(Graphs, MinimumRiskWithLabels) {
  int differ = 0;
  for (RootRule rule : kBothRules)
    for (std::uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const Multigraph graph = testing::random_multigraph(3, 18, Weights::continuous, seed);
      const Problem problem = constrained(rule, seed);
      const auto all = all_trees(graph, problem);
      const TreeDistribution trees(graph, problem);
      std::optional<RiskTree> of[2];
      for (RiskUnit what : {RiskUnit::head, RiskUnit::edge}) {
        auto& found = of[static_cast<int>(what)] = trees.min_risk(what);
        ASSERT_EQ(found.has_value(), !all.empty());
        if (!found) continue;
        double most = 0.0;
        for (const auto& [tree, probability] : all)
          most = std::max(most, expected_correct(all, tree, what));
        EXPECT_NEAR(found->expected_correct, most, 1e-13);
        EXPECT_NEAR(expected_correct(all, found->tree, what), most, 1e-13);
      }
      if (of[0] && of[0]->tree.heads != of[1]->tree.heads) ++differ;
    }
  EXPECT_GT(differ, 0);  // or the two could be one
}

TEST(Graphs, IntegerWeightsAndConstraints) {
  Multigraph graph(3, Scalar::int64);
  graph.add_edge(0, 1, std::int64_t{1});
  graph.add_edge(0, 2, std::int64_t{2});
  graph.add_edge(1, 2, std::int64_t{3});
  const TreeDistribution trees(graph, {.root = RootRule::any, .forbidden = {{0, 2}}});
  EXPECT_NEAR(trees.log_partition(), 4.0, 1e-14);
  EXPECT_EQ(trees.sample(1, 1).integer_scores()[0], 4);
  const std::vector<std::int64_t> matrix{0, 1, 2, 0, 0, 3, 0, 4, 0};
  const TreeDistribution dense(DenseView::head_dependent(matrix.data(), 3),
                               {.root = RootRule::any, .forbidden = {{0, 2}}});
  EXPECT_NEAR(dense.log_partition(), 4.0, 1e-14);
  EXPECT_EQ(dense.marginal(0, 2), 0.0);
  EXPECT_TRUE(dense.edge_marginals().empty());
}

// Heads come before their words, so that there are no cycles and the answer is known.
TEST(Graphs, ThousandNodes) {
  const Node nodes = testing::large(2000);
  Multigraph graph(nodes);
  double log_partition = 0.0;
  for (Node word = 1; word < nodes; ++word) {  // two heads before each word, the first with a twin
    const Node near = word - 1, far = (word - 1) / 2;
    graph.add_edge(near, word, 0.0);
    graph.add_edge(far, word, 0.5);
    graph.add_edge(far, word, 0.25);
    log_partition += std::log(1.0 + std::exp(0.5) + std::exp(0.25));
  }
  const TreeDistribution trees(graph, {.root = RootRule::any});
  EXPECT_NEAR(trees.log_partition(), log_partition, 1e-9);
  const double sum = 1.0 + std::exp(0.5) + std::exp(0.25);
  const std::vector<double> found = trees.edge_marginals();
  for (std::size_t edge : {1000u, 1400u})
    EXPECT_NEAR(found[edge], (edge % 3 == 0 ? 1.0 : std::exp(edge % 3 == 1 ? 0.5 : 0.25)) / sum,
                1e-12);
  EXPECT_EQ(trees.sample(2, 1).size(), 2u);
  const Multigraph large(20000);
  EXPECT_THROW(TreeDistribution(large, {.root = RootRule::any}), std::invalid_argument);
}

void expect_legal_samples(Graph graph, RootRule rule, const Rule& legal, const std::string& where) {
  SCOPED_TRACE(where);
  const Rule::Judge judge = legal.prepare(graph);
  Clause broken;
  std::map<std::pair<std::vector<Node>, Edges>, double> probability;
  double mass = 0.0;
  for (auto& [tree, part] : all_trees(graph, {.root = rule}))
    if (!judge({tree.heads, tree.edges}, broken)) {
      probability[{tree.heads, tree.edges}] = part;
      mass += part;
    }
  for (auto& [tree, part] : probability) part /= mass;
  const TreeDistribution trees(graph, {.root = rule});
  if (trees.empty()) return;
  const auto found = trees.sample_legal(graph, {&legal, 1}, 100000, 3000, 1);
  EXPECT_EQ(found.drawn, 3000u);
  EXPECT_NEAR(found.rate(), mass, 4.5 * std::sqrt(mass * std::abs(1.0 - mass) / 3000) + 1e-3);
  std::map<std::pair<std::vector<Node>, Edges>, int> counts;
  for (std::size_t i = 0; i < found.trees.size(); ++i) {
    const Tree tree = found.trees.copy(i);
    ++counts[{tree.heads, tree.edges}];
  }
  testing::expect_drawn_from(probability, counts, where);
}

TEST(Graphs, LegalTreesByRejection) {
  for (RootRule rule : kBothRules)
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Matrix matrix = testing::random_matrix(5, Weights::continuous, 1.0, seed);
      expect_legal_samples(matrix.view(), rule, rules::projective(), "projective");
      const testing::LabelledSentence sentence(
          3, {{"nsubj", "obj", "det", "root"}, {"NOUN", "VERB", "DET"}}, seed);
      expect_legal_samples(sentence.graph(), rule, rules::ud(), "ud");
      expect_legal_samples(sentence.graph(), rule, rules::at_most(1, {"nsubj"}), "at most");
      const Rule projective = rules::projective();
      EXPECT_THROW(TreeDistribution(matrix.view(), {.root = rule})
                       .sample_legal(sentence.graph(), {&projective, 1}, 1, 1, 1),
                   std::invalid_argument);
    }
}

}  // namespace
}  // namespace coppice
