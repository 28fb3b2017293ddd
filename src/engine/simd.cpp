// Highway compiles this file once per instruction set: it includes itself by foreach_target.h.
#include "engine/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <atomic>
#include <bit>
#include <limits>

#include "engine/contraction-inl.hpp"
#include "engine/second_tree-inl.hpp"
#include "graph/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace coppice::engine::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using coppice::HWY_NAMESPACE::LargestLane;
using coppice::HWY_NAMESPACE::LeastLane;
using Tag = hn::CappedTag<double, kLanes>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Top TopOf(const double* HWY_RESTRICT x, std::size_t n) {
  const Tag tag;
  auto best = hn::Set(tag, -kInfinity);
  auto second = best;
  auto index = hn::Zero(tag);
  auto here = hn::Iota(tag, 0.0);
  const auto step = hn::Set(tag, static_cast<double>(hn::Lanes(tag)));
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    const auto value = hn::LoadU(tag, x + i);
    const auto better = hn::Gt(value, best);
    second = hn::Max(second, hn::Min(value, best));
    best = hn::Max(best, value);
    index = hn::IfThenElse(better, here, index);
    here = hn::Add(here, step);
  }
  const double top = LargestLane(tag, best);
  if (top == -kInfinity) return {top, -1, top};
  const auto holds = hn::Eq(best, hn::Set(tag, top));
  const double first = LeastLane(tag, hn::IfThenElse(holds, index, hn::Set(tag, kInfinity)));
  const auto winner = hn::And(holds, hn::Eq(index, hn::Set(tag, first)));
  const double other = LargestLane(tag, hn::IfThenElse(winner, second, best));
  return {top, static_cast<std::int32_t>(first), other};
}

// Columns side by side: no search through lanes ends a column.
template <class T, bool kNegate>
bool TopOfColumns(const T* HWY_RESTRICT rows, const Rows& shape, const Tops& tops) {
  const hn::CappedTag<double, 4> tag;
  const hn::Rebind<T, decltype(tag)> elements;
  const hn::Rebind<std::int32_t, decltype(tag)> integers;
  const std::size_t lanes = hn::Lanes(tag);
  constexpr std::size_t kAhead = 12;
  const auto missing = hn::Set(tag, -kInfinity);
  const auto most = hn::Set(tag, shape.limit);
  auto load = [&](const T* from) {
    if constexpr (sizeof(T) == sizeof(double))
      return hn::LoadU(tag, from);
    else
      return hn::PromoteTo(tag, hn::LoadU(elements, from));
  };
  auto valid = hn::Eq(missing, missing);
  auto look = [&](auto value, auto here, auto& best, auto& index, auto& second) HWY_ATTR {
    const auto none = hn::Eq(value, missing);
    valid = hn::And(valid, hn::Or(hn::Le(hn::Abs(value), most), none));
    if constexpr (kNegate) value = hn::IfThenElse(none, missing, hn::Neg(value));
    const auto better = hn::Gt(value, best);
    second = hn::Max(second, hn::Min(value, best));
    best = hn::Max(best, value);
    index = hn::IfThenElse(better, here, index);
  };
  for (std::size_t t = shape.begin; t < shape.begin + kBlock; t += 2 * lanes) {
    auto left = missing, right = missing, left_second = missing, right_second = missing;
    auto left_index = hn::Set(tag, -1.0), right_index = left_index;
    const auto left_node = hn::Iota(tag, static_cast<double>(t));
    const auto right_node = hn::Iota(tag, static_cast<double>(t + lanes));
    auto row_at = [&](std::size_t s) {
      return rows + t + static_cast<std::ptrdiff_t>(s) * shape.stride;
    };
    for (std::size_t s = 0; s < shape.nodes; ++s) {
      const T* row = row_at(s);
      // Rows are too far apart for the machine to see the pattern.
      if (s + kAhead < shape.nodes) hwy::Prefetch(row_at(s + kAhead));
      const auto here = hn::Set(tag, static_cast<double>(s));
      auto left_value = load(row), right_value = load(row + lanes);
      if (s >= t && s < t + 2 * lanes) {
        left_value = hn::IfThenElse(hn::Eq(here, left_node), missing, left_value);
        right_value = hn::IfThenElse(hn::Eq(here, right_node), missing, right_value);
      }
      look(left_value, here, left, left_index, left_second);
      look(right_value, here, right, right_index, right_second);
    }
    hn::StoreU(left, tag, tops.best + t);
    hn::StoreU(right, tag, tops.best + t + lanes);
    hn::StoreU(left_second, tag, tops.second + t);
    hn::StoreU(right_second, tag, tops.second + t + lanes);
    hn::StoreU(hn::DemoteTo(integers, left_index), integers, tops.index + t);
    hn::StoreU(hn::DemoteTo(integers, right_index), integers, tops.index + t + lanes);
  }
  return hn::AllTrue(tag, valid);
}

