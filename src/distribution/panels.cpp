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

HWY_BEFORE_NAMESPACE();
namespace coppice::distribution::panels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
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
  return hn::GetLane(hn::MaxOfLanes(tag, best));
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

// All rows of kColumns columns. b may be rows of c for which a has zeros.
template <std::size_t kColumns>
HWY_INLINE void MultiplyAddColumns(double* c, std::size_t ldc, const double* HWY_RESTRICT a,
                                   std::ptrdiff_t lda, const double* b, std::ptrdiff_t step,
                                   std::size_t ldb, std::size_t m, std::size_t k) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto c_at = [&](std::size_t row, std::size_t column) { return c + row + column * ldc; };
  std::size_t row = 0;
  for (; row + lanes < m; row += 2 * lanes) {
    Vec top0 = hn::LoadU(tag, c_at(row, 0)), low0 = hn::LoadU(tag, c_at(row + lanes, 0));
    Vec top1 = top0, low1 = low0, top2 = top0, low2 = low0, top3 = top0, low3 = low0;
    if constexpr (kColumns == 4) {
      top1 = hn::LoadU(tag, c_at(row, 1)), low1 = hn::LoadU(tag, c_at(row + lanes, 1));
      top2 = hn::LoadU(tag, c_at(row, 2)), low2 = hn::LoadU(tag, c_at(row + lanes, 2));
      top3 = hn::LoadU(tag, c_at(row, 3)), low3 = hn::LoadU(tag, c_at(row + lanes, 3));
    }
    const double* a_row = a + row;
    const double* b_row = b;
    for (std::size_t t = 0; t < k; ++t, a_row += lda, b_row += step) {
      const auto top = hn::LoadU(tag, a_row), low = hn::LoadU(tag, a_row + lanes);
      const auto b0 = hn::Set(tag, b_row[0]);
      top0 = hn::Add(top0, hn::Mul(top, b0)), low0 = hn::Add(low0, hn::Mul(low, b0));
      if constexpr (kColumns == 4) {
        const auto b1 = hn::Set(tag, b_row[ldb]), b2 = hn::Set(tag, b_row[2 * ldb]),
                   b3 = hn::Set(tag, b_row[3 * ldb]);
        top1 = hn::Add(top1, hn::Mul(top, b1)), low1 = hn::Add(low1, hn::Mul(low, b1));
        top2 = hn::Add(top2, hn::Mul(top, b2)), low2 = hn::Add(low2, hn::Mul(low, b2));
        top3 = hn::Add(top3, hn::Mul(top, b3)), low3 = hn::Add(low3, hn::Mul(low, b3));
      }
    }
    hn::StoreU(top0, tag, c_at(row, 0)), hn::StoreU(low0, tag, c_at(row + lanes, 0));
    if constexpr (kColumns == 4) {
      hn::StoreU(top1, tag, c_at(row, 1)), hn::StoreU(low1, tag, c_at(row + lanes, 1));
      hn::StoreU(top2, tag, c_at(row, 2)), hn::StoreU(low2, tag, c_at(row + lanes, 2));
      hn::StoreU(top3, tag, c_at(row, 3)), hn::StoreU(low3, tag, c_at(row + lanes, 3));
    }
  }
  for (; row < m; row += lanes)
    for (std::size_t column = 0; column < kColumns; ++column) {
      Vec sum = hn::LoadU(tag, c_at(row, column));
      const double* a_row = a + row;
      const double* b_row = b + column * ldb;
      for (std::size_t t = 0; t < k; ++t, a_row += lda, b_row += step)
        sum = hn::Add(sum, hn::Mul(hn::LoadU(tag, a_row), hn::Set(tag, b_row[0])));
      hn::StoreU(sum, tag, c_at(row, column));
    }
}

void MultiplyAdd(double* c, std::size_t ldc, const double* HWY_RESTRICT a, std::ptrdiff_t lda,
                 const double* b, std::ptrdiff_t step, std::size_t ldb, std::size_t m,
                 std::size_t n, std::size_t k) {
  std::size_t column = 0;
  for (; column + 4 <= n; column += 4)
    MultiplyAddColumns<4>(c + column * ldc, ldc, a, lda, b + column * ldb, step, ldb, m, k);
  for (; column < n; ++column)
    MultiplyAddColumns<1>(c + column * ldc, ldc, a, lda, b + column * ldb, step, ldb, m, k);
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
      MultiplyAdd(w + ld, ld, p(last), back, w + ld + last, -1, ld, block, first - 1,
                  last - first + 1);
    }
    last = first - 1;
  }
  return true;
}

constexpr Kernels kTable = {Valid,    Maximum,   SumOfFirst,  Mean,     ExpDifference,
                            ExpParts, Transpose, MultiplyAdd, Eliminate};
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
