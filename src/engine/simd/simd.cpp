// Highway compiles this file once per instruction set: it includes itself by foreach_target.h.
#include "engine/simd/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "engine/simd/contraction-inl.hpp"
#include "graph/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace coppice::engine::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, kLanes>;

// As float64.
template <class D>
HWY_INLINE hn::Vec<D> Wide(D tag, hn::Vec<hn::Rebind<float, D>> numbers) {
  return hn::PromoteTo(tag, numbers);
}
template <class D>
HWY_INLINE hn::Vec<D> Wide(D /*tag*/, hn::Vec<D> numbers) {
  return numbers;
}

// The first n numbers, and zeros.
template <class D>
HWY_INLINE hn::Vec<D> LoadFirst(D tag, const hn::TFromD<D>* from, std::size_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  if (n >= hn::Lanes(tag)) return hn::LoadU(tag, from);
  hn::TFromD<D> copy[hn::MaxLanes(D())] = {};
  std::copy_n(from, n, copy);
  return hn::LoadU(tag, copy);
#else
  return hn::MaskedLoad(hn::FirstN(tag, n), tag, from);
#endif
}

// The caller's weights.
template <class T, bool kNegate>
class Matrix {
 public:
  explicit Matrix(const Rows& rows)
      : rows_(static_cast<const T*>(rows.data)), stride_(rows.stride) {}

  const T* At(std::size_t s, std::size_t t) const {
    return rows_ + static_cast<std::ptrdiff_t>(s) * stride_ + static_cast<std::ptrdiff_t>(t);
  }
  // As they are to be maximised.
  template <class D>
  static HWY_INLINE hn::Vec<D> Signed(D tag, hn::Vec<D> given) {
    if constexpr (!kNegate) return given;
    const auto missing = hn::Set(tag, static_cast<hn::TFromD<D>>(kMissing));
    return hn::IfThenElse(hn::Eq(given, missing), missing, hn::Neg(given));
  }

 private:
  const T* rows_;
  std::ptrdiff_t stride_;
};

// Calls visit(matrix) with the one that the rows are.
template <class Visit>
auto WithMatrix(const Rows& rows, Visit visit) {
  if (rows.float32)
    return rows.negate ? visit(Matrix<float, true>(rows)) : visit(Matrix<float, false>(rows));
  return rows.negate ? visit(Matrix<double, true>(rows)) : visit(Matrix<double, false>(rows));
}

