#include "engine/numbers/scale.hpp"

#include <algorithm>
#include <cmath>

namespace coppice::engine {

std::size_t Histogram::end(std::size_t enough) const {
  std::size_t end = kAll, below = all_;
  int empty = 0;
  bool some_above = false;
  for (std::size_t i = kAll; --i > 0 && below >= enough;) {
    if (counts_[i] == 0) {
      ++empty;
      continue;
    }
    if (some_above && empty >= kEmptyExponents) end = i + 1;
    some_above = true;
    empty = 0;
    below -= counts_[i];
  }
  return end;
}

std::size_t Histogram::next(std::size_t begin) const {
  while (begin < kAll && counts_[begin] == 0) ++begin;
  return begin + 1;
}

double Histogram::limit(std::size_t end) const {
  std::size_t last = end;
  while (last > 1 && counts_[last - 1] == 0) --last;
  return power_of_two(last);
}

// Above all numbers of lower exponents.
double Histogram::power_of_two(std::size_t exponent) {
  if (exponent <= 1) return 0.0;
  return std::min(std::numeric_limits<double>::max(),
                  std::ldexp(1.0, static_cast<int>(exponent) - 1023));
}

// Theorem: with 4 n L <= 2^53 units no sum of the engine rounds (docs/internals/numbers.md).
Scale scale_of(Node nodes, double largest_loss, bool integral) {
  constexpr int kLeastExponent = -960;
  Scale scale;
  int exponent = 0, of_sum = 0;
  std::frexp(largest_loss, &exponent);
  std::frexp(4.0 * nodes, &of_sum);
  exponent += of_sum - 53;
  if (integral) {
    scale.wide = largest_loss > 0.0 && exponent > 0;
  } else if (largest_loss > 0.0) {
    scale.wide = exponent < kLeastExponent;
    exponent = std::max(exponent, kLeastExponent);
    scale.unit = std::ldexp(1.0, exponent);
    scale.per_unit = std::ldexp(1.0, -exponent);
  }
  return scale;
}

bool hides_digits(const Scale& scale, double weight, double best) {
  return std::abs(weight) < kSmallWeight * scale.unit && rounds(scale, weight, best);
}

}  // namespace coppice::engine
