// Sums of float64 numbers without rounding, for what large numbers would cancel out of.
//
// The sum is kept as parts that do not overlap (Shewchuk, Discrete Comput. Geom. 1997): two or
// three of them, unless the terms are of many magnitudes.
#pragma once

#include <array>
#include <cstddef>

namespace coppice {

// high + low is the exact value, low being what high lacks by rounding.
struct Parts {
  double high = 0.0, low = 0.0;
};

inline Parts exact_sum(double a, double b) {
  double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
inline Parts exact_difference(double a, double b) { return exact_sum(a, -b); }
// As far as two numbers can hold it.
inline Parts exact_difference(Parts a, Parts b) {
  Parts high = exact_difference(a.high, b.high), low = exact_difference(a.low, b.low);
  Parts sum = exact_sum(high.high, low.high);
  return {sum.high, sum.low + (high.low + low.low)};
}

// Beside a mask, what tells two of them apart may be in the low parts alone.
inline bool is_less(Parts a, Parts b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

class ExactSum {
 public:
  void add(double term) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      Parts sum = exact_sum(term, parts_[i]);
      if (sum.low != 0.0) parts_[kept++] = sum.low;
      term = sum.high;
    }
    parts_[kept] = term;
    count_ = kept + 1;
  }
  void add(const ExactSum& other) {
    for (std::size_t i = 0; i < other.count_; ++i) add(other.parts_[i]);
  }
  void subtract(const ExactSum& other) {
    for (std::size_t i = 0; i < other.count_; ++i) add(-other.parts_[i]);
  }

  // The nearest float64.
  double value() const {
    if (count_ == 0) return 0.0;
    std::size_t i = count_ - 1;
    Parts sum{parts_[i], 0.0};
    while (i > 0 && sum.low == 0.0) sum = exact_sum(sum.high, parts_[--i]);
    // Just between two of them what is below decides.
    if (i > 0 && (sum.low < 0.0) == (parts_[i - 1] < 0.0)) {
      const double other = sum.high + 2.0 * sum.low;
      if (other - sum.high == 2.0 * sum.low) return other;
    }
    return sum.high;
  }

 private:
  // Each part begins where the digits of the one before end.
  static constexpr std::size_t kMost = 2098 / 53 + 2;
  std::array<double, kMost> parts_;
  std::size_t count_ = 0;
};

}  // namespace coppice
