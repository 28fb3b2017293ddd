// Every inner loop, for every instruction set that the machine has, against plain loops.
#include "engine/simd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace coppice::engine::simd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Runs the test once per instruction set, and leaves the best one in use.
class Simd : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(use(GetParam())); }
  void TearDown() override { use(targets().front()); }
};

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(EveryTarget, Simd, ::testing::ValuesIn(targets()), name_of);

// Arrays of every padded length, with few values (many ties), many values, and missing ones, of
// which the padding is made.
std::vector<std::vector<double>> arrays() {
  std::vector<std::vector<double>> all;
  std::mt19937_64 random(1);
  for (std::size_t n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100}) {
    for (std::uint64_t values : {1, 2, 5, 1000}) {
      for (int missing : {0, 2, 10}) {
        std::vector<double> array(padded(n), -kInfinity);
        for (std::size_t i = 0; i < n; ++i)
          if (static_cast<int>(random() % 10) >= missing)
            array[i] = 0.1 * static_cast<double>(random() % values) - 3.0;
        all.push_back(std::move(array));
      }
    }
  }
  // The largest element at every place in turn: every lane holds it once.
  for (std::size_t i = 0; i < 24; ++i) {
    std::vector<double> array(24, 1.0);
    array[i] = 2.0;
    all.push_back(std::move(array));
  }
  return all;
}

// The value of the last binary digit.
double last_digit(double x) {
  int exponent = 0;
  const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  return std::ldexp(static_cast<double>(digits & -digits), exponent - 53);
}

// Of a matrix in rows, block by block, as the dense solver asks for them; its last row first in
// memory if it is turned over.
template <class T, class Top2>
void expect_tops(Top2 top_of_columns, std::size_t n, std::uint64_t values, bool negate,
                 bool turned) {
  std::mt19937_64 random(n + values);
  std::vector<T> rows(n * n);
  for (T& x : rows) {
    x = static_cast<T>(0.125) * static_cast<T>(random() % values) - 3;
    if (random() % 5 == 0) x = -std::numeric_limits<T>::infinity();
  }
  std::vector<double> best(n), second(n);
  std::vector<std::int32_t> index(n);
  const auto width = static_cast<std::ptrdiff_t>(n);
  Rows shape{n, turned ? -width : width, 1, negate, 100.0};
  T* const first_row = turned ? rows.data() + (n - 1) * n : rows.data();
  auto at = [&](std::size_t s, std::size_t t) -> T& {
    return first_row[static_cast<std::ptrdiff_t>(s) * shape.stride +
                     static_cast<std::ptrdiff_t>(t)];
  };
  while (true) {
    EXPECT_TRUE(top_of_columns(first_row, shape, {best.data(), index.data(), second.data()}));
    if (shape.begin == n - kBlock) break;
    shape.begin = std::min(shape.begin + kBlock, n - kBlock);
  }
  for (std::size_t t = 1; t < n; ++t) {
    Top top{-kInfinity, -1, -kInfinity};
    for (std::size_t s = 0; s < n; ++s) {
      double x = at(s, t);
      if (negate && x != -kInfinity) x = -x;
      if (s == t || x == -kInfinity) continue;
      top.second = std::max(top.second, std::min(x, top.best));
      if (x > top.best) top.best = x, top.index = static_cast<std::int32_t>(s);
    }
    EXPECT_EQ(best[t], top.best);
    EXPECT_EQ(index[t], top.index);
    EXPECT_EQ(second[t], top.second);
  }
  // A bad weight at every place in turn.
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t t = 1 + i % kBlock;
    if (i == t) continue;
    shape.begin = 1;
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), static_cast<T>(101)}) {
      const T good = std::exchange(at(i, t), bad);
      EXPECT_FALSE(top_of_columns(first_row, shape, {best.data(), index.data(), second.data()}));
      at(i, t) = good;
    }
  }
}

TEST_P(Simd, TopOfColumns) {
  for (std::size_t n : {9, 10, 15, 16, 17, 33, 50})
    for (std::uint64_t values : {1, 3, 100})
      for (bool negate : {false, true})
        for (bool turned : {false, true}) {
          expect_tops<float>(kernels().top_of_columns_f32, n, values, negate, turned);
          expect_tops<double>(kernels().top_of_columns_f64, n, values, negate, turned);
        }
}

