// Whole numbers of many bits against those of the compiler, and against what they must be.
#include "engine/numbers/wide.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/exact_score.hpp"

namespace coppice::engine {
namespace {

// Of any size, so that carries go far and numbers are equal now and then.
std::int64_t any_integer(std::mt19937_64& random) {
  const auto bits = static_cast<std::int64_t>(random());
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return -1;
    default:
      return bits >> random() % 64;
  }
}

template <class W>
void expect_order(const W& a, const W& b, int order) {
  EXPECT_EQ(a < b, order < 0);
  EXPECT_EQ(a > b, order > 0);
  EXPECT_EQ(a == b, order == 0);
  EXPECT_EQ(a <= b, order <= 0);
  EXPECT_EQ(a >= b, order >= 0);
}

#ifdef __SIZEOF_INT128__
__extension__ using Int128 = __int128;

Wide128 wide(Int128 value) {
  const auto high = static_cast<std::int64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  // Halves of 32 bits are whole as float64.
  return Wide128(static_cast<double>(high >> 32), 96) +
         Wide128(static_cast<double>(high & 0xffffffff), 64) +
         Wide128(static_cast<double>(low >> 32), 32) +
         Wide128(static_cast<double>(low & 0xffffffff), 0);
}

TEST(Wide, OfTwoLimbsAsTheCompiler) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto any = [&] {
      return static_cast<Int128>(any_integer(random)) * (std::int64_t{1} << random() % 60) +
             any_integer(random);
    };
    const Int128 a = any(), b = random() % 8 == 0 ? a : any();
    ASSERT_EQ(wide(a) + wide(b), wide(a + b));
    ASSERT_EQ(wide(a) - wide(b), wide(a - b));
    ASSERT_EQ(-wide(a), wide(-a));
    ASSERT_EQ(wide(a).negative(), a < 0);
    expect_order(wide(a), wide(b), a < b ? -1 : a > b ? 1 : 0);
    const auto value = static_cast<double>(a);
    ASSERT_NEAR(wide(a).value(), value, 0x1p-52 * std::abs(value));
    if (HasFailure()) return;
  }
}
#endif

TEST(Wide, OfAnInteger) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t a = any_integer(random), b = any_integer(random);
    ASSERT_EQ(WideAny(a) + WideAny(b), WideAny(b) - -WideAny(a));
    expect_order(WideAny(a), WideAny(b), a < b ? -1 : a > b ? 1 : 0);
    ASSERT_EQ(WideAny(a >> 11).value(), static_cast<double>(a >> 11));
  }
}

// Every float64, by powers of two.
double any_double(std::mt19937_64& random) {
  const int exponent = static_cast<int>(random() % 2097) - 1074;
  const double sign = random() % 2 == 0 ? 1.0 : -1.0;
  return sign * std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
}

TEST(Wide, HoldsEveryFloat64) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const double a = any_double(random), b = any_double(random);
    ASSERT_EQ(WideAny(a, 1074).value(1074), a);
    expect_order(WideAny(a, 1074), WideAny(b, 1074), a < b ? -1 : a > b ? 1 : 0);
    ASSERT_EQ(WideAny(-a, 1074), -WideAny(a, 1074));
  }
  for (double least : {0x1p-1074, -0x1p-1074, 3 * 0x1p-1074, 0x1p-1022, 0.0})
    EXPECT_EQ(WideAny(least, 1074).value(1074), least);
}

// Sums of many sizes, in any order, are what they are; what was added can be taken off again.
TEST(Wide, AddsExactly) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    std::vector<double> terms(20);
    for (double& term : terms) term = 0x1p-10 * any_double(random);
    WideAny sum, backwards;
    ExactSum exact;
    for (std::size_t j = 0; j < terms.size(); ++j) {
      sum += WideAny(terms[j], 1074);
      backwards += WideAny(terms[terms.size() - 1 - j], 1074);
      exact.add(terms[j]);
    }
    ASSERT_EQ(sum, backwards);
    const double truth = testing::rounded(exact);
    ASSERT_NEAR(sum.value(1074), truth, 0x1p-51 * std::abs(truth));
    for (double term : terms) sum -= WideAny(term, 1074);
    ASSERT_EQ(sum, WideAny());
  }
}

// Twice a number is the number moved by one place.
TEST(Wide, MovesByPlaces) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i) {
    const double a = std::ldexp(static_cast<double>(random() >> 11), -53);
    const int shift = 53 + static_cast<int>(random() % 2000);
    const WideAny number(a, shift);
    EXPECT_EQ(number + number, WideAny(a, shift + 1));
    EXPECT_EQ(number + number, WideAny(2 * a, shift));
  }
}

// 7^400, digit by digit: by additions alone.
TEST(Wide, CountsInDecimals) {
  std::string digits = "1";  // from the last
  WideAny power(std::int64_t{1});
  for (int i = 0; i < 400; ++i) {
    int carry = 0;
    for (char& digit : digits) {
      carry += (digit - '0') * 7;
      digit = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    for (; carry > 0; carry /= 10) digits.push_back(static_cast<char>('0' + carry % 10));
    const WideAny twice = power + power;
    power = twice + twice + twice + power;
  }
  WideAny number;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    const WideAny twice = number + number, four = twice + twice;
    number = four + four + twice + WideAny(std::int64_t{*digit - '0'});
  }
  EXPECT_EQ(number, power);
}

TEST(Wide, WhatIsNotWholeIsCutOff) {
  EXPECT_EQ(Wide128(2.75, 0), Wide128(std::int64_t{2}));
  EXPECT_EQ(Wide128(-2.75, 0), Wide128(std::int64_t{-2}));
  EXPECT_EQ(Wide128(2.75, 1), Wide128(std::int64_t{5}));
  EXPECT_EQ(Wide128(0x1p-200, 0), Wide128());
}

TEST(Wide, Bounds) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200; ++i) {
    const double a = any_double(random);
    EXPECT_LT(lowest<WideAny>(), WideAny(a, 1074));
    EXPECT_GT(highest<WideAny>(), WideAny(a, 1074));
    EXPECT_LT(lowest<double>(), a);
    EXPECT_GT(highest<double>(), a);
  }
}

}  // namespace
}  // namespace coppice::engine