template <class T>
bool TopOfColumns(const T* HWY_RESTRICT rows, const Rows& shape, const Tops& tops) {
  return shape.negate ? TopOfColumns<T, true>(rows, shape, tops)
                      : TopOfColumns<T, false>(rows, shape, tops);
}

// The first index from `from` on that holds the value; there is one.
HWY_INLINE std::size_t FirstEqual(const double* HWY_RESTRICT x, double value, std::size_t from) {
  const Tag tag;
  const auto wanted = hn::Set(tag, value);
  std::size_t i = from / hn::Lanes(tag) * hn::Lanes(tag);
  const auto first = hn::Ge(hn::Iota(tag, 0.0), hn::Set(tag, static_cast<double>(from - i)));
  auto equal = hn::And(first, hn::Eq(hn::LoadU(tag, x + i), wanted));
  while (hn::AllFalse(tag, equal)) {
    i += hn::Lanes(tag);
    equal = hn::Eq(hn::LoadU(tag, x + i), wanted);
  }
  return i + hn::FindKnownFirstTrue(tag, equal);
}

Ranked Next(const double* HWY_RESTRICT x, std::size_t n, double value, std::int32_t index) {
  const Tag tag;
  const auto last = hn::Set(tag, value);
  const auto missing = hn::Set(tag, -kInfinity);
  const auto last_index = hn::Set(tag, static_cast<double>(index));
  const auto step = hn::Set(tag, static_cast<double>(hn::Lanes(tag)));
  auto here = hn::Iota(tag, 0.0);
  auto best = missing;
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    const auto element = hn::LoadU(tag, x + i);
    const auto follows =
        hn::Or(hn::Lt(element, last), hn::And(hn::Eq(element, last), hn::Gt(here, last_index)));
    best = hn::Max(best, hn::IfThenElse(follows, element, missing));
    here = hn::Add(here, step);
  }
  const double top = LargestLane(tag, best);
  if (top == -kInfinity) return {top, -1};
  const std::size_t from = top == value ? static_cast<std::size_t>(index) + 1 : 0;
  return {top, static_cast<std::int32_t>(FirstEqual(x, top, from))};
}

std::size_t Least(const double* HWY_RESTRICT x, std::size_t n) {
  const Tag tag;
  auto least = hn::LoadU(tag, x);
  for (std::size_t i = hn::Lanes(tag); i < n; i += hn::Lanes(tag))
    least = hn::Min(least, hn::LoadU(tag, x + i));
  return FirstEqual(x, LeastLane(tag, least), 0);
}

void Subtract(double* HWY_RESTRICT out, const double* HWY_RESTRICT x, double y, std::size_t n) {
  const Tag tag;
  const auto offset = hn::Set(tag, y);
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag))
    hn::StoreU(hn::Sub(hn::LoadU(tag, x + i), offset), tag, out + i);
}

