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

  // Odd, below 2^63.
  explicit PrimeField(std::uint64_t prime) : prime_(prime) {
    std::uint64_t inverse = prime;  // right in its last 3 digits; each step doubles them
    for (int i = 0; i < 5; ++i) inverse *= 2 - prime * inverse;
    negative_inverse_ = 0 - inverse;
    one_ = static_cast<std::uint64_t>((static_cast<Uint128>(1) << 64) % prime);
    square_ = static_cast<std::uint64_t>(static_cast<Uint128>(one_) * one_ % prime);
  }

  static Number zero() { return 0; }
  Number one() const { return one_; }
  Number add(Number a, Number b) const {
    const Number sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  Number multiply(Number a, Number b) const { return reduce(static_cast<Uint128>(a) * b); }
  Number inverse(Number a) const { return power(a, prime_ - 2); }
  Number power(Number base, std::uint64_t exponent) const {
    Number result = one_;
    for (; exponent != 0; exponent /= 2) {
      if (exponent % 2 != 0) result = multiply(result, base);
      base = multiply(base, base);
    }
    return result;
  }

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

// Whether an odd number above 40 is prime; exact for 64 bits with these bases (Sinclair, 2011: all
// primes up to 37).
inline bool is_prime(std::uint64_t number) {
  for (std::uint64_t divisor : {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37})
    if (number % divisor == 0) return false;
  const PrimeField field(number);
  std::uint64_t odd = number - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  const PrimeField::Number minus_one = field.from(number - 1);
  for (std::uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    PrimeField::Number power = field.power(field.from(base), odd);
    bool passes = power == field.one() || power == minus_one;
    for (int i = 1; i < twos && !passes; ++i) {
      power = field.multiply(power, power);
      passes = power == minus_one;
    }
    if (!passes) return false;
  }
  return true;
}

// The largest prime below a number.
inline std::uint64_t prime_below(std::uint64_t number) {
  do number = (number - 2) | 1U;
  while (!is_prime(number));
  return number;
}

// A number that is known modulo more and more primes (Garner, IRE Trans. 1959).
class Remainders {
 public:
  // False: the number, as known so far, has this remainder already. Primes must differ.
  bool add(const PrimeField& field, std::uint64_t remainder) {
    PrimeField::Number known = PrimeField::zero(), product = field.one();
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      known = field.add(known, field.multiply(product, field.from(digits_[i])));
      product = field.multiply(product, field.from(primes_[i]));
    }
    const PrimeField::Number missing =
        field.add(field.from(remainder), field.from(field.prime() - field.value(known)));
    primes_.push_back(field.prime());
    digits_.push_back(field.value(field.multiply(missing, field.inverse(product))));
    return digits_.back() != 0;
  }
  // In words of 64 bits from the lowest, the highest not being 0.
  std::vector<std::uint64_t> words() const {
    std::vector<std::uint64_t> words;
    for (std::size_t i = digits_.size(); i-- > 0;) {  // words * prime + digit
      Uint128 carry = digits_[i];
      for (std::uint64_t& word : words) {
        carry += static_cast<Uint128>(word) * primes_[i];
        word = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
      if (carry != 0) words.push_back(static_cast<std::uint64_t>(carry));
    }
    return words;
  }

 private:
  std::vector<std::uint64_t> primes_, digits_;  // the sum of digit * product of earlier primes
};

}  // namespace coppice::engine
