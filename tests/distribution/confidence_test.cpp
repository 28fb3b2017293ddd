// How sure trees and edges are, against sums over all trees.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/confidence.hpp>
#include <coppice/distribution.hpp>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <map>

#include "distribution/truth.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"
#include "support/labelled.hpp"

namespace coppice {
namespace {

using testing::kBothRules;
using testing::Matrix;
using testing::Weights;

// Sums over all trees: of a tree its weight, of a word that a head, or a head with a name, is its.
struct Sums {
  double all = 0.0;
  std::map<std::pair<std::size_t, Node>, double> heads;
  std::map<std::tuple<std::size_t, Node, std::int32_t>, double> names;
};

Sums sums_of(Graph graph, const Problem& problem) {
  Sums sums;
  for (const Tree& tree : testing::brute_force(graph, problem)) {
    const double weight = std::exp(tree.score);
    sums.all += weight;
    for (std::size_t v = 1; v < tree.heads.size(); ++v) {
      sums.heads[{v, tree.heads[v]}] += weight;
      std::int32_t name = 0;
      if (graph.multigraph() != nullptr) name = tree.edges[v];
      if (graph.facts() != nullptr)
        name = graph.facts()->edge_labels[static_cast<std::size_t>(tree.edges[v])];
      sums.names[{v, tree.heads[v], name}] += weight;
    }
  }
  return sums;
}

void expect_right(Graph graph, const Problem& problem, const std::string& where) {
  const TreeList trees = kbest(graph, problem, {.k = 6});
  const ListProbabilities sure = confidence(graph, problem, trees);
  const Sums sums = sums_of(graph, problem);
  ASSERT_EQ(sure.probabilities.size(), trees.size()) << where;
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    EXPECT_NEAR(sure.probabilities[rank], std::exp(trees.score(rank)) / sums.all, 1e-9) << where;
    for (std::size_t v = 1; v < trees.heads(rank).size(); ++v) {
      const ArcProbabilities& arc = sure.arcs(rank)[v - 1];
      const Node head = trees.heads(rank)[v];
      EXPECT_NEAR(arc.head, sums.heads.at({v, head}) / sums.all, 1e-9) << where;
      std::int32_t name = 0;
      if (graph.multigraph() != nullptr) name = trees.edges(rank)[v];
      if (graph.facts() != nullptr)
        name = graph.facts()->edge_labels[static_cast<std::size_t>(trees.edges(rank)[v])];
      EXPECT_NEAR(arc.label, sums.names.at({v, head, name}) / sums.heads.at({v, head}), 1e-9)
          << where;
      double other = 0.0;
      for (const auto& [key, weight] : sums.heads)
        if (key.first == v && key.second != head) other = std::max(other, weight / sums.all);
      EXPECT_NEAR(arc.other, other, 1e-9) << where;
      ASSERT_EQ(arc.other_head == kNoNode, other == 0.0) << where;
      if (other > 0.0) {
        EXPECT_NE(arc.other_head, head) << where;
        EXPECT_NEAR((sums.heads.at({v, arc.other_head}) / sums.all), other, 1e-9) << where;
      }
    }
  }
}

TEST(Confidence, AgainstAllTrees) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    for (const RootRule rule : kBothRules) {
      const double density = seed % 3 == 0 ? 0.5 : 1.0;
      const Matrix matrix = testing::random_matrix(4, Weights::negative, density, seed);
      expect_right(matrix.view(), {.root = rule}, "matrix " + std::to_string(seed));
      expect_right(matrix.view(), {.root = rule, .forbidden = {{1, 2}}},
                   "constrained " + std::to_string(seed));
      const Multigraph graph = testing::random_multigraph(4, 30, Weights::negative, seed);
      expect_right(graph, {.root = rule}, "multigraph " + std::to_string(seed));
      const testing::LabelledSentence sentence(3, {{"a", "b", "root"}, {"X"}}, seed);
      expect_right(sentence.graph(), {.root = rule}, "labelled " + std::to_string(seed));
    }
}

// Two edges of one arc have one label, the third another one.
TEST(Confidence, TheSameLabelTwice) {
  Multigraph graph(2);
  for (const double weight : {0.0, 0.0, 0.0}) graph.add_edge(0, 1, weight);
  const std::vector<std::int32_t> labels = {7, 7, 2};
  const SentenceFacts facts{.edge_labels = labels};
  const Graph known(graph, facts);
  const Problem problem{.root = RootRule::any};
  const TreeList trees = kbest(known, problem, {.k = 3});
  const ListProbabilities sure = confidence(known, problem, trees);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_NEAR(sure.probabilities[rank], 1.0 / 3, 1e-12);
    EXPECT_NEAR(sure.arcs(rank)[0].head, 1.0, 1e-12);
    const auto label = labels[static_cast<std::size_t>(trees.edges(rank)[1])];
    EXPECT_NEAR(sure.arcs(rank)[0].label, label == 7 ? 2.0 / 3 : 1.0 / 3, 1e-12);
    EXPECT_EQ(sure.arcs(rank)[0].other_head, kNoNode);
  }
}

// Among all trees, whether they obey the rules or not.
TEST(Confidence, RulesAreLeftAside) {
  const Matrix matrix = testing::random_matrix(5, Weights::negative, 1.0, 8);
  const Problem free{.root = RootRule::single};
  const Problem legal{.root = RootRule::single, .rules = {rules::max_depth(2)}};
  const TreeList trees = kbest(matrix.view(), legal, {.k = 4});
  ASSERT_EQ(trees.size(), 4u);
  const auto log_prob = TreeDistribution(matrix.view(), free).log_probs(trees);
  const ListProbabilities sure = confidence(matrix.view(), legal, trees);
  for (std::size_t rank = 0; rank < 4; ++rank)
    EXPECT_NEAR(sure.probabilities[rank], std::exp(log_prob[rank]), 1e-12);
}

TEST(Confidence, NothingToBeSureOf) {
  const Matrix matrix = testing::matrix_of({{kNoWeight}, {kNoWeight}});
  const Problem problem{.root = RootRule::single};
  const ListProbabilities sure =
      confidence(matrix.view(), problem, kbest(matrix.view(), problem, {.k = 2}));
  EXPECT_TRUE(sure.probabilities.empty());
  EXPECT_TRUE(sure.all.empty());
}

}  // namespace
}  // namespace coppice
