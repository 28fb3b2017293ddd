// Highway compiles this file once per instruction set: it includes itself by foreach_target.h.
#include "distribution/panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "distribution/panels.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "distribution/exp-inl.hpp"
#include "graph/lanes-inl.hpp"
#include "graph/poll.hpp"

HWY_BEFORE_NAMESPACE();
namespace coppice::distribution::panels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using coppice::HWY_NAMESPACE::LargestLane;
using distribution::HWY_NAMESPACE::ExactSumOf;
using distribution::HWY_NAMESPACE::ExpOf;
using distribution::HWY_NAMESPACE::Tag;
using distribution::HWY_NAMESPACE::Vec;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

double Maximum(const double* HWY_RESTRICT x, std::size_t n) {
  const Tag tag;
  auto best = hn::Set(tag, -kInfinity);
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) best = hn::Max(best, hn::LoadU(tag, x + i));
  return LargestLane(tag, best);
}

std::size_t Zeros(const double* HWY_RESTRICT x, std::size_t n) {
  const Tag tag;
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag))
    count += hn::CountTrue(tag, hn::Eq(hn::LoadU(tag, x + i), hn::Zero(tag)));
  return count;
}

// The sum of rows 0..count-1, those of equal index modulo 8 first.
double SumOfFirst(const double* HWY_RESTRICT x, std::size_t count) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag), whole = count / kRows * kRows;
  HWY_ALIGN double part[kRows];
  for (std::size_t lane = 0; lane < kRows; lane += lanes) {
    auto sum = hn::Zero(tag);
    for (std::size_t i = lane; i < whole; i += kRows) sum = hn::Add(sum, hn::LoadU(tag, x + i));
    const std::size_t begin = whole + lane;
    if (begin < count)
      sum = hn::Add(sum,
                    hn::IfThenElseZero(hn::FirstN(tag, count - begin), hn::LoadU(tag, x + begin)));
    hn::Store(sum, tag, part + lane);
  }
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

double Mean(const double* HWY_RESTRICT p, const double* HWY_RESTRICT x, double reference,
            std::size_t n) {
  const Tag tag;
  const auto minus = hn::Set(tag, reference);
  HWY_ALIGN double part[kRows];
  for (std::size_t lane = 0; lane < kRows; lane += hn::Lanes(tag)) {
    auto sum = hn::Zero(tag);
    for (std::size_t i = lane; i < n; i += kRows) {
      const auto weight = hn::LoadU(tag, p + i);
      const auto term = hn::Mul(weight, hn::Sub(hn::LoadU(tag, x + i), minus));
      sum = hn::Add(sum, hn::IfThenElseZero(hn::Gt(weight, hn::Zero(tag)), term));
    }
    hn::Store(sum, tag, part + lane);
  }
  return SumOfFirst(part, kRows);
}

void ExpDifference(double* HWY_RESTRICT out, const double* HWY_RESTRICT x, double shift,
                   std::size_t n) {
  const Tag tag;
  const auto minus = hn::Set(tag, -shift);
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    Vec low;
    const Vec high = ExactSumOf(hn::LoadU(tag, x + i), minus, low);
    hn::StoreU(ExpOf(high, low), tag, out + i);
  }
}

void ExpParts(double* HWY_RESTRICT out, const double* HWY_RESTRICT high,
              const double* HWY_RESTRICT low, std::size_t n) {
  const Tag tag;
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag))
    hn::StoreU(ExpOf(hn::LoadU(tag, high + i), hn::LoadU(tag, low + i)), tag, out + i);
}

void Transpose(double* HWY_RESTRICT out, std::size_t pitch, const double* HWY_RESTRICT in,
               std::size_t ld, std::size_t rows, std::size_t columns) {
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      out[column * pitch + row] = in[row * ld + column];
}

// Some columns of c, up to four, in one or two registers of rows each.
template <std::size_t kColumns, bool kTwo>
HWY_INLINE void MultiplyAddBlock(double* c, std::size_t ldc, const double* HWY_RESTRICT a,
                                 std::ptrdiff_t lda, const double* b, std::ptrdiff_t step,
                                 std::size_t ldb, std::size_t k) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  double* const c1 = c + (kColumns > 1 ? ldc : 0);
  double* const c2 = c1 + (kColumns > 2 ? ldc : 0);
  double* const c3 = c2 + (kColumns > 3 ? ldc : 0);
  const std::size_t second = kTwo ? lanes : 0;
  Vec top0 = hn::LoadU(tag, c), low0 = hn::LoadU(tag, c + second);
  Vec top1 = hn::LoadU(tag, c1), low1 = hn::LoadU(tag, c1 + second);
  Vec top2 = hn::LoadU(tag, c2), low2 = hn::LoadU(tag, c2 + second);
  Vec top3 = hn::LoadU(tag, c3), low3 = hn::LoadU(tag, c3 + second);
  for (std::size_t t = 0; t < k; ++t, a += lda, b += step) {
    const auto top = hn::LoadU(tag, a), low = hn::LoadU(tag, a + second);
    auto add = [&](Vec& upper, Vec& lower, double factor) {
      const auto all = hn::Set(tag, factor);
      upper = hn::Add(upper, hn::Mul(top, all));
      if constexpr (kTwo) lower = hn::Add(lower, hn::Mul(low, all));
    };
    add(top0, low0, b[0]);
    if constexpr (kColumns > 1) add(top1, low1, b[ldb]);
    if constexpr (kColumns > 2) add(top2, low2, b[2 * ldb]);
    if constexpr (kColumns > 3) add(top3, low3, b[3 * ldb]);
  }
  auto put = [&](Vec upper, Vec lower, double* to) {
    hn::StoreU(upper, tag, to);
    if constexpr (kTwo) hn::StoreU(lower, tag, to + lanes);
  };
  put(top0, low0, c);
  if constexpr (kColumns > 1) put(top1, low1, c1);
  if constexpr (kColumns > 2) put(top2, low2, c2);
  if constexpr (kColumns > 3) put(top3, low3, c3);
}