TEST_P(Simd, Digits) {
  std::vector<std::vector<double>> all = arrays();
  for (double x : {0.0, -0.0, 0.375, -6.0, 0x1p-1074, 3 * 0x1p-1074, 0x1p1000, -0x1.8p-1022})
    for (std::size_t i = 0; i < 8; ++i) {
      std::vector<double> array(8, -kInfinity);
      array[i] = x;
      all.push_back(std::move(array));
    }
  for (const auto& x : all)
    for (double least : {-kInfinity, -2.9, 5.0}) {
      double largest = 0.0, last = kInfinity;
      for (const double value : x) {
        if (value < least || value == -kInfinity) continue;
        largest = std::max(largest, std::abs(value));
        if (value != 0.0) last = std::min(last, last_digit(value));
      }
      const Digits digits = kernels().digits(x.data(), least, x.size());
      EXPECT_EQ(digits.largest, largest);
      EXPECT_EQ(digits.last, last);
    }
}

TEST_P(Simd, Top) {
  for (const auto& x : arrays()) {
    const auto best = std::max_element(x.begin(), x.end());  // the first of them
    const auto index = static_cast<std::int32_t>(best - x.begin());
    double second = -kInfinity;
    for (auto i = x.begin(); i != x.end(); ++i)
      if (i != best) second = std::max(second, *i);
    const Top top = kernels().top(x.data(), x.size());
    EXPECT_EQ(top.best, *best);
    EXPECT_EQ(top.index, *best == -kInfinity ? -1 : index);
    EXPECT_EQ(top.second, second);
  }
}

TEST_P(Simd, Next) {
  for (const auto& x : arrays()) {
    std::vector<std::int32_t> order;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(x.size()); ++i)
      if (x[static_cast<std::size_t>(i)] != -kInfinity) order.push_back(i);
    auto value = [&](std::int32_t i) { return x[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return value(a) > value(b); });
    Ranked here{kInfinity, 0};
    for (const std::int32_t i : order) {
      here = kernels().next(x.data(), x.size(), here.value, here.index);
      ASSERT_EQ(here.index, i);
      ASSERT_EQ(here.value, value(i));
    }
    EXPECT_EQ(kernels().next(x.data(), x.size(), here.value, here.index).index, -1);
  }
}

TEST_P(Simd, Least) {
  for (auto x : arrays()) {
    for (double& element : x) element = -element;
    const auto least = std::min_element(x.begin(), x.end());  // the first of them
    EXPECT_EQ(kernels().least(x.data(), x.size()), static_cast<std::size_t>(least - x.begin()));
  }
}

TEST_P(Simd, CountSums) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint8_t> steps;
    std::vector<std::uint32_t> ends;
    std::vector<double> truth(kSteps, 0.0);
    truth[0] = 1.0;
    const auto groups = static_cast<std::size_t>(random() % 20);
    for (std::size_t group = 0; group < groups; ++group) {
      auto more = truth;
      for (auto i = random() % 4; i > 0; --i) {
        steps.push_back(static_cast<std::uint8_t>(random() % (round < 5 ? 2 : kSteps)));
        for (std::size_t s = steps.back(); s < kSteps; ++s) more[s] += truth[s - steps.back()];
      }
      ends.push_back(static_cast<std::uint32_t>(steps.size()));
      truth = more;
    }
    std::vector<std::uint16_t> counts(2 * kSteps, 0);
    counts[kSteps] = 1;
    kernels().count_sums(steps.data(), ends.data(), ends.size(), counts.data() + kSteps);
    for (std::size_t s = 0; s < kSteps; ++s)
      EXPECT_EQ(counts[kSteps + s], std::min(truth[s], 65535.0));
  }
}

