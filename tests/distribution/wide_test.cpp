// Numbers of any size keep every digit of their logarithm.
#include "graph/wide.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::distribution {
namespace {

TEST(Wide, LogarithmsKeepTheirDigits) {
  for (double x = 0.37; x < 1e8; x *= 1.7)
    for (double sign : {-1.0, 1.0}) {
      const Wide number = Wide::exp({sign * x, 0.0});
      EXPECT_NEAR(number.log(), sign * x, 2e-16 * (x + 1000.0));
    }
}

TEST(Wide, ProductsAndSums) {
  const Wide huge = Wide::exp({50'000.0, 0.0}), tiny = Wide::exp({-50'000.0, 0.0});
  EXPECT_NEAR((huge * tiny).log(), 0.0, 1e-11);
  EXPECT_NEAR((huge + huge).log(), 50'000.0 + std::log(2.0), 1e-11);
  EXPECT_EQ((huge + tiny).log(), huge.log());
  EXPECT_EQ(tiny.value(), 0.0);
}

}  // namespace
}  // namespace coppice::distribution