// All rows of them. b may be rows of c for which a has zeros.
template <std::size_t kColumns>
HWY_INLINE void MultiplyAddColumns(double* c, std::size_t ldc, const double* HWY_RESTRICT a,
                                   std::ptrdiff_t lda, const double* b, std::ptrdiff_t step,
                                   std::size_t ldb, std::size_t m, std::size_t k) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t row = 0;
  for (; row + lanes < m; row += 2 * lanes)
    MultiplyAddBlock<kColumns, true>(c + row, ldc, a + row, lda, b, step, ldb, k);
  if (row < m) MultiplyAddBlock<kColumns, false>(c + row, ldc, a + row, lda, b, step, ldb, k);
}

void MultiplyAdd(double* c, std::size_t ldc, const double* HWY_RESTRICT a, std::ptrdiff_t lda,
                 const double* b, std::ptrdiff_t step, std::size_t ldb, std::size_t m,
                 std::size_t n, std::size_t k) {
  for (; n >= 4; n -= 4, c += 4 * ldc, b += 4 * ldb)
    MultiplyAddColumns<4>(c, ldc, a, lda, b, step, ldb, m, k);
  if (n == 3) MultiplyAddColumns<3>(c, ldc, a, lda, b, step, ldb, m, k);
  if (n == 2) MultiplyAddColumns<2>(c, ldc, a, lda, b, step, ldb, m, k);
  if (n == 1) MultiplyAddColumns<1>(c, ldc, a, lda, b, step, ldb, m, k);
}

// Makes p(h -> v) of column v, above the diagonal and in `p`, where zeros follow up to `rows`.
bool Divide(double* HWY_RESTRICT column, std::size_t v, bool skip_root, double least,
            std::size_t rows, double* HWY_RESTRICT p) {
  const Tag tag;
  const double root = column[0];
  if (skip_root) column[0] = 0.0;
  const double sum = SumOfFirst(column, v);
  column[0] = root;
  if (!(sum >= least)) return false;
  column[v] = sum;
  const auto inverse = hn::Set(tag, 1.0 / sum);
  for (std::size_t row = 0; row < rows; row += hn::Lanes(tag)) {
    const auto above = hn::FirstN(tag, v > row ? v - row : 0);
    const auto old = hn::LoadU(tag, column + row);
    const auto quotient = hn::Mul(old, inverse);
    hn::StoreU(hn::IfThenElseZero(above, quotient), tag, p + row);
    hn::StoreU(hn::IfThenElse(above, quotient, old), tag, column + row);
  }
  return true;
}

// The same in steps after which the call can be stopped.
void MultiplyAddPolling(double* c, std::size_t ldc, const double* HWY_RESTRICT a,
                        std::ptrdiff_t lda, const double* b, std::ptrdiff_t step, std::size_t ldb,
                        std::size_t m, std::size_t n, std::size_t k) {
  constexpr std::size_t kColumns = 64;
  for (std::size_t begin = 0; begin < n; begin += kColumns) {
    poll();
    MultiplyAdd(c + begin * ldc, ldc, a, lda, b + begin * ldb, step, ldb, m,
                HWY_MIN(kColumns, n - begin), k);
  }
}

// Panels are words of equal index / 8, the rows of which are brought up to date first.
bool Eliminate(double* w, std::size_t ld, std::size_t nodes, std::size_t keep, bool single,
               double least, double* scratch) {
  const auto back = -static_cast<std::ptrdiff_t>(ld);
  for (std::size_t last = nodes - 1; last > keep;) {
    const std::size_t block = last / kRows * kRows, first = std::max(keep + 1, block);
    auto p = [&](std::size_t v) { return scratch + (v - block) * ld; };
    for (std::size_t v = last; v >= first; --v) {
      if (!Divide(w + v * ld, v, single && v > 1, least, block + kRows, p(v))) return false;
      MultiplyAdd(w + first * ld, ld, p(v), 0, w + v + first * ld, 0, ld, block + kRows, v - first,
                  1);
    }
    if (first > 1) {
      for (std::size_t v = last; v >= first; --v)
        MultiplyAdd(w + ld + block, ld, p(v) + block, 0, w + ld + v, 0, ld, kRows, first - 1, 1);
      MultiplyAddPolling(w + ld, ld, p(last), back, w + ld + last, -1, ld, block, first - 1,
                         last - first + 1);
    }
    last = first - 1;
  }
  return true;
}

constexpr Kernels kTable = {Valid,         Zeros,    Maximum,   SumOfFirst,  Mean,
                            ExpDifference, ExpParts, Transpose, MultiplyAdd, Eliminate};
const Kernels* Table() { return &kTable; }

}  // namespace coppice::distribution::panels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::distribution::panels {

HWY_EXPORT(Table);

const Kernels& kernels() {
  static const Kernels* const chosen = HWY_DYNAMIC_DISPATCH(Table)();
  return *chosen;
}

std::vector<Target> targets() {
  std::vector<Target> found;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    found.push_back({hwy::TargetName(target), HWY_DYNAMIC_DISPATCH(Table)()});
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return found;
}

}  // namespace coppice::distribution::panels
#endif
