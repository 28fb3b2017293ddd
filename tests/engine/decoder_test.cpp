// Reuse, labels, streams.
#include <gtest/gtest.h>

#include <atomic>
#include <coppice/kbest.hpp>
#include <coppice/labels.hpp>
#include <cstdlib>
#include <new>

#include "support/brute_force.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

// The compiler sees through our operator new and takes malloc and free for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {
std::atomic<long> allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace coppice {
namespace {

using testing::Weights;

std::vector<testing::Matrix> sentences(int count) {
  std::vector<testing::Matrix> matrices;
  for (int i = 0; i < count; ++i)
    matrices.push_back(testing::random_matrix(static_cast<Node>(1 + i % 17), Weights::float32, 1.0,
                                              static_cast<std::uint64_t>(i)));
  return matrices;
}

TEST(Decoder, AllocatesNothingAfterWarmUp) {
  auto matrices = sentences(60);
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    for (std::int64_t k : {1, 50}) {
      Decoder decoder;
      TreeList trees;
      const Problem problem{.root = rule};
      const Request request{.k = k};
      for (int round = 0; round < 2; ++round)
        for (const auto& matrix : matrices) decoder.kbest(matrix.view(), problem, request, trees);
      long before = allocations;
      for (const auto& matrix : matrices) decoder.kbest(matrix.view(), problem, request, trees);
      EXPECT_EQ(allocations - before, 0) << "k " << k;
    }
  }
}

TEST(Decoder, ReuseChangesNothing) {
  auto matrices = sentences(40);
  Decoder decoder;
  TreeList trees;
  for (const auto& matrix : matrices) {
    for (std::int64_t k : {1, 7, 30}) {
      const Problem problem{.root = RootRule::single};
      const Request request{.k = k};
      decoder.kbest(matrix.view(), problem, request, trees);
      auto fresh = kbest(matrix.view(), problem, request);
      EXPECT_TRUE(std::ranges::equal(trees.all_heads(), fresh.all_heads()));
      EXPECT_TRUE(std::ranges::equal(trees.scores(), fresh.scores()));
    }
  }
}

TEST(Labels, DistinctAsLabelledTrees) {
  auto arcs = testing::random_matrix(3, Weights::float32, 0.9, 4);
  std::vector<float> scores(4 * 4 * 2);
  std::vector<std::int32_t> names(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = -0.1F * static_cast<float>(i % 5);
    names[i] = static_cast<std::int32_t>(100 + i % 2);
  }
  auto labelled = label_arcs(arcs.view(), {.scores = scores, .ids = names, .per_arc = 2});
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    auto truth = testing::brute_force(labelled.graph, {.root = rule});
    auto trees = kbest(labelled.graph, {.root = rule}, {.k = 1000});
    ASSERT_EQ(trees.size(), truth.size());
    for (std::size_t rank = 0; rank < trees.size(); ++rank)
      EXPECT_NEAR(trees.score(rank), truth[rank].score, testing::rounding_of(labelled.graph));
  }
  EXPECT_EQ(labelled.labels[0], 100);
  EXPECT_THROW(label_arcs(arcs.view(), {.scores = std::span(scores).first(3), .per_arc = 2}),
               std::invalid_argument);
}

TEST(Stream, KeepsItsOwnCopyAndEnds) {
  std::optional<TreeStream> stream;
  {
    auto matrix = testing::random_matrix(4, Weights::continuous, 1.0, 2);
    stream.emplace(matrix.view(), Problem{.root = RootRule::any});
  }
  int count = 0;
  double last = std::numeric_limits<double>::infinity();
  while (auto tree = stream->next()) {
    EXPECT_LE(tree->score, last);
    last = tree->score;
    ++count;
  }
  EXPECT_EQ(count, 125);
  EXPECT_FALSE(stream->next());
}

}  // namespace
}  // namespace coppice
