// Arithmetic modulo a large prime, and whole numbers put together from their remainders.
#pragma once

#include <cstdint>
#include <vector>

#ifndef __SIZEOF_INT128__
#include <__msvc_int128.hpp>
#endif

namespace coppice::engine {

#ifdef __SIZEOF_INT128__
__extension__ using Uint128 = unsigned __int128;
#else
using Uint128 = std::_Unsigned128;  // that of MSVC's library
#endif

// Numbers are kept times 2^64 (Montgomery, Math. Comp. 1985), so that products need no division.
class PrimeField {
 public:
  using Number = std::uint64_t;

  explicit PrimeField(std::uint64_t prime);  // odd, below 2^63

  static Number zero() { return 0; }
  Number one() const { return one_; }
  Number add(Number a, Number b) const {
    const Number sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  Number multiply(Number a, Number b) const { return reduce(static_cast<Uint128>(a) * b); }
  Number inverse(Number a) const { return power(a, prime_ - 2); }
  Number power(Number base, std::uint64_t exponent) const;

  std::uint64_t prime() const { return prime_; }
  Number from(std::uint64_t value) const { return multiply(value % prime_, square_); }
  std::uint64_t value(Number number) const { return reduce(number); }

 private:
  Number reduce(Uint128 product) const {
    const auto low = static_cast<std::uint64_t>(product);
    const auto quotient = low * negative_inverse_;
    const auto sum = (product + static_cast<Uint128>(quotient) * prime_) >> 64;
    const auto reduced = static_cast<std::uint64_t>(sum);
    return reduced >= prime_ ? reduced - prime_ : reduced;
  }

  std::uint64_t prime_;
  std::uint64_t negative_inverse_;  // -1 / prime modulo 2^64
  Number one_, square_;             // 2^64 and 2^128, modulo the prime
};

// The largest prime below a number.
std::uint64_t prime_below(std::uint64_t number);

// A number that is known modulo more and more primes (Garner, IRE Trans. 1959).
class Remainders {
 public:
  // False: the number, as known so far, has this remainder already. Primes must differ.
  bool add(const PrimeField& field, std::uint64_t remainder);
  // In words of 64 bits from the lowest, the highest not being 0.
  std::vector<std::uint64_t> words() const;

 private:
  std::vector<std::uint64_t> primes_, digits_;  // the sum of digit * product of earlier primes
};

}  // namespace coppice::engine
