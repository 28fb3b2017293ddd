// Trees that tie with one that is known: alone, and where the queue of a whole dense graph ends
// with them.
#include "engine/tied_trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/tree.hpp>
#include <coppice/verify.hpp>
#include <random>
#include <set>
#include <vector>

#include "engine/pipeline.hpp"
#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"

namespace coppice::engine {
namespace {

constexpr RootRule kRules[] = {RootRule::any, RootRule::single};

// Each node hangs from one of those before it, in an order drawn at random.
Indexed<Node, Node> random_tree(Node nodes, std::mt19937_64& random) {
  std::vector<Node> order;
  for (Node v = 1; v < nodes; ++v) order.push_back(v);
  std::shuffle(order.begin(), order.end(), random);
  order.insert(order.begin(), 0);
  Indexed<Node, Node> heads(place_of(nodes), kNoNode);
  for (std::size_t i = 1; i < order.size(); ++i) heads[order[i]] = order[random() % i];
  return heads;
}

TEST(TiedTreesTest, AreTreesOfTiesAndNoTwoAreEqual) {
  std::mt19937_64 random(1);
  TiedTrees ties;
  int started = 0;
  for (int i = 0; i < 400; ++i) {
    const Node nodes = 3 + static_cast<Node>(random() % 7);
    const auto first = random_tree(nodes, random);
    std::vector<std::vector<bool>> tied(place_of(nodes), std::vector<bool>(place_of(nodes)));
    for (Node s = 0; s < nodes; ++s)
      for (Node t = 1; t < nodes; ++t) tied[place_of(s)][place_of(t)] = random() % 2 == 0;
    const auto least = static_cast<std::int64_t>(random() % 20);
    if (!ties.start(first, least, [&](Node v, auto visit) {
          for (Node s = 0; s < nodes; ++s)
            if (s != v && s != first[v] && tied[place_of(s)][place_of(v)]) visit(s);
        }))
      continue;
    ++started;
    std::set<std::vector<Node>> seen = {{first.begin(), first.end()}};
    while (ties.next()) {
      const std::vector<Node> heads(ties.heads().begin(), ties.heads().end());
      ASSERT_TRUE(is_tree(heads));
      ASSERT_TRUE(seen.insert(heads).second);
      for (Node v = 1; v < nodes; ++v)
        ASSERT_TRUE(heads[place_of(v)] == first[v] ||
                    tied[place_of(heads[place_of(v)])][place_of(v)]);
    }
    EXPECT_GT(static_cast<std::int64_t>(seen.size()), least);
  }
  EXPECT_GT(started, 200);
}

// The queue works on the graph itself, whatever its size.
Tuning whole_graph() {
  Tuning tuning;
  tuning.most_greedy = 0;
  tuning.most_candidates = tuning.candidates_per_tree = 0;
  tuning.edges_per_candidate = std::size_t{1} << 40;
  return tuning;
}

std::vector<Tree> best_of(const DenseView& view, RootRule rule, std::int64_t k,
                          const Tuning& tuning) {
  Pipeline pipeline(tuning);
  TreeList list;
  TreeBuilder(list).reset(view);
  if (pipeline.solve(view, {.root = rule})) pipeline.kbest({.k = k}, list);
  std::vector<Tree> trees;
  for (std::size_t rank = 0; rank < list.size(); ++rank) trees.push_back(list.copy(rank));
  return trees;
}

void expect_scores(const DenseView& view, RootRule rule, const std::vector<Tree>& trees,
                   const std::vector<double>& scores) {
  ASSERT_EQ(trees.size(), scores.size());
  std::set<std::vector<Node>> seen;
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    ASSERT_TRUE(is_tree(trees[rank].heads));
    ASSERT_TRUE(obeys(trees[rank].heads, rule));
    ASSERT_TRUE(seen.insert(trees[rank].heads).second);
    ASSERT_EQ(trees[rank].score, score(view, trees[rank].heads));
    ASSERT_EQ(trees[rank].score, scores[rank]) << "rank " << rank + 1;
  }
}

// Zeros, and some ones.
std::vector<double> random_weights(Node nodes, std::mt19937_64& random) {
  const auto ones = 2 + random() % 5;
  std::vector<double> weights(place_of(nodes) * place_of(nodes));
  for (double& weight : weights) weight = random() % ones == 0 ? 1.0 : 0.0;
  return weights;
}

TEST(TiedTreesTest, TheQueueOfAWholeGraphEndsWithThem) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    const Node nodes = 6 + static_cast<Node>(random() % 2);
    const auto weights = random_weights(nodes, random);
    const auto view = DenseView::head_dependent(weights.data(), nodes);
    for (RootRule rule : kRules)
      for (std::size_t k : {3, 8, 20, 60}) {
        SCOPED_TRACE("graph " + std::to_string(i) + ", " + std::to_string(k) + " trees");
        expect_scores(view, rule, best_of(view, rule, static_cast<std::int64_t>(k), whole_graph()),
                      testing::brute_force_scores(view, rule, k));
        if (HasFailure()) return;
      }
  }
}

