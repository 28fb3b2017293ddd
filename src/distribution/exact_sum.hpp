// Sums of float64 numbers without rounding, for what large numbers would cancel out of.
//
// The sum is kept as parts that do not overlap (Shewchuk, Discrete Comput. Geom. 1997): two or
// three of them, unless the terms are of many magnitudes.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace coppice::distribution {

// high + low is the exact value, low being what high lacks by rounding.
struct Parts {
  double high = 0.0, low = 0.0;
};

inline Parts exact_sum(double a, double b) {
  double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
inline Parts exact_difference(double a, double b) { return exact_sum(a, -b); }

class ExactSum {
 public:
  void add(double term) {
    std::size_t kept = 0;
    for (double part : parts_) {
      Parts sum = exact_sum(term, part);
      if (sum.low != 0.0) parts_[kept++] = sum.low;
      term = sum.high;
    }
    parts_.resize(kept);
    parts_.push_back(term);
  }
  void add(const ExactSum& other) {
    for (double part : other.parts_) add(part);
  }
  void subtract(const ExactSum& other) {
    for (double part : other.parts_) add(-part);
  }

  double value() const {
    double sum = 0.0;
    for (double part : parts_) sum += part;  // from the smallest
    return sum;
  }

 private:
  std::vector<double> parts_;
};

}  // namespace coppice::distribution
