// Whole numbers of a fixed, large number of bits: for weights that float64 cannot hold as whole
// multiples of one unit (docs/internals/numbers.md).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace coppice::engine {

// Two's complement, the lowest limb first. Sums must fit: whoever reads weights sees to that.
template <std::size_t kLimbs>
class Wide {
 public:
  static constexpr int kBits = static_cast<int>(64 * kLimbs);

  constexpr Wide() = default;
  explicit Wide(std::int64_t value) {
    limbs_.fill(value < 0 ? ~std::uint64_t{0} : 0);
    limbs_[0] = static_cast<std::uint64_t>(value);
  }
  // value times two to the power of `shift`; what is not whole is cut off.
  Wide(double value, int shift) {
    int exponent = 0;
    const double fraction = std::frexp(std::abs(value), &exponent);
    auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    int place = exponent - 53 + shift;
    if (place < 0) {
      digits = place <= -64 ? 0 : digits >> -place;
      place = 0;
    }
    if (digits == 0) return;
    const auto limb = static_cast<std::size_t>(place / 64);
    const int bit = place % 64;
    limbs_[limb] = digits << bit;
    if (bit > 11 && limb + 1 < kLimbs) limbs_[limb + 1] = digits >> (64 - bit);
    if (value < 0) *this = -*this;
  }

  static Wide lowest() {
    Wide least;
    least.limbs_[kLimbs - 1] = std::uint64_t{1} << 63;
    return least;
  }
  static Wide highest() {
    Wide most;
    most.limbs_.fill(~std::uint64_t{0});
    most.limbs_[kLimbs - 1] >>= 1;
    return most;
  }

  // Half, or a quarter, or ... of what these bits can hold.
  static Wide highest_part(int halvings = 0) {
    Wide part;
    part.limbs_[kLimbs - 1] = std::uint64_t{1} << (61 - halvings);
    return part;
  }

  bool negative() const { return limbs_[kLimbs - 1] >> 63 != 0; }
  // The nearest float64 or one beside it, times two to the power of -shift.
  double value(int shift = 0) const {
    const Wide size = negative() ? -*this : *this;
    double sum = 0.0;
    for (std::size_t i = kLimbs; i-- > 0;)
      if (size.limbs_[i] != 0)
        sum += std::ldexp(static_cast<double>(size.limbs_[i]), static_cast<int>(64 * i) - shift);
    return negative() ? -sum : sum;
  }

  Wide& operator+=(const Wide& other) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      const std::uint64_t with_carry = other.limbs_[i] + carry;
      carry = with_carry < carry ? 1 : 0;
      limbs_[i] += with_carry;
      carry += limbs_[i] < with_carry ? 1 : 0;
    }
    return *this;
  }
  Wide& operator-=(const Wide& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      const std::uint64_t before = limbs_[i], less = other.limbs_[i];
      limbs_[i] = before - less - borrow;
      borrow = before < less || (before == less && borrow != 0) ? 1 : 0;
    }
    return *this;
  }
  friend Wide operator+(Wide a, const Wide& b) { return a += b; }
  friend Wide operator-(Wide a, const Wide& b) { return a -= b; }
  friend Wide operator-(const Wide& a) { return Wide() - a; }
  friend bool operator==(const Wide&, const Wide&) = default;
  friend bool operator<(const Wide& a, const Wide& b) {
    if (a.negative() != b.negative()) return a.negative();
    for (std::size_t i = kLimbs; i-- > 0;)
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i];
    return false;
  }
  friend bool operator>(const Wide& a, const Wide& b) { return b < a; }
  friend bool operator<=(const Wide& a, const Wide& b) { return !(b < a); }
  friend bool operator>=(const Wide& a, const Wide& b) { return !(a < b); }

 private:
  std::array<std::uint64_t, kLimbs> limbs_{};
};

// All integers, and weights of up to some twenty digits; all of float64.
using Wide128 = Wide<2>;
using WideAny = Wide<36>;

// Below and above every number that is met.
template <class W>
W lowest() {
  if constexpr (std::numeric_limits<W>::has_infinity)
    return -std::numeric_limits<W>::infinity();
  else
    return W::lowest();
}
template <class W>
W highest() {
  if constexpr (std::numeric_limits<W>::has_infinity)
    return std::numeric_limits<W>::infinity();
  else
    return W::highest();
}

}  // namespace coppice::engine