TEST(TiedTreesTest, AsByTheKernel) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 300; ++i) {
    const Node nodes = 7 + static_cast<Node>(random() % 6);
    const auto weights = random_weights(nodes, random);
    const auto view = DenseView::head_dependent(weights.data(), nodes);
    for (RootRule rule : kRules)
      for (std::int64_t k : {10, 40, 200}) {
        SCOPED_TRACE("graph " + std::to_string(i) + ", " + std::to_string(k) + " trees");
        std::vector<double> scores;
        for (const Tree& tree : best_of(view, rule, k, {})) scores.push_back(tree.score);
        expect_scores(view, rule, best_of(view, rule, k, whole_graph()), scores);
        if (HasFailure()) return;
      }
  }
}

// A path, every edge back for nothing, and ways out that cost 100: the second tree has thousands of
// equals, but not around itself.
TEST(TiedTreesTest, AroundTheNextTreesOfTheSameGap) {
  const Node nodes = 31;
  std::vector<double> weights(place_of(nodes) * place_of(nodes), 0.0);
  for (Node s = 0; s < nodes; ++s)
    for (Node t = 1; t < nodes; ++t)
      weights[place_of(s * nodes + t)] = s == 0 && t > 1 ? -100.0 : s + 1 < t ? kNoWeight : 0.0;
  const auto view = DenseView::head_dependent(weights.data(), nodes);
  for (RootRule rule : kRules) {
    std::vector<double> scores(500, -100.0);
    scores[0] = 0.0;
    expect_scores(view, rule, best_of(view, rule, 500, whole_graph()), scores);
  }
}

// All heads of a word are worth the same or, by the last digit, nearly the same: sums round. So few
// trees that all are kept which tie.
TEST(TiedTreesTest, InTheGreedyCase) {
  struct Case {
    RootRule rule;
    Node nodes;
    std::size_t k;
  };
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i)
    for (const auto& [rule, nodes, k] :
         {Case{RootRule::any, 5, 20}, Case{RootRule::any, 5, 40}, Case{RootRule::single, 4, 2},
          Case{RootRule::single, 5, 10}}) {
      SCOPED_TRACE("graph " + std::to_string(i) + ", " + std::to_string(k) + " trees");
      std::vector<double> worth(place_of(nodes)), weights(place_of(nodes * nodes));
      for (double& one : worth) one = 0.1 * static_cast<double>(random() % 10);
      const auto near = 1 + random() % 3;
      for (std::size_t at = 0; at < weights.size(); ++at) {
        weights[at] = worth[at % place_of(nodes)];
        if (random() % near != 0) weights[at] = std::nextafter(weights[at], 1.0);
        if (at < place_of(nodes) && i % 2 == 0) weights[at] += 0.3;  // which is the price
      }
      const auto view = DenseView::head_dependent(weights.data(), nodes);
      expect_scores(view, rule, best_of(view, rule, static_cast<std::int64_t>(k), {}),
                    testing::brute_force_scores(view, rule, k));
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace coppice::engine
