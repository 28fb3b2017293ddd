// Complete graphs whose weights are hard: ties, near-ties, rounding, many scales.
#include <cmath>
#include <utility>

#include "zoo/groups.hpp"

namespace coppice::zoo {
namespace {

// All weights drawn one by one.
template <class T, T draw(Random&)>
Specimen drawn(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<T>(words, [&](Node, Node) { return draw(random); });
}

double uniform(Random& random) { return random.unit(); }
double zero(Random&) { return 0.0; }
double one_tenth(Random&) { return 0.1; }
double zero_or_one(Random& random) { return random.below(2); }
double few_integers(Random& random) { return random.below(4); }
double tenths(Random& random) { return 0.1 * random.below(10); }
double near_tie(Random& random) { return 1.0 + random.below(4) * 0x1p-52; }
double offset(Random& random) { return 1e6 + random.unit(); }
double power_of_two(Random& random) { return std::ldexp(1.0, random.below(60)); }
double denormal(Random& random) { return random.below(8) * 0x1p-1074; }
double enormous(Random& random) { return (random.unit() - 0.5) * 1e300; }
double wide(Random& random) {
  const double magnitude = std::pow(10.0, 60.0 * random.unit() - 30.0);
  return random.below(2) == 0 ? magnitude : -magnitude;
}
double fibonacci(Random& random) {
  double last = 0.0, now = 1.0;
  for (Node steps = random.below(70); steps > 0; --steps) now += std::exchange(last, now);
  return now;
}
// An untrained parser: zero but for the noise of float32.
float float32_noise(Random& random) { return static_cast<float>(1e-8 * random.normal()); }
float float32_ties(Random& random) { return 1.0F + 0x1p-23F * static_cast<float>(random.below(3)); }
float float32_tenths(Random& random) { return 0.1F * static_cast<float>(random.below(10)); }
// Scores that were float16 once: eleven bits.
float half(Random& random) {
  return static_cast<float>(std::round(1024.0 * random.normal()) / 1024.0 * 4.0);
}

// Log-probabilities of every word's heads, as parsers give them. With strong scores the best head
// of most words is clear, and mutual best heads make contraction the rule.
template <int deviation>
Specimen log_softmax(Node words, std::uint64_t seed) {
  Random random(seed);
  auto matrix = complete<double>(words, [&](Node, Node) { return deviation * random.normal(); });
  for (Node d = 1; d <= words; ++d) {
    double sum = 0.0;
    for (Node h = 0; h <= words; ++h) sum += h == d ? 0.0 : std::exp(matrix.at(h, d));
    for (Node h = 0; h <= words; ++h) matrix.at(h, d) -= std::log(sum);
  }
  return matrix;
}

// A mask by a large negative number, as parsers write it, over two thirds of all edges.
Specimen masked(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<float>(words, [&](Node h, Node) {
    const float score = static_cast<float>(3.0 * random.normal());
    return h > 0 && random.below(3) > 0 ? -1e9F : score;
  });
}

// A parser that is sure: one head has all the mass, all others the same floor.
Specimen saturated(Node words, std::uint64_t seed) {
  Random random(seed);
  auto matrix = complete<float>(words, [](Node, Node) { return -1e9F; });
  for (Node d = 1; d <= words; ++d) matrix.at(random.below(d), d) = 0.0F;
  return matrix;
}

// Heads within three words, all others missing.
Specimen banded(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<double>(words, [&](Node h, Node d) {
    return h == 0 || std::abs(h - d) <= 3 ? random.normal() : kNoWeight;
  });
}

// One head stands out for every word, and these form cycles; everything else is equal.
Specimen permuted_identity(Node words, std::uint64_t seed) {
  Random random(seed);
  const auto head = random.permuted_nodes(words);
  return complete<double>(
      words, [&](Node h, Node d) { return h == head[static_cast<std::size_t>(d)] ? 10.0 : 0.0; });
}

// As near to the largest int64 that is taken as can be, in steps of one.
Specimen int64_limits(Node words, std::uint64_t seed) {
  Random random(seed);
  const auto largest = (std::int64_t{1} << 60) / (words + 1) - 1;
  return complete<std::int64_t>(words, [&](Node, Node) { return largest - random.below(3); });
}

// The same with both signs: sums near zero of terms that float64 cannot tell apart.
Specimen int64_signs(Node words, std::uint64_t seed) {
  Random random(seed);
  const auto largest = (std::int64_t{1} << 60) / (words + 1) - 1;
  return complete<std::int64_t>(words, [&](Node, Node) {
    return (random.below(2) == 0 ? largest : -largest) + random.below(2);
  });
}

// All heads of a word are worth the same ...
Specimen by_dependent(Node words, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> worth(static_cast<std::size_t>(words) + 1);
  for (double& one : worth) one = random.unit();
  return complete<double>(words, [&](Node, Node d) { return worth[static_cast<std::size_t>(d)]; });
}

// ... or a head is worth the same to all words.
Specimen by_head(Node words, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> worth(static_cast<std::size_t>(words) + 1);
  for (double& one : worth) one = random.unit();
  worth[0] = -1.0;
  return complete<double>(words, [&](Node h, Node) { return worth[static_cast<std::size_t>(h)]; });
}

// Who beats whom: exactly one of two opposite edges weighs 1.
Specimen tournament(Node words, std::uint64_t seed) {
  Random random(seed);
  auto matrix = complete<double>(
      words, [&](Node h, Node d) { return h > 0 && h < d ? random.integer(2) : 0.0; });
  for (Node d = 1; d <= words; ++d)
    for (Node h = d + 1; h <= words; ++h) matrix.at(h, d) = 1.0 - matrix.at(d, h);
  return matrix;
}

}  // namespace

std::vector<Family> hard_numbers() {
  const auto& n = kDenseSizes;
  return {
      {"uniform", "random weights, to compare with", drawn<double, uniform>, n},
      {"zeros", "an untrained parser", drawn<double, zero>, n},
      {"tenth", "all weights 0.1: ties whose sums round", drawn<double, one_tenth>, n},
      {"zero-one", "0 or 1", drawn<double, zero_or_one>, n},
      {"integers", "0 to 3", drawn<double, few_integers>, n},
      {"tenths", "multiples of 0.1", drawn<double, tenths>, n},
      {"near-ties", "1 plus 0 to 3 units of the last place", drawn<double, near_tie>, n},
      {"offset", "1e6 plus small differences", drawn<double, offset>, n},
      {"powers", "powers of two", drawn<double, power_of_two>, n},
      {"fibonacci", "Fibonacci numbers: sums of others", drawn<double, fibonacci>, n},
      {"denormals", "a few of the smallest numbers", drawn<double, denormal>, n},
      {"enormous", "around 1e300", drawn<double, enormous>, n},
      {"wide", "1e-30 to 1e30, both signs", drawn<double, wide>, n},
      {"float32-noise", "float32: zero but for noise", drawn<float, float32_noise>, n},
      {"float32-ties", "float32: 1 plus units of the last place", drawn<float, float32_ties>, n},
      {"float32-tenths", "float32: multiples of 0.1", drawn<float, float32_tenths>, n},
      {"half", "float32 scores of eleven bits", drawn<float, half>, n},
      {"log-probabilities", "log-softmax of weak scores", log_softmax<1>, n},
      {"peaked", "log-softmax of strong scores", log_softmax<5>, n},
      {"masked", "two thirds masked by -1e9", masked, n},
      {"saturated", "one head 0, all others -1e9", saturated, n},
      {"banded", "heads at most three words away", banded, n},
      {"permuted-identity", "a permutation stands out of equals", permuted_identity, n},
      {"int64-limits", "int64: the largest taken, less 0 to 2", int64_limits, n},
      {"int64-signs", "int64: the largest taken, either sign", int64_signs, n},
      {"by-dependent", "all heads of a word are equal", by_dependent, n},
      {"by-head", "a head is worth the same to all", by_head, n},
      {"tournament", "one of two opposite edges is 1, the other 0", tournament, n},
  };
}

}  // namespace coppice::zoo
