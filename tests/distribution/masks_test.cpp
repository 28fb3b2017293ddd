// Masks: some weights replaced by a large negative number, in every pattern, whether trees can do
// without them or not. What the masks of two trees have in common must cancel exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/distribution.hpp>
#include <random>

#include "distribution/truth.hpp"
#include "support/effort.hpp"

namespace coppice {
namespace {

using testing::Heads;
using testing::kBothRules;

// A graph of weights of -spread to 2 * spread, some of them replaced by `mask`; a bit for every
// edge.
struct Masked {
  testing::Matrix matrix;
  double mask;
  unsigned pattern;
  double spread;
};

Masked masked(Node words, double mask, unsigned pattern, double spread = 1.0) {
  Masked result{{words + 1, {}, {}}, mask, pattern, spread};
  auto n = static_cast<std::size_t>(words + 1);
  std::mt19937_64 random(pattern + 1);
  result.matrix.doubles.assign(n * n, 0.0);
  for (std::size_t d = 1; d < n; ++d)
    for (std::size_t h = 0; h < n; ++h) {
      if (h == d) continue;
      double& weight = result.matrix.doubles[h * n + d];
      weight = spread * (0.1 * static_cast<double>(random() % 30) - 1.0);
      if ((pattern & 1u) != 0) weight = mask;
      pattern >>= 1;
    }
  return result;
}

// The score of a tree without rounding: so many masks, and the rest.
struct Score {
  long double masks = 0.0L, rest = 0.0L;
  long double above(const Score& other, double mask) const {
    return (masks - other.masks) * mask + (rest - other.rest);
  }
};

Score score_of(const Masked& graph, const Heads& heads) {
  Score score;
  for (std::size_t d = 1; d < heads.size(); ++d) {
    double weight = graph.matrix.doubles[static_cast<std::size_t>(heads[d]) * heads.size() + d];
    if (weight == graph.mask)
      score.masks += 1.0L;
    else
      score.rest += weight;
  }
  return score;
}

void expect_exact(const Masked& graph, RootRule rule) {
  SCOPED_TRACE(::testing::Message() << "pattern " << graph.pattern << ", mask " << graph.mask
                                    << (rule == RootRule::any ? ", any" : ", single"));
  // A weight beside a mask keeps some 100 bits of both.
  const double rounding = graph.spread > 1.0 ? 4e-16 * graph.spread : 0.0;
  auto trees = testing::brute_force(graph.matrix.view(), {.root = rule});
  std::vector<Score> scores;
  for (const Tree& tree : trees) scores.push_back(score_of(graph, tree.heads));
  Score best = scores.front();
  for (const Score& score : scores)
    if (score.above(best, graph.mask) > 0.0L) best = score;
  long double sum = 0.0L;
  for (const Score& score : scores) sum += std::exp(score.above(best, graph.mask));

  TreeDistribution distribution(graph.matrix.view(), {.root = rule});
  auto log_partition = static_cast<double>(best.masks * graph.mask + best.rest + std::log(sum));
  EXPECT_NEAR(distribution.log_partition(), log_partition,
              1e-13 + rounding + 4e-16 * std::abs(log_partition));
  std::vector<long double> marginals(graph.matrix.doubles.size(), 0.0L);
  long double entropy = 0.0L, spread = 0.0L;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    long double above = scores[i].above(best, graph.mask), p = std::exp(above) / sum;
    EXPECT_NEAR(distribution.log_prob(trees[i].heads), static_cast<double>(above - std::log(sum)),
                1e-13 + rounding + 4e-16 * std::abs(static_cast<double>(above)));
    for (std::size_t d = 1; d < trees[i].heads.size(); ++d)
      marginals[static_cast<std::size_t>(trees[i].heads[d]) * trees[i].heads.size() + d] += p;
    if (p > 0.0L) entropy -= p * (above - std::log(sum));
  }
  for (std::size_t i = 0; i < marginals.size(); ++i) {
    auto p = static_cast<double>(marginals[i]);
    EXPECT_NEAR(distribution.marginals()[i], p, (1e-13 + rounding) * p + 1e-100) << "arc " << i;
    // A word that has a mask for its head in some likely trees and none in others.
    spread += p * (1.0 - p) * std::abs(graph.matrix.doubles[i]);
  }
  EXPECT_NEAR(distribution.entropy(), static_cast<double>(entropy),
              1e-13 + rounding + 1e-14 * static_cast<double>(spread));
}

TEST(Masks, EveryPatternOnThreeWords) {
  for (Node words = 1; words <= 3; ++words)
    for (double mask : {-1e4, -1e9, -1e12, -1e15, -1e18, -1e30, -3.4e38, -1e100, -1e300})
      for (unsigned pattern = 0; pattern < 1u << (words * words) && !HasFailure(); ++pattern)
        for (RootRule rule : kBothRules) expect_exact(masked(words, mask, pattern), rule);
}

TEST(Masks, ManyPatternsOnFourWords) {
  for (double mask : {-1e4, -1e9, -1e15, -1e300})
    for (unsigned pattern = 0; pattern < 1u << 16 && !HasFailure();
         pattern += 23u * static_cast<unsigned>(testing::one_of()))
      for (RootRule rule : kBothRules) expect_exact(masked(4, mask, pattern), rule);
}

// Which root edge is the likeliest is then told by what its difference to a mask loses by rounding.
TEST(Masks, OtherWeightsFarApart) {
  for (double mask : {-1e9, -1e18, -1e20, -1e30, -1e300})
    for (double spread : {30.0, 300.0, 3000.0})
      for (unsigned pattern = 0; pattern < 1u << 9 && !HasFailure(); ++pattern)
        for (RootRule rule : kBothRules) expect_exact(masked(3, mask, pattern, spread), rule);
}

// The same in each way to compute: together with others, and alone.
TEST(Masks, TheLikeliestRootEdgeIsToldByItsLowPart) {
  const double mask = -1e20;
  testing::Matrix matrix = testing::matrix_of(
      {{-500.0, 500.0, mask}, {0, mask, 500.0}, {mask, 0, -500.0}, {mask, mask, 0}});
  for (std::size_t sentences : {1, 8}) {
    const std::vector<Graph> graphs(sentences, matrix.view());
    for (const auto& entry : distribution_batch(
             graphs, {.problem = {.root = RootRule::single}, .marginals = true}, 1)) {
      EXPECT_EQ(entry.marginals[0 * 4 + 1], 0.0);
      EXPECT_EQ(entry.marginals[0 * 4 + 2], 1.0);
    }
  }
}

// One to three edges for every arc, as heavy as each other: log(2) and log(3) outlive the masks.
void expect_exact_edges(const Masked& graph, RootRule rule) {
  SCOPED_TRACE(::testing::Message() << "pattern " << graph.pattern << ", mask " << graph.mask
                                    << (rule == RootRule::any ? ", any" : ", single"));
  const Node nodes = graph.matrix.nodes;
  auto copies = [](Node h, Node d) { return 1 + (h + 2 * d) % 3; };
  Multigraph edges(nodes);
  for (Node d = 1; d < nodes; ++d)
    for (Node h = 0; h < nodes; ++h)
      for (int i = 0; h != d && i < copies(h, d); ++i)
        edges.add_edge(h, d, graph.matrix.view().weight(h, d));

  auto trees = testing::brute_force(graph.matrix.view(), {.root = rule});
  std::vector<Score> scores;
  for (const Tree& tree : trees) {
    scores.push_back(score_of(graph, tree.heads));
    for (Node d = 1; d < nodes; ++d)
      scores.back().rest +=
          std::log(static_cast<long double>(copies(tree.heads[static_cast<std::size_t>(d)], d)));
  }
  Score best = scores.front();
  for (const Score& score : scores)
    if (score.above(best, graph.mask) > 0.0L) best = score;
  long double sum = 0.0L;
  for (const Score& score : scores) sum += std::exp(score.above(best, graph.mask));

  const TreeDistribution distribution(edges, {.root = rule});
  testing::Matrix expected = graph.matrix;
  std::ranges::fill(expected.doubles, 0.0);
  long double entropy = 0.0L;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const long double above = scores[i].above(best, graph.mask), p = std::exp(above) / sum;
    EXPECT_NEAR(distribution.log_prob(trees[i].heads), static_cast<double>(above - std::log(sum)),
                1e-13 + 4e-16 * std::abs(static_cast<double>(above)));
    for (std::size_t d = 1; d < trees[i].heads.size(); ++d)
      expected.doubles[static_cast<std::size_t>(trees[i].heads[d]) * trees[i].heads.size() + d] +=
          static_cast<double>(p);
    if (p > 0.0L) entropy -= p * (above - std::log(sum));
  }
  const std::vector<double> found = distribution.edge_marginals();
  for (EdgeId edge = 0; edge < edges.edges(); ++edge) {
    const Node h = edges.source(edge), d = edges.target(edge);
    const double p = expected.view().weight(h, d) / copies(h, d);
    EXPECT_NEAR(found[static_cast<std::size_t>(edge)], p, 1e-13 * p + 1e-100) << h << " -> " << d;
  }
  // A word that has a mask for its head in some likely trees and none in others.
  double spread = 0.0;
  for (std::size_t i = 0; i < expected.doubles.size(); ++i)
    spread += expected.doubles[i] * (1.0 - expected.doubles[i]) * std::abs(graph.matrix.doubles[i]);
  EXPECT_NEAR(distribution.entropy(), static_cast<double>(entropy), 1e-13 + 1e-14 * spread);
  EXPECT_NEAR(distribution.kl(distribution), 0.0, 1e-13);
}

