// The second best tree of a multigraph by one swap, alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/paper.hpp>
#include <coppice/verify.hpp>
#include <vector>

#include "engine/sparse.hpp"
#include "graph/constraints.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

constexpr RootRule kRules[] = {RootRule::any, RootRule::single};

// The scores of the two best trees, or of as many as there are. They must be trees, and differ.
std::vector<double> two_best(const Multigraph& graph, RootRule rule) {
  Sparse sparse;
  sparse.load(graph, {}, Objective::maximize);
  Solution solution;
  if (!sparse.solve(rule, solution)) return {};
  std::vector<Node> heads(solution.head.begin(), solution.head.end());
  std::vector<EdgeId> edges(solution.edge.begin(), solution.edge.end());
  std::vector<double> scores = {score(graph, heads, edges)};
  ReducedCost reduced;
  reduced.prepare(solution);
  Preorder preorder;
  preorder.build(graph.nodes(), [&](Node v) { return solution.head[v]; });
  Sparse::Second second;
  if (!sparse.find_second(solution, reduced, preorder, rule, second)) return scores;
  EXPECT_FALSE(second.edges.empty());
  Node before = 0;
  for (const Solver::Numbered& edge : second.edges) {
    EXPECT_LT(before, edge.dependent);
    before = edge.dependent;
    EXPECT_NE(edges[place_of(edge.dependent)], edge.edge);
    heads[place_of(edge.dependent)] = edge.head;
    edges[place_of(edge.dependent)] = edge.edge;
  }
  EXPECT_TRUE(is_tree(heads) && obeys(heads, rule));
  scores.push_back(score(graph, heads, edges));
  EXPECT_NEAR(second.gap, scores[0] - scores[1], 1e-9 * (1.0 + std::abs(scores[0])));
  return scores;
}

void expect_scores(const std::vector<double>& scores, const std::vector<double>& truth) {
  ASSERT_EQ(scores.size(), truth.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    ASSERT_NEAR(scores[i], truth[i], 1e-9 * (1.0 + std::abs(truth[i])));
}

TEST(Second, TinyGraphs) {
  for (Weights weights : testing::kAllWeights)
    for (Node words = 1; words <= 5; ++words)
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Node edges = words + static_cast<Node>(seed % 5) * words / 2;
        const auto graph = testing::random_multigraph(words, edges, weights, seed);
        for (RootRule rule : kRules) {
          SCOPED_TRACE(testing::name(weights) + ", words " + std::to_string(words) + ", seed " +
                       std::to_string(seed) + (rule == RootRule::any ? ", any" : ", single"));
          std::vector<double> truth;
          for (const Tree& tree : testing::brute_force(graph, {.root = rule}, {.k = 2}))
            truth.push_back(tree.score);
          expect_scores(two_best(graph, rule), truth);
          if (HasFailure()) return;
        }
      }
}

// Every edge into a node is dearer the farther it comes from, so that components are nested deeply,
// and few edges leave the root.
Multigraph nested(Node words, Weights weights, std::uint64_t seed) {
  const auto random = testing::random_multigraph(words, 4 * words, weights, seed);
  Multigraph graph(words + 1);
  for (EdgeId e = 0; e < random.edges(); ++e) {
    const Node s = random.source(e), t = random.target(e);
    if (s == 0 && t % 3 != 0 && t != 1) continue;
    const double apart = s == 0 ? 2.0 * words : std::abs(s - t);
    graph.add_edge(s, t, random.weight(e) - apart);
  }
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(v % words + 1, v, 0.0);
    graph.add_edge(0, v, -3.0 * words);
  }
  return graph;
}

template <class Reference>
std::vector<double> first_two(const Multigraph& graph) {
  Reference reference(graph);
  std::vector<double> scores;
  while (scores.size() < 2) {
    const auto tree = reference.next();
    if (!tree) break;
    scores.push_back(tree->score);
  }
  return scores;
}

TEST(Second, NestedComponents) {
  for (Weights weights : {Weights::continuous, Weights::small_integers, Weights::equal})
    for (Node words : {7, 20, 60})
      for (std::uint64_t seed = 0; seed < 25; ++seed) {
        SCOPED_TRACE(testing::name(weights) + ", words " + std::to_string(words) + ", seed " +
                     std::to_string(seed));
        const auto graph = nested(words, weights, seed);
        expect_scores(two_best(graph, RootRule::any), first_two<paper::KBest>(graph));
        expect_scores(two_best(graph, RootRule::single), first_two<paper::KBestDep>(graph));
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace coppice::engine