void SubtractMax(double* HWY_RESTRICT out, const double* HWY_RESTRICT x, double y, std::size_t n) {
  const Tag tag;
  const auto offset = hn::Set(tag, y);
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    const auto value = hn::Sub(hn::LoadU(tag, x + i), offset);
    hn::StoreU(hn::Max(hn::LoadU(tag, out + i), value), tag, out + i);
  }
}

std::size_t AtLeast(const double* HWY_RESTRICT x, double threshold, std::size_t n,
                    std::int32_t* HWY_RESTRICT out) {
  const Tag tag;
  const auto limit = hn::Set(tag, threshold);
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(tag, hn::Ge(hn::LoadU(tag, x + i), limit), bytes);
    for (unsigned bits = bytes[0]; bits != 0; bits &= bits - 1)
      out[found++] = static_cast<std::int32_t>(i) + std::countr_zero(bits);
  }
  return found;
}

void CountSums(const std::uint8_t* HWY_RESTRICT steps, const std::uint32_t* HWY_RESTRICT ends,
               std::size_t groups, std::uint16_t* HWY_RESTRICT counts) {
  const hn::CappedTag<std::uint16_t, kSteps> tag;
  std::size_t begin = 0;
  for (std::size_t group = 0; group < groups; begin = ends[group++])
    // From above: what a choice adds to lies below, and must be as it was before this group.
    for (std::size_t i = kSteps; i > 0;) {
      i -= hn::Lanes(tag);
      auto sums = hn::LoadU(tag, counts + i);
      for (std::size_t j = begin; j < ends[group]; ++j)
        sums = hn::SaturatedAdd(sums, hn::LoadU(tag, counts + i - steps[j]));
      hn::StoreU(sums, tag, counts + i);
    }
}

void SumRows(const double* HWY_RESTRICT table, std::size_t rows, double* HWY_RESTRICT sums) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t j = 0; j < kColumns; j += 2 * lanes) {
    auto left = hn::Zero(tag), right = left;
    for (std::size_t row = 0; row < rows; ++row) {
      left = hn::Add(left, hn::LoadU(tag, table + row * kColumns + j));
      right = hn::Add(right, hn::LoadU(tag, table + row * kColumns + j + lanes));
    }
    hn::StoreU(left, tag, sums + j);
    hn::StoreU(right, tag, sums + j + lanes);
  }
}

// Some elements side by side, compared with all of them in turn: no sum over lanes.
void CountGreater(const double* HWY_RESTRICT x, std::size_t n, std::int64_t* HWY_RESTRICT count) {
  const Tag tag;
  const hn::RebindToSigned<Tag> integers;
  // A mask is -1 where it holds.
  auto greater = [&](double other, auto own) {
    return hn::VecFromMask(integers, hn::RebindMask(integers, hn::Gt(hn::Set(tag, other), own)));
  };
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    const auto own = hn::LoadU(tag, x + i);
    auto odd = hn::Zero(integers), even = odd;
    for (std::size_t j = 0; j < n; j += 4) {
      odd = hn::Sub(odd, hn::Add(greater(x[j], own), greater(x[j + 2], own)));
      even = hn::Sub(even, hn::Add(greater(x[j + 1], own), greater(x[j + 3], own)));
    }
    hn::StoreU(hn::Add(odd, even), integers, count + i);
  }
}