TEST(Masks, ParallelEdges) {
  for (Node words = 1; words <= 3; ++words)
    for (double mask : {-1e4, -1e9, -1e15, -1e30, -1e300})
      for (unsigned pattern = 0; pattern < 1u << (words * words) && !HasFailure(); ++pattern)
        for (RootRule rule : kBothRules) expect_exact_edges(masked(words, mask, pattern), rule);
}

TEST(Masks, AWordWhoseOnlyHeadIsTheRoot) {
  for (double mask : {-1e9, -1e12, -1e15}) {
    testing::Matrix matrix = testing::matrix_of({{0.3, mask}, {0, 0.5}, {mask, 0}});
    TreeDistribution trees(matrix.view(), {.root = RootRule::single});
    EXPECT_EQ(trees.log_partition(), 0.8);
    EXPECT_EQ(trees.log_prob(Heads{-1, 0, 1}), 0.0);
    EXPECT_EQ(trees.entropy(), 0.0);
  }
}

// Different masks in one graph, and trees that need one of each.
TEST(Masks, OfSeveralSizes) {
  const double large = -1e300, small = -1e9;
  testing::Matrix matrix = testing::matrix_of(
      {{large, large, small}, {0.0, 0.5, small}, {0.3, 0.0, small}, {kNoWeight, kNoWeight, 0.0}});
  for (RootRule rule : kBothRules) {
    TreeDistribution trees(matrix.view(), {.root = rule});
    // 0 -> 1 -> 2 and 0 -> 2 -> 1, with word 3 below any of the words (or, for any root, the root).
    double ratio = std::exp(0.2);
    EXPECT_NEAR(trees.marginal(1, 2) / trees.marginal(2, 1), ratio, 1e-14);
    double heads = rule == RootRule::any ? 3.0 : 2.0;
    EXPECT_NEAR(trees.marginal(1, 3), 1.0 / heads, 1e-14);
  }
}

