// coppice.h where memory runs out: after every single allocation, each call says so and leaves
// nothing behind.
#include <coppice/coppice.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "support/generate.hpp"

namespace {

std::atomic<bool> counting = false;
std::atomic<long> left = 0;

bool may_allocate() { return !counting || left.fetch_sub(1) > 0; }

}  // namespace

void* operator new(std::size_t size) {
  void* memory = may_allocate() ? std::malloc(size) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace coppice {
namespace {

// The code of a call that gets so many allocations.
template <class Call>
coppice_status with_allocations(long count, const Call& call) {
  left = count;
  counting = true;
  const coppice_status status = call();
  counting = false;
  return status;
}

// Calls with more and more memory until it suffices; what the call gave is freed.
template <class Call, class Clean>
void expect_codes(const Call& call, const Clean& clean) {
  long count = 0;
  for (; with_allocations(count, call) != COPPICE_OK; ++count) {
    ASSERT_STREQ(coppice_error(), "out of memory") << "after " << count << " allocations";
    ASSERT_LT(count, 100'000);
  }
  EXPECT_GT(count, 0);
  clean();
}

class CMemory : public ::testing::Test {
 protected:
  CMemory() {
    options_.size = sizeof options_;
    options_.root = COPPICE_ROOT_SINGLE;
    options_.k = 30;
    options_.forbidden = &arc_;
    options_.forbidden_count = 1;
    EXPECT_EQ(coppice_graph_matrix(COPPICE_FLOAT64, matrix_.doubles.data(), 8, 8, 1, &graph_),
              COPPICE_OK);
  }
  ~CMemory() override { coppice_graph_free(graph_); }

  testing::Matrix matrix_ = testing::random_matrix(7, testing::Weights::small_integers, 1.0, 3);
  coppice_arc arc_ = {3, 4};
  coppice_options options_ = {};
  coppice_graph* graph_ = nullptr;
};

TEST_F(CMemory, Graphs) {
  const std::vector<std::int32_t> sources = {0, 1}, targets = {1, 2};
  const std::vector<double> weights = {1, 2};
  coppice_graph* graph = nullptr;
  expect_codes(
      [&] {
        return coppice_graph_edges(3, 2, sources.data(), targets.data(), weights.data(), &graph);
      },
      [&] { coppice_graph_free(graph); });
}

TEST_F(CMemory, Lists) {
  coppice_trees* trees = nullptr;
  expect_codes([&] { return coppice_kbest(graph_, &options_, &trees); },
               [&] {
                 EXPECT_EQ(coppice_trees_count(trees), 30U);
                 coppice_trees_free(trees);
               });
}

TEST_F(CMemory, Streams) {
  coppice_stream* stream = nullptr;
  // All trees that were asked for, or the first code that is not good.
  const auto all = [&] {
    coppice_status status = coppice_stream_new(graph_, &options_, &stream);
    int found = 1;
    while (status == COPPICE_OK && found != 0) status = coppice_stream_next(stream, &found);
    coppice_stream_free(stream);
    return status;
  };
  expect_codes(all, [] {});
}

// One that finds no memory does not take the others with it.
TEST_F(CMemory, Batches) {
  const std::vector<const coppice_graph*> graphs(4, graph_);
  const auto all = [&] {
    coppice_batch* batch = nullptr;
    coppice_status status = coppice_kbest_batch(graphs.data(), graphs.size(), &options_, 2, &batch);
    for (std::size_t i = 0; i < coppice_batch_count(batch) && status == COPPICE_OK; ++i) {
      status = coppice_batch_status(batch, i);
      EXPECT_EQ(coppice_batch_trees(batch, i) == nullptr, status != COPPICE_OK);
    }
    coppice_batch_free(batch);
    return status;
  };
  long count = 0;
  for (; with_allocations(count, all) != COPPICE_OK; ++count) ASSERT_LT(count, 100'000);
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace coppice
