// Positive numbers with the derivative of their logarithm: what second moments are made of.
//
// If the weight of every arc a is w(a) * exp(t * f(a)), the derivative at t = 0 of the logarithm of
// a sum over trees is the mean of f over them. For a product such slopes add up, and for a sum the
// slope is the mean of the slopes, in proportion to the terms: nothing cancels.
#pragma once

#include "distribution/elimination.hpp"

namespace coppice::distribution {

template <class T>
class Dual {
 public:
  Dual() = default;
  Dual(double value) : value_(value) {}  // NOLINT: as float64 would
  Dual(const T& value, double slope) : value_(value), slope_(slope) {}

  const T& value() const { return value_; }
  double slope() const { return slope_; }

  Dual& operator+=(const Dual& other) {
    if (other.value_ == T(0.0)) return *this;
    if (value_ == T(0.0)) return *this = other;
    value_ += other.value_;
    slope_ += (other.slope_ - slope_) * value_of(other.value_ / value_);
    return *this;
  }
  Dual& operator*=(const Dual& other) {
    value_ *= other.value_;
    slope_ += other.slope_;
    return *this;
  }
  Dual& operator/=(const Dual& other) {
    value_ /= other.value_;
    slope_ -= other.slope_;
    return *this;
  }
  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
  friend bool operator==(const Dual& a, const Dual& b) = default;

 private:
  T value_ = T(0.0);
  double slope_ = 0.0;
};

template <class T>
bool in_range(const Dual<T>& x) {
  return in_range(x.value());
}

}  // namespace coppice::distribution

template <class T>
struct Eigen::NumTraits<coppice::distribution::Dual<T>> : Eigen::NumTraits<double> {
  using Real = coppice::distribution::Dual<T>;
  using NonInteger = coppice::distribution::Dual<T>;
  using Nested = coppice::distribution::Dual<T>;
  using Literal = coppice::distribution::Dual<T>;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 0,
    RequireInitialization = 1,
    ReadCost = 4,
    AddCost = 20,
    MulCost = 8
  };
};
