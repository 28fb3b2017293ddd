// From weights to whole numbers (docs/internals/numbers.md).
//
// Every node takes one edge, so only losses matter: how much less an edge weighs than the best edge
// into the same node. A loss is rounded once, on the way in, to a whole multiple of a unit, which
// is a power of two, so large that no sum of the engine exceeds 2^53 units. From then on nothing
// rounds: trees tie or they do not.
//
// Losses far above all others would make the unit coarse for everybody: masks, or a weight that no
// tree can use. Such edges are left out (hopeless). Lemma: a tree with a hopeless edge loses at
// least `hopeless`; so a list of K trees is right if the last of them loses less. Trees behind
// that, and trees whose scores are so near to 0 that the unit hides digits, are found in wider
// numbers (wide.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <coppice/graph.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "graph/exact_sum.hpp"

namespace coppice::engine {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Scale {
  double unit = 1.0, per_unit = 1.0;
  double most = 0x1p52;  // larger losses, in units, are left out
  // No tree with an edge that was left out loses less, in units.
  double hopeless = kInfinity;
  bool leaves_out = false;  // some were
  bool wide = false;        // these weights need wider numbers

  // Minus the loss of an edge of this weight in units, where the best into its node weighs `best`.
  double gain(double weight, double best) const {
    const double whole = ((weight - best) * per_unit + kRound) - kRound;
    return whole >= -most ? whole : kNoWeight;
  }
  // A score of this size or less may lie below what the roundings of a tree's losses add up to, but
  // for a billionth part.
  double faint(Node nodes) const { return 0x1p33 * nodes * unit; }
  // Adding it rounds numbers up to 2^51 to whole ones.
  static constexpr double kRound = 0x1.8p52;
};

// Numbers by their binary exponents; 0 comes before all others.
class Histogram {
 public:
  void add(double number) {
    ++counts_[exponent(number)];
    ++all_;
  }
  // Behind the last exponent of all numbers but those that are far above all others; there are
  // `enough` others. kAll: there are none far above.
  static constexpr std::size_t kAll = 2047;
  std::size_t end(std::size_t enough) const;
  // Behind the first exponent of a number from `begin` on.
  std::size_t next(std::size_t begin) const;
  // The least power of two above the numbers whose exponents are before `end`.
  double limit(std::size_t end) const;

 private:
  static double power_of_two(std::size_t exponent);
  static std::size_t exponent(double number) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(number)) >> 52;
    return bits == 0 && number != 0.0 ? 1 : bits;
  }

  std::array<std::uint32_t, kAll + 1> counts_{};
  std::size_t all_ = 0;
};

// The scale of a graph of so many nodes whose largest loss is known. Integers keep 1 as their unit.
Scale scale_of(Node nodes, double largest_loss, bool integral);

// Does the loss of an edge that is not left out round?
inline bool rounds(const Scale& scale, double weight, double best) {
  const Parts loss = exact_difference(best, weight);
  const double units = loss.high * scale.per_unit;
  const double whole = (units + Scale::kRound) - Scale::kRound;
  return units <= scale.most && (loss.low != 0.0 || whole != units);
}
// Does it round, and is the weight small beside the unit? Then the scale hides digits of trees that
// score near 0.
bool hides_digits(const Scale& scale, double weight, double best);

// So many empty exponents part what is hopeless from what is not: a factor of at least 64.
inline constexpr int kEmptyExponents = 6;
// The unit is coarse if some loss is smaller than so many units.
inline constexpr double kCoarse = 0x1p36;
// A weight is small beside the unit if it is smaller than so many units.
inline constexpr double kSmallWeight = 0x1p30;

// Is it worth the time to look at every loss? `seconds` are the least losses of all columns but for
// that of the best edge. Masks may hide what small weights differ by where a second loss is 0, is
// far below the largest loss, or where six binary exponents between two of these numbers are empty.
// Without parallel edges the losses of one column are too few to be parted from all others
// (Histogram::end).
template <class Seconds>
bool may_be_uneven(Node nodes, double largest_loss, const Seconds& seconds, bool parallel) {
  constexpr int kFar = 20, kFine = 14, kMost = 63 - kEmptyExponents;
  auto exponent = [](double number) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(std::abs(number)) >> 52);
  };
  // Some loss of a large graph is small.
  const int of_nodes = exponent(4.0 * nodes) - exponent(1.0);
  const int far = std::min(kMost, kFar - 2 + of_nodes);
  std::uint64_t near = 1;  // bit i: some loss is about 2^-i of the largest one
  double least = parallel ? 0.0 : kInfinity;
  for (Node v = 1; v < nodes; ++v) {
    double second = seconds[v];
    if (second < least) std::swap(second, least);
    if (std::isinf(second)) continue;
    const int below = exponent(largest_loss) - exponent(second);
    if (below > far) return true;
    near |= std::uint64_t{1} << below;
  }
  // The unit of the largest loss is fine for losses that are no smaller than this.
  if (near >> std::max(0, kFine - of_nodes) == 0) return false;
  for (int i = 1; i < kEmptyExponents; ++i) near |= near << 1;
  return (near & (near + 1)) != 0;
}

// The scale where losses may be uneven. for_each(visit) calls visit(weight, best) for every edge
// but those that are missing.
template <class ForEach>
Scale scale_of_uneven(Node nodes, double largest_loss, bool integral, ForEach for_each) {
  Scale scale = scale_of(nodes, largest_loss, integral);
  bool some_round = false;
  for_each(
      [&](double weight, double best) { some_round = some_round || rounds(scale, weight, best); });
  if (!scale.wide && !some_round) return scale;
  Histogram losses;
  for_each([&](double weight, double best) { losses.add(best - weight); });
  const bool coarse = some_round && scale.unit * kCoarse > losses.limit(losses.next(1));
  const std::size_t end = losses.end(2 * static_cast<std::size_t>(nodes - 1));
  if (!(integral ? scale.wide : scale.wide || coarse) || end == Histogram::kAll) return scale;
  const double hopeless = losses.limit(losses.next(end)) * 0.5;
  const double limit = losses.limit(end);
  if (limit > 0.0) scale = scale_of(nodes, limit, integral);
  scale.most = limit * scale.per_unit;
  scale.hopeless = std::min(0x1p1000, hopeless * scale.per_unit);
  scale.leaves_out = true;
  return scale;
}

}  // namespace coppice::engine
