// The paper's algorithms cost what the paper says, counted in solves and contractions.
#include <gtest/gtest.h>

#include <coppice/paper.hpp>

#include "support/effort.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Weights;

template <class Algorithm>
paper::Counts counts_after(const DenseView& view, std::int64_t trees) {
  Algorithm algorithm(view);
  for (std::int64_t i = 0; i < trees; ++i) EXPECT_TRUE(algorithm.next());
  return algorithm.counts();
}

// Integer weights, so that no tree is held back and solves can be counted exactly.
testing::Matrix integers(Node words, std::uint64_t seed) {
  auto matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
  for (double& weight : matrix.doubles) weight = std::floor(weight * 1e6);
  return matrix;
}

TEST(Cost, SolvesPerTree) {
  const std::int64_t k = 50;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto matrix = integers(12, seed);
    auto kbest = counts_after<paper::KBest>(matrix.view(), k);
    EXPECT_EQ(kbest.next, 1 + 2 * (k - 1));
    EXPECT_EQ(kbest.opt, 0);
    auto camerini = counts_after<paper::Camerini>(matrix.view(), k);
    EXPECT_EQ(camerini.opt + camerini.next, 2 + 3 * (k - 1));
    auto dep = counts_after<paper::KBestDep>(matrix.view(), k);
    EXPECT_LE(dep.opt + dep.next, 3 * k);
    EXPECT_GE(dep.opt + dep.next, 2 * k);
    auto naive = counts_after<paper::NaiveDep>(matrix.view(), k);
    EXPECT_EQ(naive.opt, 12);
    EXPECT_LE(naive.next, 2 * k);
  }
}

TEST(Cost, ContractionsPerSolve) {
  // A solve contracts at most N - 1 times, each time in O(N) per member.
  for (Node words : {5, 20, 60}) {
    auto matrix = integers(words, 3);
    auto counts = counts_after<paper::KBest>(matrix.view(), 20);
    EXPECT_LE(counts.contractions, (words - 1) * counts.next);
    EXPECT_GT(counts.contractions, 0);
  }
}

// A chain that closes one long cycle, and a nest of two-cycles as deep as the sentence.
TEST(Cost, LongSentencesNeedNoStack) {
  const Node words = testing::large(8000);
  Multigraph chain(words + 1);
  for (Node v = 1; v <= words; ++v) {
    chain.add_edge(v == 1 ? words : v - 1, v, 2.0);
    chain.add_edge(0, v, 1.0 - v * 1e-6);
  }
  EXPECT_EQ(paper::opt(chain)->heads[static_cast<std::size_t>(words)], words - 1);
  paper::KBestDep trees(chain);
  EXPECT_EQ(trees.next()->heads[1], 0);
  EXPECT_EQ(trees.next()->heads[2], 0);

  Multigraph nest(words + 1);
  nest.add_edge(0, 1, 0.0);
  for (Node v = 1; v < words; ++v) {
    nest.add_edge(v, v + 1, static_cast<double>(words - v));
    nest.add_edge(v + 1, 1, static_cast<double>(words - v));
  }
  auto best = paper::opt(nest);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->heads[1], 0);
}

}  // namespace
}  // namespace coppice
