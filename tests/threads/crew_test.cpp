// Many sentences on several threads: each is done once, in every batch of a crew.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "graph/sentences.hpp"

namespace coppice {
namespace {

struct Worker {
  Worker() { ++made; }
  static inline std::atomic<int> made = 0;
};

TEST(Crew, DoesEverySentenceOnceInEveryBatch) {
  for (const int threads : {1, 2, 5}) {
    Crew<Worker> crew(threads);
    Worker::made = 0;
    for (const std::size_t count : {0, 1, 2, 1000, 3, 0, 1000}) {
      std::vector<std::atomic<int>> done(count);
      crew.for_each(
          count, [&](Worker&, std::size_t i) { ++done[i]; }, [](std::size_t) { FAIL(); });
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(done[i], 1) << count;
    }
    EXPECT_LE(Worker::made, threads);
  }
  EXPECT_THROW(Crew<Worker>(0), Error);
}

TEST(Crew, OneBadSentenceDisturbsNoOther) {
  Crew<Worker> crew(3);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::atomic<int>> done(500), bad(500);
    const auto work = [&](Worker&, std::size_t i) {
      if (i % 50 == 7) throw std::runtime_error("bad");
      ++done[i];
    };
    crew.for_each(500, work, [&](std::size_t i) { ++bad[i]; });
    for (std::size_t i = 0; i < 500; ++i) {
      ASSERT_EQ(done[i], i % 50 == 7 ? 0 : 1);
      ASSERT_EQ(bad[i], i % 50 == 7 ? 1 : 0);
    }
  }
}

TEST(Crew, WhatFindsNoMemoryIsTriedOnceMore) {
  Crew<Worker> crew(3);
  for (const bool again : {false, true}) {
    std::vector<std::atomic<int>> tries(200);
    std::atomic<int> failed = 0;
    const auto work = [&](Worker&, std::size_t i) {
      if (++tries[i] == 1 || again) throw std::bad_alloc();
    };
    crew.for_each(200, work, [&](std::size_t) { ++failed; });
    for (const auto& count : tries) ASSERT_EQ(count, 2);
    EXPECT_EQ(failed, again ? 200 : 0);
  }
}

TEST(Crew, StopsAndGoesOnWithTheNextBatch) {
  Crew<Worker> crew(3);
  for (int round = 0; round < 3; ++round) {
    StopSource stop;
    std::atomic<int> done = 0;
    {
      const StopScope scope(stop);
      const auto work = [&](Worker&, std::size_t) {
        if (++done == 20) stop.request();
      };
      EXPECT_THROW(crew.for_each(100'000, work, [](std::size_t) {}), Stopped);
    }
    EXPECT_LT(done, 1000);
    done = 0;
    crew.for_each(
        100, [&](Worker&, std::size_t) { ++done; }, [](std::size_t) {});
    EXPECT_EQ(done, 100);
  }
}

}  // namespace
}  // namespace coppice