// Deep numbers in more than one panel.
TEST(Masks, ALongCycle) {
  for (Node words : {20, 40}) {
    auto n = static_cast<std::size_t>(words);
    std::vector<std::vector<double>> rows(n + 1, std::vector<double>(n, -1e30));
    for (std::size_t d = 1; d < n; ++d) rows[d + 1][d - 1] = 0.1;
    rows[1][n - 1] = 0.1;
    TreeDistribution trees(testing::matrix_of(rows).view(), {.root = RootRule::any});
    // The cycle is cut anywhere: the word has its mask from the root.
    for (Node d = 1; d <= words; ++d)
      EXPECT_NEAR(trees.marginal(0, d), 1.0 / static_cast<double>(words), 1e-13);
  }
}

// Samples, and all trees one after the other, whatever the masks.
TEST(Masks, Samples) {
  for (double mask : {-1e4, -1e15, -1e300})
    for (unsigned pattern = 0; pattern < 512; pattern += 7)
      for (RootRule rule : kBothRules) {
        Masked graph = masked(3, mask, pattern);
        TreeDistribution trees(graph.matrix.view(), {.root = rule});
        auto all = testing::brute_force(graph.matrix.view(), {.root = rule});
        EXPECT_EQ(trees.sample_distinct(100, 1).size(), all.size())
            << mask << " " << pattern << (rule == RootRule::any ? " any" : " single");
        std::map<Heads, double> probability;
        for (const Tree& tree : all) {
          double p = std::exp(trees.log_prob(tree.heads));
          if (p > 1e-100) probability[tree.heads] = p;
        }
        std::map<Heads, int> counts;
        TreeList drawn = trees.sample(500, 3);
        for (std::size_t i = 0; i < drawn.size(); ++i)
          ++counts[Heads(drawn.heads(i).begin(), drawn.heads(i).end())];
        testing::expect_drawn_from(probability, counts, "pattern " + std::to_string(pattern));
      }
}

}  // namespace
}  // namespace coppice