TEST_P(Simd, SumRows) {
  std::mt19937_64 random(4);
  for (std::size_t rows : {0, 1, 2, 9}) {
    std::vector<double> table(rows * kColumns), sums(kColumns, 1.0);
    for (double& element : table) element = 0.1 * static_cast<double>(random() % 100);
    kernels().sum_rows(table.data(), rows, sums.data());
    for (std::size_t j = 0; j < kColumns; ++j) {
      double sum = 0.0;
      for (std::size_t row = 0; row < rows; ++row) sum += table[row * kColumns + j];
      EXPECT_EQ(sums[j], sum);
    }
  }
}

TEST_P(Simd, Subtract) {
  for (const auto& x : arrays()) {
    std::vector<double> out(x.size()), expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = x[i] - 0.7;
    kernels().subtract(out.data(), x.data(), 0.7, x.size());
    EXPECT_EQ(out, expected);
  }
}

TEST_P(Simd, SubtractMax) {
  std::mt19937_64 random(2);
  for (const auto& x : arrays()) {
    std::vector<double> out(x.size());
    for (double& value : out)
      value = random() % 4 == 0 ? -kInfinity : 0.1 * static_cast<double>(random() % 30) - 3.0;
    auto expected = out;
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = std::max(expected[i], x[i] - 0.7);
    kernels().subtract_max(out.data(), x.data(), 0.7, x.size());
    EXPECT_EQ(out, expected);
  }
}

TEST_P(Simd, AtLeast) {
  for (const auto& x : arrays()) {
    for (double threshold : {-kInfinity, -3.0, -2.9, -2.6, 0.0, 1e9}) {
      std::vector<std::int32_t> expected, out(x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] >= threshold) expected.push_back(static_cast<std::int32_t>(i));
      out.resize(kernels().at_least(x.data(), threshold, x.size(), out.data()));
      EXPECT_EQ(out, expected);
    }
  }
}

TEST_P(Simd, CountGreater) {
  for (const auto& x : arrays()) {
    std::vector<std::int64_t> out(x.size()), expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      expected[i] = std::count_if(x.begin(), x.end(), [&](double other) { return other > x[i]; });
    kernels().count_greater(x.data(), x.size(), out.data());
    EXPECT_EQ(out, expected);
  }
}

TEST_P(Simd, LargestOutside) {
  std::mt19937_64 random(2);
  for (const auto& x : arrays()) {
    std::vector<double> place(x.size());
    for (double& p : place) p = static_cast<double>(random() % 9) - 1.0;
    for (double begin : {0.0, 2.0, 8.0})
      for (double end : {2.0, 5.0, 8.0}) {
        const std::size_t a = random() % x.size(), b = random() % x.size();
        double expected = -kInfinity;
        for (std::size_t i = 0; i < x.size(); ++i)
          if ((place[i] < begin || place[i] >= end) && i != a && i != b)
            expected = std::max(expected, x[i]);
        EXPECT_EQ(kernels().largest_outside(x.data(), place.data(), begin, end, a, b, x.size()),
                  expected);
      }
  }
}

TEST_P(Simd, Valid) {
  const double limit = 100.0;
  auto valid = [&](const std::vector<double>& x) {
    return kernels().valid(x.data(), limit, x.size());
  };
  for (std::vector<double> x : arrays()) {
    EXPECT_TRUE(valid(x));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double was = x[i];
      for (double bad : {std::nan(""), kInfinity, 100.5, -100.5}) {
        x[i] = bad;
        EXPECT_FALSE(valid(x)) << bad << " at " << i;
      }
      for (double good : {100.0, -100.0, -kInfinity}) {
        x[i] = good;
        EXPECT_TRUE(valid(x)) << good << " at " << i;
      }
      x[i] = was;
    }
  }
}

TEST(SimdTargets, AreThoseOfThisMachine) {
  EXPECT_FALSE(targets().empty());
  EXPECT_FALSE(use("no such instructions"));
  // Every target has its own code: another table is in use.
  std::vector<const Kernels*> tables;
  for (const std::string& target : targets()) {
    ASSERT_TRUE(use(target));
    EXPECT_EQ(std::count(tables.begin(), tables.end(), &kernels()), 0) << target;
    tables.push_back(&kernels());
  }
  use(targets().front());
  EXPECT_EQ(&kernels(), tables.front());
}

}  // namespace
}  // namespace coppice::engine::simd
