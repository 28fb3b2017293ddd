// The test for sums that do not round: what it calls exact is, and what it should recognise it
// does.
#include "engine/exactness.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace coppice::engine {
namespace {

bool exact(const std::vector<double>& weights, bool integral = false) {
  Exactness exactness(integral);
  exactness.see(weights.data(), weights.size());
  return exactness.of_terms(static_cast<double>(weights.size()));
}

// Sums in a format of 64 digits and more range: for the small ones of these tests the truth.
bool sums_round(const std::vector<double>& weights) {
  double sum = 0.0;
  long double truth = 0.0L;
  for (double weight : weights) sum += weight, truth += weight;
  return static_cast<long double>(sum) != truth;
}

TEST(Exactness, Recognised) {
  EXPECT_TRUE(exact({}));
  EXPECT_TRUE(exact({0.0, -0.0, 0.0}));
  EXPECT_TRUE(exact({1.0, -2.0, 1e9, 12345.0}));
  EXPECT_TRUE(exact({0.5, 0.25, -1024.0}));
  EXPECT_TRUE(exact({double{0.1F}, double{0.7F}, double{-3.3F}}));
  EXPECT_TRUE(exact({1e300, 1e300}));  // twice the same is exact
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(exact({least, 3 * least, -7 * least}));
  EXPECT_TRUE(exact({1.0, -std::numeric_limits<double>::infinity(), 2.0}));
}

TEST(Exactness, Refused) {
  EXPECT_FALSE(exact({0.1, 0.2, 0.3}));
  EXPECT_FALSE(exact({1.0, 0x1p-53}));
  EXPECT_FALSE(exact({1.0, 1.0, 0x1p-52}));
  EXPECT_FALSE(exact({1e300, 1.0}));
  EXPECT_FALSE(exact({1.0, std::numeric_limits<double>::denorm_min()}));
}

TEST(Exactness, TheBorder) {
  // Two terms of 2^52 units make 2^53 units, which is a float64; of 2^52 + 1 it would be more.
  EXPECT_TRUE(exact({0x1p52, 1.0}));
  EXPECT_FALSE(exact({0x1p52 + 1.0, 1.0}));
}

TEST(Exactness, WeightsThatDoNotMatter) {
  const std::vector<double> weights = {1.0, -1e18, 2.5, -0.1};
  Exactness exactness(false);
  exactness.see(weights.data(), weights.size(), 0.0);
  EXPECT_TRUE(exactness.of_terms(4));
  EXPECT_TRUE(exactness.up_to(1e15));
  EXPECT_FALSE(exactness.up_to(1e17));
}

TEST(Exactness, IntegersThatWereRounded) {
  EXPECT_TRUE(exact({3.0, 1e15}, true));
  EXPECT_TRUE(exact({0x1p60, 0x1p61}, false));
  EXPECT_FALSE(exact({0x1p60, 0x1p61}, true));  // may have been 2^60 + 1
}

TEST(Exactness, WhatIsCalledExactIs) {
  std::mt19937_64 random(1);
  int called_exact = 0, rounds = 0;
  for (int i = 0; i < 20000; ++i) {
    // Numbers of some digits around a common exponent, so that all cases come up.
    const auto digits = static_cast<int>(1 + random() % 53);
    const auto spread = static_cast<int>(1 + random() % 12);
    std::vector<double> weights(2 + random() % 5);
    for (double& weight : weights) {
      weight = std::ldexp(static_cast<double>(random() >> (64 - digits)),
                          static_cast<int>(random() % static_cast<unsigned>(spread)) - digits);
      if (random() % 2 == 0) weight = -weight;
    }
    if (exact(weights)) {
      ++called_exact;
      EXPECT_FALSE(sums_round(weights));
    } else {
      rounds += sums_round(weights) ? 1 : 0;
    }
  }
  EXPECT_GT(called_exact, 5000);
  EXPECT_GT(rounds, 500);
}

}  // namespace
}  // namespace coppice::engine
