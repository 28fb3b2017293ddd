// Do sums of these weights round? Where they do not, trees that tie are equal, no slack is needed,
// and what the engine computes is what it reports.
//
// Integers, zeros and most scores in float32 add up without rounding. The test looks at every
// weight that matters, so ask it when ties have been met, not before.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/simd.hpp"

namespace coppice::engine {

// Theorem. Let all weights be whole multiples of a power of two, the unit. A sum or difference of
// weights, of any number of terms in any order, is computed without rounding if it and all its
// partial results are at most 2^53 units in magnitude.
// Proof. By induction over the terms. The exact partial result is a whole multiple of the unit, of
// at most 2^53 units: at most 53 binary digits times a power of two that is itself the digit of a
// float64 (2^53 units are one digit). Input whose sums could overflow is refused beforehand. So the
// exact result is a float64, and rounding leaves a float64 as it is. ∎
class Exactness {
 public:
  // int64 weights were rounded on their way to float64 if they are above 2^53. Their unit is 1
  // whatever is left of them, so that such a weight fails the test.
  explicit Exactness(bool integral) : unit_(integral ? 1.0 : kInfinity) {}

  // Weights that trees may use. Those below `least` do not matter, nor do missing edges.
  void see(const double* weights, std::size_t count, double least = -kInfinity) {
    const std::size_t whole = count / simd::kLanes * simd::kLanes;
    const simd::Digits digits = simd::kernels().digits(weights, least, whole);
    largest_ = std::max(largest_, digits.largest);
    unit_ = std::min(unit_, digits.last);
    for (std::size_t i = whole; i < count; ++i)
      if (weights[i] >= least && weights[i] != -kInfinity) see(weights[i]);
  }
  void see(double weight) {
    largest_ = std::max(largest_, std::abs(weight));
    unit_ = std::min(unit_, last_digit(weight));
  }

  // The largest magnitude seen.
  double largest() const { return largest_; }
  // All weights seen are whole multiples of this; infinity if all are 0.
  double unit() const { return unit_; }

  // Is every sum or difference of weights exact whose partial results are no larger than this?
  bool up_to(double magnitude) const { return magnitude <= 0x1p53 * unit_; }
  // Is every sum or difference of at most so many weights?
  bool of_terms(double count) const { return up_to(count * largest_); }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // The value of the last binary digit of a number that is not 0; of 0, a multiple of everything,
  // infinity.
  static double last_digit(double weight) {
    constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
    const auto bits = std::bit_cast<std::uint64_t>(std::abs(weight));
    if (bits == 0) return kInfinity;
    if ((bits & kFraction) == 0) return std::abs(weight);  // a power of two
    return std::abs(weight) - std::bit_cast<double>(bits & (bits - 1));
  }

  double unit_;
  double largest_ = 0.0;
};

}  // namespace coppice::engine
