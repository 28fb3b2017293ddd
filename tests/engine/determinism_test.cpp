// The same trees, bit by bit, whatever instructions the processor has.
#include <gtest/gtest.h>

#include <coppice/batch.hpp>
#include <cstring>

#include "engine/simd/simd.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Weights;

std::vector<testing::Matrix> graphs_of_every_kind() {
  std::vector<testing::Matrix> matrices;
  std::uint64_t seed = 0;
  for (Weights weights : testing::kAllWeights)
    for (Node words : {1, 2, 5, 9, 17, 40})
      matrices.push_back(
          testing::random_matrix(words, weights, words % 2 == 0 ? 0.7 : 1.0, ++seed));
  for (Node words : {3, 8, 20})
    matrices.push_back(testing::random_matrix(words, Weights::wide, 1.0, ++seed));
  return matrices;
}

// All heads and the bits of all scores.
std::string bits(const std::vector<testing::Matrix>& matrices, RootRule rule, std::int64_t k) {
  std::vector<Graph> graphs;
  for (const auto& matrix : matrices) graphs.emplace_back(matrix.view());
  std::string bytes;
  for (const auto& result : kbest_batch(graphs, {.root = rule}, {.k = k}, 1)) {
    EXPECT_TRUE(result.ok()) << result.failure.text;
    const auto heads = std::as_bytes(result.trees.all_heads());
    const auto scores = std::as_bytes(result.trees.scores());
    bytes.append(reinterpret_cast<const char*>(heads.data()), heads.size());
    bytes.append(reinterpret_cast<const char*>(scores.data()), scores.size());
  }
  return bytes;
}

TEST(Determinism, EveryInstructionSet) {
  const auto matrices = graphs_of_every_kind();
  const auto targets = engine::simd::targets();
  ASSERT_FALSE(targets.empty());
  for (RootRule rule : {RootRule::any, RootRule::single})
    for (std::int64_t k : {1, 2, 50}) {
      const std::string expected = bits(matrices, rule, k);
      for (const std::string& target : targets) {
        ASSERT_TRUE(engine::simd::use(target));
        EXPECT_TRUE(bits(matrices, rule, k) == expected) << target;
      }
      engine::simd::use(targets.front());
    }
}

}  // namespace
}  // namespace coppice
