// Scores in order by every way that it has, against a stable sort.
#include "engine/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace coppice::engine {
namespace {

template <class Score>
std::vector<std::uint32_t> sorted(const std::vector<Score>& scores) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  return order;
}

// Near to each other and far apart, many of them equal.
TEST(Order, IsThatOfAStableSort) {
  std::mt19937_64 random(1);
  Order order{Tuning()};
  for (std::size_t size : {0, 1, 2, 63, 64, 65, 300, 2047, 2048, 2049, 6000})
    for (double scale : {0x1p-52, 0x1p-40, 1.0, 0x1p300}) {
      std::vector<double> scores(size);
      std::vector<std::int64_t> integers(size);
      for (double& score : scores)
        score = (random() % 2 == 0 ? 1.0 : -1.0) + scale * static_cast<double>(random() % 700);
      for (std::int64_t& score : integers)
        score = static_cast<std::int64_t>(random() % 700) - (random() % 2 == 0 ? 350 : 0);
      const auto expected = sorted(scores);
      EXPECT_EQ(order.of(scores), expected) << size << " scores, scale " << scale;
      EXPECT_EQ(order.of(integers), sorted(integers)) << size << " integers";
    }
}

}  // namespace
}  // namespace coppice::engine