// Columns side by side: no search through lanes ends a column. Weights are only compared, so that
// float32 becomes float64 but once for each column.
template <class T, bool kNegate>
bool TopsOf(const Matrix<T, kNegate>& matrix, const Rows& rows, Tops& tops) {
  // Rows are too far apart for the machine to see the pattern.
  constexpr std::size_t kAhead = 12;
  constexpr T kInf = std::numeric_limits<T>::infinity();
  const Tag tag;
  const hn::Rebind<T, Tag> own;
  const hn::Rebind<std::int32_t, Tag> integers;
  const std::size_t lanes = hn::Lanes(tag), in_strip = std::min(lanes, rows.nodes - 1);
  const double limit = std::min<double>(rows.limit, std::numeric_limits<T>::max());
  const auto missing = hn::Set(own, -kInf), none = hn::Set(own, kInf), one = hn::Set(own, T{1});
  const auto most = hn::Set(own, static_cast<T>(limit));
  const auto no_gain = hn::Set(tag, kMissing), far = hn::Set(tag, kInfinity);
  const auto end = hn::Set(tag, static_cast<double>(rows.nodes));
  auto valid = hn::Lt(missing, most);
  auto largest_loss = hn::Zero(tag), nearest = far;
  auto root_gain = no_gain, next_root_gain = no_gain, root_child = hn::Set(tag, -1.0);
  const auto ahead =
      static_cast<std::ptrdiff_t>(kAhead) * rows.stride + static_cast<std::ptrdiff_t>(in_strip) - 1;
  std::size_t seen = 1;  // columns before this one
  ForEachStrip(1, rows.nodes, lanes, [&](std::size_t t) HWY_ATTR {
    const auto own_node = hn::Iota(own, static_cast<T>(t));
    const T* row = matrix.At(0, t);
    auto given = LoadFirst(own, row, in_strip), value = matrix.Signed(own, given);
    auto least = hn::IfThenElse(hn::Eq(value, missing), none, value);
    valid = hn::And(valid, hn::Le(given, most));
    const auto root = tops.without_root ? value : missing;
    auto best = tops.without_root ? missing : value, second = missing, here = one;
    auto index = hn::IfThenElse(hn::Gt(best, missing), hn::Zero(own), hn::Neg(one));
    for (std::size_t s = 1; s < rows.nodes; ++s) {
      row += rows.stride;
      if (s + kAhead < rows.nodes) hwy::Prefetch(row + ahead);
      given = LoadFirst(own, row, in_strip);
      given = hn::IfThenElse(hn::Eq(here, own_node), missing, given);
      valid = hn::And(valid, hn::Le(given, most));
      value = matrix.Signed(own, given);
      least = hn::Min(least, hn::IfThenElse(hn::Eq(value, missing), none, value));
      index = hn::IfThenElse(hn::Gt(value, best), here, index);
      second = hn::Max(second, hn::Min(value, best));
      best = hn::Max(best, value);
      here = hn::Add(here, one);
    }
    valid = hn::And(valid, hn::Le(hn::Max(best, root), most));
    valid = hn::And(valid, hn::Ge(least, hn::Neg(most)));
    const auto first = Wide(tag, best), next = Wide(tag, second), from_root = Wide(tag, root);
    hn::StoreU(first, tag, tops.best + t);
    hn::StoreU(next, tag, tops.second + t);
    hn::StoreU(hn::DemoteTo(integers, Wide(tag, index)), integers, tops.index + t);
    const auto loss = hn::Sub(hn::Max(first, from_root), Wide(tag, least));
    largest_loss = hn::Max(largest_loss, loss);  // minus infinity where there is no edge
    const auto node = hn::Iota(tag, static_cast<double>(t)), lead = hn::Sub(first, next);
    const auto inside = hn::Lt(node, end);
    const auto has_lead = hn::And(inside, hn::Ge(lead, hn::Zero(tag)));
    nearest = hn::Min(nearest, hn::IfThenElse(has_lead, lead, far));
    if (!tops.without_root) return;
    hn::StoreU(from_root, tag, tops.root + t);
    const auto fresh = hn::And(inside, hn::Ge(node, hn::Set(tag, static_cast<double>(seen))));
    const auto counts = hn::And(fresh, hn::Gt(from_root, no_gain));
    const auto gain = hn::IfThenElse(counts, hn::Sub(from_root, first), no_gain);
    root_child = hn::IfThenElse(hn::Gt(gain, root_gain), node, root_child);
    next_root_gain = hn::Max(next_root_gain, hn::Min(gain, root_gain));
    root_gain = hn::Max(root_gain, gain);
    seen = t + lanes;
  });
  tops.largest_loss = LargestLane(tag, largest_loss);
  tops.nearest = LeastLane(tag, nearest);
  if (!tops.without_root) return hn::AllTrue(own, valid);
  tops.root_gain = LargestLane(tag, root_gain);
  const auto holder = hn::Eq(root_gain, hn::Set(tag, tops.root_gain));
  const auto child = hn::Set(tag, LargestLane(tag, hn::IfThenElse(holder, root_child, no_gain)));
  tops.root_child = static_cast<std::int32_t>(hn::GetLane(child));
  root_gain = hn::IfThenElse(hn::Eq(root_child, child), no_gain, root_gain);
  tops.next_root_gain = LargestLane(tag, hn::Max(root_gain, next_root_gain));
  return hn::AllTrue(own, valid);
}
bool AllTops(const Rows& rows, Tops& tops) {
  return WithMatrix(rows, [&](auto matrix) { return TopsOf(matrix, rows, tops); });
}