double LargestOutside(const double* HWY_RESTRICT x, const double* HWY_RESTRICT place, double begin,
                      double end, std::size_t not_this, std::size_t nor_this, std::size_t n) {
  const Tag tag;
  const auto first = hn::Set(tag, begin), last = hn::Set(tag, end);
  const auto a = hn::Set(tag, static_cast<double>(not_this));
  const auto b = hn::Set(tag, static_cast<double>(nor_this));
  const auto none = hn::Set(tag, -kInfinity);
  auto here = hn::Iota(tag, 0.0);
  const auto step = hn::Set(tag, static_cast<double>(hn::Lanes(tag)));
  auto best = none;
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    const auto at = hn::LoadU(tag, place + i);
    const auto outside = hn::Or(hn::Lt(at, first), hn::Ge(at, last));
    const auto other = hn::And(hn::Ne(here, a), hn::Ne(here, b));
    best = hn::Max(best, hn::IfThenElse(hn::And(outside, other), hn::LoadU(tag, x + i), none));
    here = hn::Add(here, step);
  }
  return LargestLane(tag, best);
}

bool Valid(const double* HWY_RESTRICT x, double limit, std::size_t n) {
  const Tag tag;
  const auto most = hn::Set(tag, limit);
  const auto missing = hn::Set(tag, -kInfinity);
  auto valid = hn::FirstN(tag, hn::Lanes(tag));
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    const auto value = hn::LoadU(tag, x + i);
    valid = hn::And(valid, hn::Or(hn::Le(hn::Abs(value), most), hn::Eq(value, missing)));
  }
  return hn::AllTrue(tag, valid);
}

Digits DigitsOf(const double* HWY_RESTRICT x, double least, std::size_t n) {
  const Tag tag;
  const hn::RebindToUnsigned<Tag> bits_tag;
  const auto fraction = hn::Set(bits_tag, (std::uint64_t{1} << 52) - 1);
  const auto one = hn::Set(bits_tag, std::uint64_t{1});
  const auto zero = hn::Zero(tag), none = hn::Set(tag, kInfinity), from = hn::Set(tag, least);
  auto largest = zero, last = none;
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    const auto value = hn::LoadU(tag, x + i);
    const auto size = hn::Abs(value);
    const auto counts = hn::And(hn::Ge(value, from), hn::Lt(size, none));
    largest = hn::Max(largest, hn::IfThenElseZero(counts, size));
    // Without its last digit; a power of two is that digit.
    const auto bits = hn::BitCast(bits_tag, size);
    const auto rest = hn::BitCast(tag, hn::And(bits, hn::Sub(bits, one)));
    const auto power = hn::RebindMask(tag, hn::Eq(hn::And(bits, fraction), hn::Zero(bits_tag)));
    const auto digit = hn::IfThenElse(power, size, hn::Sub(size, rest));
    last = hn::Min(last, hn::IfThenElse(hn::And(counts, hn::Gt(size, zero)), digit, none));
  }
  return {LargestLane(tag, largest), LeastLane(tag, last)};
}

constexpr Kernels kTable = {TopOf,
                            Next,
                            Least,
                            TopOfColumns<float>,
                            TopOfColumns<double>,
                            BestHeads<float>,
                            BestHeads<double>,
                            BestTwo<float>,
                            BestTwo<double>,
                            Subtract,
                            SubtractMax,
                            AtLeast,
                            CountSums,
                            SumRows,
                            CountGreater,
                            Valid,
                            DigitsOf,
                            LargestOutside};
const Kernels* Table() { return &kTable; }

}  // namespace coppice::engine::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::engine::simd {

HWY_EXPORT(Table);

namespace {

// Null until the first call of kernels(). The tables are constants, so no order of memory is
// needed.
std::atomic<const Kernels*> chosen = nullptr;

}  // namespace

const Kernels& kernels() {
  const Kernels* table = chosen.load(std::memory_order_relaxed);
  if (table == nullptr) {
    table = HWY_DYNAMIC_DISPATCH(Table)();
    chosen.store(table, std::memory_order_relaxed);
  }
  return *table;
}

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.emplace_back(hwy::TargetName(target));
  return names;
}

bool use(std::string_view name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::GetChosenTarget().Update(target);
    chosen.store(HWY_DYNAMIC_DISPATCH(Table)(), std::memory_order_relaxed);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  return false;
}

}  // namespace coppice::engine::simd
#endif
