// Sums and products that say so where they do not fit, on every compiler.
#pragma once

#include <cstdint>
#include <limits>

namespace coppice {

// False, and nothing is changed, where the sum is beyond int64.
inline bool add_if_it_fits(std::int64_t& sum, std::int64_t number) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (number > 0 ? sum > Limits::max() - number : sum < Limits::min() - number) return false;
  sum += number;
  return true;
}

// The same of a product of two numbers that are not negative.
inline bool multiply_if_it_fits(std::int64_t& product, std::int64_t factor) {
  if (factor != 0 && product > std::numeric_limits<std::int64_t>::max() / factor) return false;
  product *= factor;
  return true;
}

}  // namespace coppice
