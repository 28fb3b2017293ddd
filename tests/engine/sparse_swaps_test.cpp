// Trees of a multigraph that are one swap away from the best, alone.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/paper.hpp>
#include <coppice/verify.hpp>
#include <set>
#include <utility>
#include <vector>

#include "engine/sparse.hpp"
#include "graph/constraints.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

constexpr RootRule kRules[] = {RootRule::any, RootRule::single};

// A graph with its best tree.
struct Solved {
  const Multigraph& graph;
  Sparse sparse;
  Solution solution;
  bool found;

  Solved(const Multigraph& multigraph, RootRule rule) : graph(multigraph) {
    sparse.load(graph, {}, Objective::maximize);
    found = sparse.solve(rule, solution);
  }
  std::vector<Sparse::Swap> swaps(RootRule rule, std::size_t most) {
    ReducedCost reduced;
    reduced.prepare(solution);
    Preorder preorder;
    preorder.build(graph.nodes(), [&](Node v) { return solution.head[v]; });
    std::vector<Sparse::Swap> swaps;
    sparse.find_swaps(solution, reduced, preorder, rule, most, swaps);
    return swaps;
  }
  Tree best() const {
    Tree tree;
    tree.heads.assign(solution.head.begin(), solution.head.end());
    tree.edges.assign(solution.edge.begin(), solution.edge.end());
    tree.score = score(graph, tree.heads, tree.edges);
    return tree;
  }
  Tree swapped(const Sparse::Swap& swap) {
    Tree tree = best();
    std::vector<Solver::Numbered> edges;
    sparse.list_edges(swap, solution, edges);
    Node before = 0;
    for (const Solver::Numbered& edge : edges) {
      EXPECT_LT(std::exchange(before, edge.dependent), edge.dependent);
      tree.heads[place_of(edge.dependent)] = edge.head;
      tree.edges[place_of(edge.dependent)] = edge.edge;
    }
    tree.score = score(graph, tree.heads, tree.edges);
    return tree;
  }
};

// The scores of the two best trees, or of as many as there are. They must be trees, and differ.
std::vector<double> two_best(const Multigraph& graph, RootRule rule) {
  Solved solved(graph, rule);
  if (!solved.found) return {};
  const Tree best = solved.best();
  const std::vector<Sparse::Swap> swaps = solved.swaps(rule, 1);
  if (swaps.empty()) return {best.score};
  const Tree second = solved.swapped(swaps[0]);
  EXPECT_NE(second.edges, best.edges);
  EXPECT_TRUE(is_tree(second.heads) && obeys(second.heads, rule));
  EXPECT_NEAR(swaps[0].cost, best.score - second.score, 1e-9 * (1.0 + std::abs(best.score)));
  return {best.score, second.score};
}

void expect_scores(const std::vector<double>& scores, const std::vector<double>& truth) {
  ASSERT_EQ(scores.size(), truth.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    ASSERT_NEAR(scores[i], truth[i], 1e-9 * (1.0 + std::abs(truth[i])));
}

TEST(SparseSwaps, TinyGraphs) {
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

// What all words have in common once they are one component is far larger than what root edges
// differ by.
TEST(SparseSwaps, LargeWeightsElsewhere) {
  Multigraph graph(4);
  graph.add_edge(0, 1, 0x1p20);
  graph.add_edge(0, 2, -0x1p54);
  graph.add_edge(0, 3, 0.0);
  graph.add_edge(1, 2, 0x1p53);
  graph.add_edge(2, 1, -64.0);
  graph.add_edge(2, 3, 128.0);
  graph.add_edge(1, 3, -0x1p120);
  graph.add_edge(3, 1, -0x1p116);
  graph.add_edge(3, 2, -0x1p111);
  expect_scores(two_best(graph, RootRule::single),
                {0x1p20 + 0x1p53 + 128.0, -0x1p54 - 64.0 + 128.0});
}

// Of three possible roots the second comes into reach of the others first, but the third is better.
TEST(SparseSwaps, LaterRootEdge) {
  Multigraph graph(4);
  graph.add_edge(0, 1, 10.0);
  graph.add_edge(1, 2, 0.0);
  graph.add_edge(2, 3, 0.0);
  graph.add_edge(2, 1, 8.0);
  graph.add_edge(0, 2, -3.0);
  graph.add_edge(3, 1, 7.0);
  graph.add_edge(0, 3, -0.5);
  expect_scores(two_best(graph, RootRule::single), {10.0, 6.5});
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

// More swaps are wanted than before: what was contracted is contracted further.
TEST(SparseSwaps, AskedAgain) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = nested(12, Weights::small_integers, seed);
    Solved once(graph, RootRule::single), again(graph, RootRule::single);
    const std::vector<Sparse::Swap> first = again.swaps(RootRule::single, 1);
    const std::vector<Sparse::Swap> expected = once.swaps(RootRule::single, 20);
    const std::vector<Sparse::Swap> swaps = again.swaps(RootRule::single, 20);
    ASSERT_EQ(swaps.size(), expected.size());
    for (std::size_t i = 0; i < swaps.size(); ++i) EXPECT_EQ(swaps[i].cost, expected[i].cost);
    const double gap = again.best().score - again.swapped(first[0]).score;
    EXPECT_EQ(gap, first[0].cost);
    EXPECT_EQ(gap, swaps[0].cost);
  }
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

TEST(SparseSwaps, NestedComponents) {
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

// Each is another tree, of the gap that is said.
TEST(SparseSwaps, AllAreTrees) {
  for (RootRule rule : kRules)
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const auto graph = nested(12, Weights::small_integers, seed);
      Solved solved(graph, rule);
      ASSERT_TRUE(solved.found);
      const std::vector<Sparse::Swap> swaps = solved.swaps(rule, 20);
      EXPECT_EQ(swaps.size(), 20u);
      std::set<std::vector<EdgeId>> seen = {solved.best().edges};
      for (const Sparse::Swap& swap : swaps) {
        const Tree tree = solved.swapped(swap);
        ASSERT_TRUE(is_tree(tree.heads) && obeys(tree.heads, rule));
        EXPECT_EQ(swap.cost, solved.best().score - tree.score);
        EXPECT_TRUE(seen.insert(tree.edges).second);
      }
    }
}

}  // namespace
}  // namespace coppice::engine
