// Highway compiles this file once per instruction set: it includes itself by foreach_target.h.
#include "engine/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <atomic>
#include <bit>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace coppice::engine::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
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
  const double top = hn::GetLane(hn::MaxOfLanes(tag, best));
  if (top == -kInfinity) return {top, -1, top};
  const auto holds = hn::Eq(best, hn::Set(tag, top));
  const double first =
      hn::GetLane(hn::MinOfLanes(tag, hn::IfThenElse(holds, index, hn::Set(tag, kInfinity))));
  const auto winner = hn::And(holds, hn::Eq(index, hn::Set(tag, first)));
  const double other = hn::GetLane(hn::MaxOfLanes(tag, hn::IfThenElse(winner, second, best)));
  return {top, static_cast<std::int32_t>(first), other};
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

void CountGreater(const double* HWY_RESTRICT x, std::size_t n, std::int32_t* HWY_RESTRICT count) {
  const Tag tag;
  const auto one = hn::Set(tag, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto own = hn::Set(tag, x[i]);
    auto greater = hn::Zero(tag);
    for (std::size_t j = 0; j < n; j += hn::Lanes(tag))
      greater = hn::Add(greater, hn::IfThenElseZero(hn::Gt(hn::LoadU(tag, x + j), own), one));
    count[i] = static_cast<std::int32_t>(hn::GetLane(hn::SumOfLanes(tag, greater)));
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
  return hn::GetLane(hn::MaxOfLanes(tag, best));
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

constexpr Kernels kTable = {TopOf,        Subtract, SubtractMax,   AtLeast,
                            CountGreater, Valid,    LargestOutside};
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
