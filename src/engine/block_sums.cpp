#include "engine/block_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coppice::engine {
namespace {

// What rounding took away from a + b.
double error_of_sum(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

}  // namespace

void BlockSums::start(const Indexed<Node, double>& weights, Node block) {
  weights_ = &weights;
  block_ = block;
  const Node nodes = weights.end_index();
  prefix_.resize(weights.size());
  prefix_[0] = 0.0;
  largest_ = 0.0;
  for (Node v = 1; v < nodes; ++v) {
    prefix_[v] = prefix_[v - 1] + weights[v];
    largest_ = std::max(largest_, std::abs(prefix_[v]));
  }
  shifts_.clear();
  for (Node first = 1; first < nodes; first += block)
    shifts_.push_back(shifts(first, std::min(nodes, first + block)));
  of_group_.clear();
  for (std::size_t first = 0; first + kGroup <= shifts_.size(); first += kGroup) {
    Shifts all = shifts_[first];
    for (const Shifts& one : std::span(shifts_).subspan(first, kGroup))
      all = {std::max(all.least, one.least), std::min(all.most, one.most)};
    of_group_.push_back(all);
  }
}

// The sums before, in and after the block; none where they are not all inside one binade, or where
// one of them was just between two float64.
BlockSums::Shifts BlockSums::shifts(Node first, Node end) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr Shifts kNone{kInfinity, -kInfinity};
  constexpr int kDigits = std::numeric_limits<double>::digits;
  constexpr int kLeast = std::numeric_limits<double>::min_exponent + kDigits;
  constexpr int kMost = std::numeric_limits<double>::max_exponent - 1;
  int exponent = 0;
  const double sign = std::copysign(1.0, prefix_[first - 1]);
  std::frexp(prefix_[first - 1], &exponent);
  if (exponent < kLeast || exponent > kMost) return kNone;
  const double low = std::ldexp(0.5, exponent), half_unit = std::ldexp(0.5, exponent - kDigits);
  double least = sign * prefix_[first - 1], most = least;
  for (Node v = first; v < end; ++v) {
    least = std::min(least, sign * prefix_[v]);
    most = std::max(most, sign * prefix_[v]);
    const double error = error_of_sum(prefix_[v - 1], (*weights_)[v], prefix_[v]);
    if (std::abs(error) == half_unit) return kNone;
  }
  if (least <= low || most >= 2.0 * low) return kNone;
  const Shifts away{low - least, 2.0 * low - most};
  return sign > 0.0 ? away : Shifts{-away.most, -away.least};
}

Node BlockSums::begin(std::size_t block) const {
  return std::min(weights_->end_index(), static_cast<Node>(block) * block_ + 1);
}

double BlockSums::with(std::span<const Change> changes) const {
  const Node nodes = weights_->end_index();
  auto change = changes.begin();
  auto next = [&] { return change == changes.end() ? nodes : change->node; };
  auto block_of = [&](Node v) {
    return v == nodes ? shifts_.size() : static_cast<std::size_t>((v - 1) / block_);
  };
  Node v = next();
  double sum = prefix_[v - 1];
  while (v < nodes) {
    const std::size_t here = block_of(v);
    std::size_t block = here;
    if (v == begin(here)) {
      const double shift = sum - prefix_[v - 1];
      const std::size_t end = block_of(next());
      while (block < end && shifts_[block].allow(shift)) {
        ++block;
        while (block % kGroup == 0 && block + kGroup <= end &&
               of_group_[block / kGroup].allow(shift))
          block += kGroup;
      }
      if (block > here) {
        v = begin(block);
        sum = prefix_[v - 1] + shift;
        continue;
      }
    }
    for (const Node end = begin(here + 1); v < end; ++v)
      sum += v == next() ? (change++)->weight : (*weights_)[v];
  }
  return sum;
}

// Let d be the difference of the two sums behind a node, D the magnitude, and |d| <= 2D so far. In
// a block without changes that allows -2D and 2D, d stays. Elsewhere a node adds what rounding
// takes from either sum, each at most 2^-53 of a number up to largest_ + 2D. If all that makes no
// more than D, then |d| <= 2D behind this node, too.
double BlockSums::error(std::size_t changes, double magnitude) const {
  auto blocks = static_cast<double>(changes);
  const double most = 2.0 * magnitude;
  for (const Shifts& one : shifts_) blocks += one.allow(-most) && one.allow(most) ? 0.0 : 1.0;
  const double error = 0x1p-52 * (largest_ + most) * blocks * static_cast<double>(block_);
  return error <= magnitude ? error : std::numeric_limits<double>::infinity();
}

}  // namespace coppice::engine
