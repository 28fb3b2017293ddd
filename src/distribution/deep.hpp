// Positive numbers with the digits of float64 whose logarithm may be of any size and is still
// exact: for graphs that have no tree without an edge of weight -1e30.
//
// A Deep is mantissa * exp(exponent), the exponent being a fixed-point number with room for all of
// float64's range: products add exponents without rounding, so that what the weights of two trees
// have in common cancels however large it is. Tens of times slower than Wide.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>

#include "graph/exact_sum.hpp"

namespace coppice::distribution {

// A multiple of 2^-64 of magnitude below 2^1087, in two's complement.
class FixedPoint {
 public:
  FixedPoint() = default;
  explicit FixedPoint(double value) {
    int exponent = 0;
    double fraction = std::frexp(std::abs(value), &exponent);
    auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    int shift = exponent - 53 + 64;
    if (shift < 0) {
      digits = shift > -64 ? digits >> -shift : 0;
      shift = 0;
    }
    auto limb = static_cast<std::size_t>(shift / 64);
    limbs_[limb] = digits << (shift % 64);
    if (shift % 64 > 0) limbs_[limb + 1] = digits >> (64 - shift % 64);
    if (value < 0.0) negate();
  }

  FixedPoint& operator+=(const FixedPoint& other) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      std::uint64_t sum = limbs_[i] + carry;
      carry = sum < carry ? 1 : 0;
      limbs_[i] = sum + other.limbs_[i];
      carry += limbs_[i] < sum ? 1 : 0;
    }
    return *this;
  }
  FixedPoint& operator-=(const FixedPoint& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      std::uint64_t difference = limbs_[i] - borrow;
      borrow = limbs_[i] < borrow ? 1 : 0;
      borrow += difference < other.limbs_[i] ? 1 : 0;
      limbs_[i] = difference - other.limbs_[i];
    }
    return *this;
  }
  friend FixedPoint operator-(FixedPoint a, const FixedPoint& b) { return a -= b; }
  friend bool operator==(const FixedPoint& a, const FixedPoint& b) = default;

  // Cut off after the leading digits.
  double value() const {
    if ((limbs_.back() >> 63) != 0) {
      FixedPoint positive = *this;
      positive.negate();
      return -positive.value();
    }
    std::size_t top = kLimbs - 1;
    while (top > 0 && limbs_[top] == 0) --top;
    double value = std::ldexp(static_cast<double>(limbs_[top]), place(top));
    // Of the limb below, what a float64 can still hold; the first one has at least one digit.
    if (top > 0) value += std::ldexp(static_cast<double>(limbs_[top - 1]), place(top - 1));
    return value;
  }

 private:
  static constexpr std::size_t kLimbs = 18;
  static int place(std::size_t limb) { return 64 * static_cast<int>(limb) - 64; }

  void negate() {
    for (std::uint64_t& limb : limbs_) limb = ~limb;
    for (std::uint64_t& limb : limbs_)
      if (++limb != 0) break;
  }

  std::array<std::uint64_t, kLimbs> limbs_{};  // the lowest first
};

class Deep {
 public:
  Deep() = default;
  Deep(double value) : mantissa_(value) { normalise(); }  // NOLINT: as float64 would

  static Deep exp(Parts x) {
    Deep result;
    if (x.high == -std::numeric_limits<double>::infinity()) return result;
    result.mantissa_ = 1.0;
    result.exponent_ = FixedPoint(x.high);
    result.exponent_ += FixedPoint(x.low);
    return result;
  }

  double log() const { return exponent_.value() + std::log(mantissa_); }
  void add_log_to(ExactSum& sum) const {
    sum.add(std::log(mantissa_));
    FixedPoint rest = exponent_;
    while (rest != FixedPoint()) {
      double part = rest.value();
      sum.add(part);
      rest -= FixedPoint(part);
    }
  }
  double value() const { return mantissa_ == 0.0 ? 0.0 : mantissa_ * std::exp(exponent_.value()); }

  Deep& operator+=(const Deep& other) {
    if (other.mantissa_ == 0.0) return *this;
    if (mantissa_ == 0.0) return *this = other;
    double above = (exponent_ - other.exponent_).value();
    if (above >= 0.0) {
      mantissa_ += other.mantissa_ * std::exp(-above);
    } else {
      mantissa_ = other.mantissa_ + mantissa_ * std::exp(above);
      exponent_ = other.exponent_;
    }
    return normalise();
  }
  Deep& operator*=(const Deep& other) {
    mantissa_ *= other.mantissa_;
    exponent_ += other.exponent_;
    return normalise();
  }
  Deep& operator/=(const Deep& other) {
    mantissa_ /= other.mantissa_;
    exponent_ -= other.exponent_;
    return normalise();
  }

  friend Deep operator+(Deep a, const Deep& b) { return a += b; }
  friend Deep operator*(Deep a, const Deep& b) { return a *= b; }
  friend Deep operator/(Deep a, const Deep& b) { return a /= b; }
  friend bool operator==(const Deep& a, const Deep& b) = default;
  friend bool operator<(const Deep& a, const Deep& b) {
    if (a.mantissa_ == 0.0 || b.mantissa_ == 0.0) return a.mantissa_ < b.mantissa_;
    return std::log(a.mantissa_) - std::log(b.mantissa_) < (b.exponent_ - a.exponent_).value();
  }

 private:
  // Mantissas stay within exp(-64) and exp(64), so that products and sums of them are in range.
  Deep& normalise() {
    constexpr double kStep = 64.0;
    static const double up = std::exp(kStep), down = std::exp(-kStep);
    if (mantissa_ == 0.0) return *this = Deep();
    while (mantissa_ > up) {
      mantissa_ *= down;
      exponent_ += FixedPoint(kStep);
    }
    while (mantissa_ < down) {
      mantissa_ *= up;
      exponent_ -= FixedPoint(kStep);
    }
    return *this;
  }

  double mantissa_ = 0.0;
  FixedPoint exponent_;
};

}  // namespace coppice::distribution

template <>
struct Eigen::NumTraits<coppice::distribution::Deep> : Eigen::NumTraits<double> {
  using Real = coppice::distribution::Deep;
  using NonInteger = coppice::distribution::Deep;
  using Nested = coppice::distribution::Deep;
  using Literal = coppice::distribution::Deep;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 0,
    RequireInitialization = 1,
    ReadCost = 20,
    AddCost = 80,
    MulCost = 40
  };
};
