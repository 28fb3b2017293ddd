// Calls end when they are told to: by a request, at a deadline, by a question; on helper threads,
// too, and nothing of it stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <coppice/paper.hpp>
#include <coppice/stop.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "graph/poll.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using Clock = StopSource::Clock;
using namespace std::chrono_literals;

bool stops() {
  try {
    poll_now();
  } catch (const Stopped&) {
    return true;
  }
  return false;
}

TEST(Stop, NothingStopsWithoutAScope) {
  StopSource source;
  source.request();
  EXPECT_FALSE(stops());
  { const StopScope scope(source); }
  EXPECT_FALSE(stops());
}

TEST(Stop, ScopesNestAndAllCount) {
  StopSource outer, inner;
  const StopScope scope(outer);
  {
    const StopScope nested(inner);
    EXPECT_FALSE(stops());
    outer.request();
    EXPECT_TRUE(stops());
  }
  EXPECT_TRUE(stops());
  EXPECT_FALSE(inner.requested());
}

TEST(Stop, WhileALongListMoves) {
  std::vector<int> numbers(1 << 20, 7);
  numbers.shrink_to_fit();
  StopSource source;
  {
    const StopScope scope(source);
    push_polling(numbers, 8);
    numbers.shrink_to_fit();
    source.request();
    EXPECT_THROW(push_polling(numbers, 9), Stopped);
  }
  EXPECT_EQ(numbers.size(), (1U << 20) + 1);
  EXPECT_EQ(numbers.front(), 7);
  EXPECT_EQ(numbers.back(), 8);
}

TEST(Stop, WhileMuchIsSorted) {
  std::vector<int> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int>(i * 7'919 % 100'003);
  const std::vector<int> before = numbers;
  StopSource source;
  {
    const StopScope scope(source);
    sort_polling(numbers.begin(), numbers.end(), std::greater<>());
    EXPECT_TRUE(std::ranges::is_sorted(numbers, std::greater<>()));
    numbers = before;
    source.request();
    std::size_t compared = 0;
    auto less = [&](int a, int b) { return ++compared, a < b; };
    EXPECT_THROW(sort_polling(numbers.begin(), numbers.end(), less), Stopped);
    EXPECT_LT(compared, 10'000U);
  }
}

TEST(Stop, AQuestionIsAskedOnTheThreadOfTheScope) {
  StopSource source;
  const auto here = std::this_thread::get_id();
  int asked = 0;
  source.ask([&] {
    EXPECT_EQ(std::this_thread::get_id(), here);
    return ++asked == 3;
  });
  const StopScope scope(source);
  const StopScope* const scopes = polling.scope;
  std::jthread other([&] {
    const PollFor caller(scopes);
    while (!stops()) std::this_thread::yield();
  });
  while (!stops()) std::this_thread::yield();
  EXPECT_EQ(asked, 3);
}

// All trees of the graph would take longer than anybody waits.
void expect_stopped(StopSource& source) {
  const auto matrix = testing::random_matrix(40, testing::Weights::continuous, 1.0, 1);
  const StopScope scope(source);
  EXPECT_THROW(
      {
        paper::KBest trees(matrix.view());
        while (trees.next()) {
        }
      },
      Stopped);
}

TEST(Stop, AtADeadline) {
  StopSource source;
  source.stop_at(Clock::now() + 20ms);
  expect_stopped(source);
}

TEST(Stop, ByAnotherThread) {
  StopSource source;
  std::jthread other([&] {
    std::this_thread::sleep_for(20ms);
    source.request();
  });
  expect_stopped(source);
}

}  // namespace
}  // namespace coppice
