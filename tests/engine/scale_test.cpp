// Units and caps: from weights to whole numbers.
#include "engine/numbers/scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace coppice::engine {
namespace {

// Columns of weights, the first of which is the best.
using Columns = std::vector<std::vector<double>>;

Scale scale_of_columns(const Columns& columns, bool integral = false) {
  double largest_loss = 0.0;
  for (const auto& column : columns)
    for (double weight : column) largest_loss = std::max(largest_loss, column[0] - weight);
  const auto nodes = static_cast<Node>(columns.size()) + 1;
  return scale_of_uneven(nodes, largest_loss, integral, [&](auto visit) {
    for (const auto& column : columns)
      for (double weight : column) visit(weight, column[0]);
  });
}

// Of n columns, with full digits: losses of up to 16.
Columns ordinary(int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Columns columns;
  for (int i = 0; i < n; ++i) {
    auto& column = columns.emplace_back();
    column.push_back(std::uniform_real_distribution<>(0.0, 1.0)(random));
    for (int j = 0; j < n; ++j)
      column.push_back(std::uniform_real_distribution<>(-15.0, 0.0)(random));
  }
  return columns;
}

void expect_power_of_two(double x) {
  int exponent = 0;
  EXPECT_EQ(std::frexp(x, &exponent), 0.5) << x;
}

TEST(Scale, SumsStayBelow2To53) {
  for (Node nodes : {2, 3, 10, 1000, 1'000'000})
    for (double loss : {0.0, 1e-300, 1e-9, 0.1, 1.0, 1.5, 1e9, 1e300}) {
      const Scale scale = scale_of(nodes, loss, false);
      SCOPED_TRACE(std::to_string(nodes) + " nodes, loss " + std::to_string(loss));
      expect_power_of_two(scale.unit);
      EXPECT_EQ(scale.unit * scale.per_unit, 1.0);
      EXPECT_FALSE(scale.leaves_out);
      if (scale.wide) {
        EXPECT_LT(loss, 1e-250);
        continue;
      }
      EXPECT_LE(4.0 * nodes * (loss * scale.per_unit), 0x1p53);
      if (loss > 1e-200) {
        EXPECT_GE(16.0 * nodes * (loss * scale.per_unit), 0x1p53);
      }
    }
}

TEST(Scale, IntegersKeepTheirUnit) {
  EXPECT_EQ(scale_of(10, 1e9, true).unit, 1.0);
  EXPECT_FALSE(scale_of(10, 1e9, true).wide);
  EXPECT_FALSE(scale_of(4, 0x1p46, true).wide);
  EXPECT_TRUE(scale_of(4, 0x1p50, true).wide);
  EXPECT_TRUE(scale_of(1 << 20, 0x1p32, true).wide);
}

TEST(Scale, GainsAreWholeAndNearest) {
  std::mt19937_64 random(1);
  const Scale scale = scale_of(20, 16.0, false);
  for (int i = 0; i < 1000; ++i) {
    const double best = std::uniform_real_distribution<>(-1.0, 1.0)(random);
    const double weight = best - std::uniform_real_distribution<>(0.0, 15.0)(random);
    const double gain = scale.gain(weight, best);
    EXPECT_EQ(gain, std::floor(gain));
    EXPECT_LE(gain, 0.0);
    EXPECT_LE(std::abs(gain * scale.unit - (weight - best)), scale.unit);
  }
  EXPECT_EQ(scale.gain(0.3, 0.3), 0.0);
  EXPECT_EQ(scale.gain(kNoWeight, 0.3), kNoWeight);
}

TEST(Scale, NothingIsLeftOutOfOrdinaryWeights) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Scale scale = scale_of_columns(ordinary(10, seed));
    EXPECT_FALSE(scale.leaves_out);
    EXPECT_FALSE(scale.wide);
  }
}

// Masks are left out, and every tree with one of them loses what `hopeless` says at least.
TEST(Scale, MasksAreLeftOut) {
  for (double mask : {-1e4, -1e9, -1e20, -1e100, -1e300})
    for (int masked : {1, 5, 20}) {
      SCOPED_TRACE("mask " + std::to_string(mask));
      std::mt19937_64 random(1);
      Columns columns = ordinary(10, 1);
      for (int i = 0; i < masked; ++i) columns[random() % 10][1 + random() % 10] = mask;
      const Scale scale = scale_of_columns(columns);
      EXPECT_FALSE(scale.wide);
      ASSERT_TRUE(scale.leaves_out);
      EXPECT_EQ(scale.unit, scale_of(11, 16.0, false).unit);
      for (const auto& column : columns)
        for (double weight : column) {
          const double gain = scale.gain(weight, column[0]);
          EXPECT_EQ(gain == kNoWeight, weight == mask);
          if (weight == mask) {
            EXPECT_GE((column[0] - weight) * scale.per_unit, scale.hopeless);
          }
        }
    }
}

// All other edges into its node are masks beside it.
TEST(Scale, AHugeWeightIsNoCauseForACoarseUnit) {
  for (double huge : {1e9, 1e20, 1e300}) {
    Columns columns = ordinary(20, 2);
    columns[3][0] = huge;
    const Scale scale = scale_of_columns(columns);
    EXPECT_TRUE(scale.leaves_out);
    EXPECT_LE(scale.unit, scale_of(21, 16.0, false).unit);
    EXPECT_EQ(scale.gain(huge, huge), 0.0);
  }
}

TEST(Scale, WeightsThatDoNotRoundNeedNoCap) {
  Columns columns = ordinary(6, 3);
  for (auto& column : columns)
    for (double& weight : column) weight = std::round(weight);
  columns[2][3] = -1e9;
  const Scale scale = scale_of_columns(columns);
  EXPECT_FALSE(scale.leaves_out);
  EXPECT_EQ(scale.gain(-1e9, columns[2][0]) * scale.unit, -1e9 - columns[2][0]);
}

TEST(Scale, LossesOfAllSizesHideDigits) {
  std::mt19937_64 random(4);
  Columns columns = ordinary(8, 4);
  for (auto& column : columns)
    for (std::size_t i = 1; i < column.size(); ++i)
      column[i] = column[0] - std::ldexp(std::uniform_real_distribution<>(0.5, 1.0)(random),
                                         static_cast<int>(random() % 100) - 50);
  const Scale scale = scale_of_columns(columns);
  bool hides = false;
  for (const auto& column : columns)
    for (double weight : column) hides = hides || hides_digits(scale, weight, column[0]);
  EXPECT_TRUE(hides || scale.leaves_out);
}

TEST(Scale, LargeIntegers) {
  const double large = 0x1p55;
  Columns columns = {{0.0, -1.0, -2.0, -large}, {0.0, -3.0, -1.0}, {0.0, -2.0, -5.0}};
  const Scale masked = scale_of_columns(columns, true);
  EXPECT_EQ(masked.unit, 1.0);
  EXPECT_TRUE(masked.wide || masked.leaves_out);
  columns[1] = {0.0, -large, -large - 1024.0};
  columns[2] = {0.0, -large / 2, -large / 3};
  EXPECT_TRUE(scale_of_columns(columns, true).wide || scale_of_columns(columns, true).leaves_out);
}

}  // namespace
}  // namespace coppice::engine