template <class T, bool kNegate>
void ColumnsOf([[maybe_unused]] const Matrix<T, kNegate>& matrix, const Rows& rows,
               const Scale& scale, const double* HWY_RESTRICT best, double* HWY_RESTRICT columns,
               std::size_t stride) {
  const std::size_t nodes = rows.nodes;
  auto column = [&](std::size_t t) { return columns + t * stride; };
  for (std::size_t t = 1; t < nodes; ++t)
    for (std::size_t s = stride - kLanes; s < stride; ++s) column(t)[s] = kMissing;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kSide = 4;
  const hn::CappedTag<double, kSide> tag;
  const hn::Rebind<T, decltype(tag)> own;
  const bool in_squares = hn::Lanes(tag) == kSide && nodes > kSide;
  auto turn_square = [&](std::size_t s, std::size_t t) HWY_ATTR {
    const auto per_unit = hn::Set(tag, scale.per_unit), round = hn::Set(tag, Scale::kRound);
    const auto top = hn::LoadU(tag, best + t);
    auto gain = [&](std::size_t row) HWY_ATTR {
      const auto weight = Wide(tag, matrix.Signed(own, hn::LoadU(own, matrix.At(row, t))));
      const auto exact = hn::Mul(hn::Sub(weight, top), per_unit);
      return hn::Sub(hn::Add(exact, round), round);  // what is missing stays so
    };
    const auto a = gain(s), b = gain(s + 1), c = gain(s + 2), d = gain(s + 3);
    const auto ab = hn::InterleaveLower(tag, a, b), ab_next = hn::InterleaveUpper(tag, a, b);
    const auto cd = hn::InterleaveLower(tag, c, d), cd_next = hn::InterleaveUpper(tag, c, d);
    hn::StoreU(hn::ConcatLowerLower(tag, cd, ab), tag, column(t) + s);
    hn::StoreU(hn::ConcatLowerLower(tag, cd_next, ab_next), tag, column(t + 1) + s);
    hn::StoreU(hn::ConcatUpperUpper(tag, cd, ab), tag, column(t + 2) + s);
    hn::StoreU(hn::ConcatUpperUpper(tag, cd_next, ab_next), tag, column(t + 3) + s);
  };
  if (in_squares)
    ForEachStrip(1, nodes, kSide, [&](std::size_t t) HWY_ATTR {
      poll();
      ForEachStrip(0, nodes, kSide, [&](std::size_t s) HWY_ATTR { turn_square(s, t); });
    });
#else
  const bool in_squares = false;
#endif
  if (!in_squares)
    for (std::size_t t = 1; t < nodes; ++t)
      for (std::size_t s = 0; s < nodes; ++s) column(t)[s] = scale.gain(rows.weight(s, t), best[t]);
  for (std::size_t t = 1; t < nodes; ++t) {
    for (std::size_t s = 0; scale.leaves_out && s < nodes; ++s)
      column(t)[s] = column(t)[s] < -scale.most ? kMissing : column(t)[s];
    column(t)[t] = kMissing;
  }
}
void AllColumns(const Rows& rows, const Scale& scale, const double* best, double* columns,
                std::size_t stride) {
  WithMatrix(rows, [&](auto matrix) { ColumnsOf(matrix, rows, scale, best, columns, stride); });
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

constexpr Kernels kTable = {Next, Least, AllTops, AllColumns, Contract, CountSums, AtLeast};
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

void Contraction::start(std::size_t node_count, bool single, std::size_t column_stride,
                        double* all_columns) {
  nodes = node_count;
  single_root = single;
  stride = column_stride;
  columns = all_columns;
  price = 0.0;
  if (const std::size_t most = 2 * stride; stack.size() < most) {
    // Vectors are read behind the last component.
    for (auto* array : {&y, &root}) array->resize(most + kLanes);
    place.resize(most);
    for (auto* array : {&source, &stack, &members, &end, &parent}) array->resize(most + kLanes);
  }
  y[0] = 0.0;
  root[0] = kNoWeight;
  source[0] = -1;
  std::fill_n(y.data() + nodes, kLanes, 0.0);
  std::fill_n(root.data() + nodes, kLanes, root[0]);
}

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
