// Every inner loop, for every instruction set that the machine has, against plain loops.
#include "engine/simd/simd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
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

// A matrix in rows, some of it missing; its last row first in memory if it is turned over.
template <class T>
class Table {
 public:
  Table(std::size_t n, std::uint64_t values, bool negate, bool turned)
      : rows_(n * n, -std::numeric_limits<T>::infinity()) {
    std::mt19937_64 random(n + values);
    const auto width = static_cast<std::ptrdiff_t>(n);
    first = turned ? rows_.data() + (n - 1) * n : rows_.data();
    shape = {first, sizeof(T) == sizeof(float), n, turned ? -width : width, negate, 100.0};
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t t = 0; t < n; ++t)
        if (random() % 5 != 0)
          at(s, t) = static_cast<T>(0.125) * static_cast<T>(random() % values) - 3;
  }
  T& at(std::size_t s, std::size_t t) {
    return first[static_cast<std::ptrdiff_t>(s) * shape.stride + static_cast<std::ptrdiff_t>(t)];
  }
  // As it is meant, without the diagonal.
  double meant(std::size_t s, std::size_t t) {
    const double x = at(s, t);
    return s == t || x == -kInfinity ? -kInfinity : shape.negate ? -x : x;
  }

  Rows shape;
  T* first;

 private:
  std::vector<T> rows_;
};

template <class Check>
void for_each_table(Check check) {
  for (std::size_t n : {2, 3, 8, 9, 10, 15, 16, 17, 33, 50})
    for (std::uint64_t values : {1, 3, 100})
      for (bool negate : {false, true})
        for (bool turned : {false, true}) {
          SCOPED_TRACE(std::to_string(n) + " nodes" + (negate ? ", negated" : "") +
                       (turned ? ", turned" : ""));
          Table<float> floats(n, values, negate, turned);
          check(floats, n);
          Table<double> doubles(n, values, negate, turned);
          check(doubles, n);
        }
}

TEST_P(Simd, Tops) {
  for_each_table([](auto& table, std::size_t n) {
    using T = std::remove_reference_t<decltype(table.at(0, 0))>;
    std::vector<double> best(n + kLanes), second(n + kLanes), root(n + kLanes);
    std::vector<std::int32_t> index(n + kLanes);
    for (bool without_root : {false, true}) {
      Tops tops{without_root, best.data(), index.data(), second.data(), root.data()};
      ASSERT_TRUE(kernels().tops(table.shape, tops));
      double largest_loss = 0.0, nearest = kInfinity;
      std::vector<double> gains;
      for (std::size_t t = 1; t < n; ++t) {
        double first = -kInfinity, next = -kInfinity;
        std::int32_t owner = -1;
        for (std::size_t s = without_root ? 1 : 0; s < n; ++s) {
          const double x = table.meant(s, t);
          next = std::max(next, std::min(x, first));
          if (x > first) first = x, owner = static_cast<std::int32_t>(s);
        }
        EXPECT_EQ(best[t], first);
        EXPECT_EQ(index[t], owner);
        EXPECT_EQ(second[t], next);
        if (without_root) {
          EXPECT_EQ(root[t], table.meant(0, t));
        }
        const double top = std::max(first, table.meant(0, t));
        for (std::size_t s = 0; s < n; ++s)
          if (const double x = table.meant(s, t); x != -kInfinity)
            largest_loss = std::max(largest_loss, top - x);
        if (first != -kInfinity) nearest = std::min(nearest, first - next);
        if (table.meant(0, t) != -kInfinity) gains.push_back(table.meant(0, t) - first);
      }
      EXPECT_EQ(tops.nearest, nearest);
      EXPECT_EQ(tops.largest_loss, largest_loss);
      std::ranges::sort(gains, std::greater());
      gains.resize(2, -kInfinity);
      if (without_root) {
        EXPECT_EQ(tops.root_gain, gains[0]);
        EXPECT_EQ(tops.next_root_gain, gains[1]);
      }
      // A bad weight at every place of a column in turn.
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t t = 1 + i % (n - 1);
        for (const T bad : {std::numeric_limits<T>::quiet_NaN(), static_cast<T>(101)}) {
          const T good = std::exchange(table.at(i, t), bad);
          EXPECT_EQ(kernels().tops(table.shape, tops), i == t);
          table.at(i, t) = good;
        }
      }
    }
  });
}

TEST_P(Simd, Columns) {
  for_each_table([](auto& table, std::size_t n) {
    for (bool leaves_out : {false, true}) {
      Scale scale;
      scale.unit = 0x1p-2;
      scale.per_unit = 0x1p2;
      scale.leaves_out = leaves_out;
      if (leaves_out) scale.most = 40.0;
      const std::size_t stride = padded(n);
      std::vector<double> best(n + kLanes, 0.0), columns(stride * n, 7.0);
      for (std::size_t t = 1; t < n; ++t) best[t] = 3.0 + 0.125 * static_cast<double>(t % 3);
      kernels().columns(table.shape, scale, best.data(), columns.data(), stride);
      for (std::size_t t = 1; t < n; ++t)
        for (std::size_t s = 0; s < stride; ++s) {
          const double x = s < n ? table.meant(s, t) : -kInfinity;
          EXPECT_EQ(columns[t * stride + s], scale.gain(x, best[t])) << s << " -> " << t;
        }
    }
  });
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
