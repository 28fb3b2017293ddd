// Positive numbers with the digits of float64 and an exponent without practical limit.
//
// A Wide is mantissa * 2^(512 * scale) with the mantissa in [2^-256, 2^256), or zero. Most numbers
// of one computation share a scale, so that sums and products cost little more than those of
// float64. The scale is itself a float64.
#pragma once

#include <cmath>
#include <limits>

#include "graph/exact_sum.hpp"

namespace coppice {

class Wide {
 public:
  Wide() = default;
  Wide(double value) : mantissa_(value), scale_(value == 0.0 ? kZeroScale : 0.0) {  // NOLINT
    while (mantissa_ != 0.0 && mantissa_ < kLow) shift(kHuge, -1.0);
    while (mantissa_ >= kHigh) shift(kTiny, 1.0);
  }

  // The smallest logarithm that is taken for what it is: see exp().
  static constexpr double kLowest = -0x1p28;

  // exp(x), and 0 for x < kLowest.
  static Wide exp(Parts x) {
    if (x.high < kLowest) return {};
    double scale = std::nearbyint(x.high / kLogRadix);
    // In two parts, the first exact for scales below 2^20, so that no digits of x are lost.
    double rest = ((x.high - scale * kLogRadixHigh) - scale * kLogRadixLow) + x.low;
    return Wide(std::exp(rest), scale);
  }

  double log() const {
    if (mantissa_ == 0.0) return kZeroScale;
    return (std::log(mantissa_) + scale_ * kLogRadixLow) + scale_ * kLogRadixHigh;
  }
  void add_log_to(ExactSum& sum) const {
    sum.add(std::log(mantissa_) + scale_ * kLogRadixLow);
    sum.add(scale_ * kLogRadixHigh);
  }
  // 0 or infinity where the number is out of range.
  double value() const {
    if (mantissa_ == 0.0 || scale_ < -3.0) return 0.0;
    if (scale_ > 3.0) return std::numeric_limits<double>::infinity();
    return std::ldexp(mantissa_, 512 * static_cast<int>(scale_));
  }

  Wide& operator+=(const Wide& other) {
    if (scale_ == other.scale_) {
      mantissa_ += other.mantissa_;
    } else if (scale_ > other.scale_) {
      if (scale_ - other.scale_ == 1.0) mantissa_ += other.mantissa_ * kTiny;
    } else {
      mantissa_ = other.mantissa_ + (other.scale_ - scale_ == 1.0 ? mantissa_ * kTiny : 0.0);
      scale_ = other.scale_;
    }
    if (mantissa_ >= kHigh) shift(kTiny, 1.0);
    return *this;
  }
  Wide& operator*=(const Wide& other) { return scaled(other.mantissa_, other.scale_); }
  Wide& operator/=(const Wide& other) { return scaled(1.0 / other.mantissa_, -other.scale_); }

  friend Wide operator+(Wide a, const Wide& b) { return a += b; }
  friend Wide operator*(Wide a, const Wide& b) { return a *= b; }
  friend Wide operator/(Wide a, const Wide& b) { return a /= b; }
  friend bool operator==(const Wide& a, const Wide& b) = default;
  friend bool operator<(const Wide& a, const Wide& b) {
    return a.scale_ != b.scale_ ? a.scale_ < b.scale_ : a.mantissa_ < b.mantissa_;
  }

 private:
  static constexpr double kHuge = 0x1p512, kTiny = 0x1p-512;
  static constexpr double kLow = 0x1p-256, kHigh = 0x1p256;
  static constexpr double kZeroScale = -std::numeric_limits<double>::infinity();
  // 512 ln 2 as a sum whose first part has 32 bits, and rounded.
  static constexpr double kLogRadixHigh = 0x1.62e42feep+8;
  static constexpr double kLogRadixLow = 0x1.a39ef35793c76p-24;
  static constexpr double kLogRadix = kLogRadixHigh + kLogRadixLow;

  Wide(double mantissa, double scale) : mantissa_(mantissa), scale_(scale) { normalise(); }

  Wide& scaled(double mantissa, double scale) {
    mantissa_ *= mantissa;
    scale_ += scale;
    normalise();
    return *this;
  }
  // Zero keeps the scale minus infinity through all of this.
  void normalise() {
    if (mantissa_ < kLow) shift(kHuge, -1.0);
    if (mantissa_ >= kHigh) shift(kTiny, 1.0);
  }
  void shift(double factor, double scale) {
    mantissa_ *= factor;
    scale_ += scale;
  }

  double mantissa_ = 0.0;
  double scale_ = kZeroScale;
};

}  // namespace coppice
