// Exponentials, and sums without rounding, of several numbers at a time; included once per
// instruction set (by files that Highway compiles for several).
#if defined(COPPICE_DISTRIBUTION_EXP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef COPPICE_DISTRIBUTION_EXP_INL
#undef COPPICE_DISTRIBUTION_EXP_INL
#else
#define COPPICE_DISTRIBUTION_EXP_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace coppice::distribution::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;

// a + b, and in `low` what it lacks by rounding.
HWY_INLINE Vec ExactSumOf(Vec a, Vec b, Vec& low) {
  const Vec sum = hn::Add(a, b), of_b = hn::Sub(sum, a);
  low = hn::Add(hn::Sub(a, hn::Sub(sum, of_b)), hn::Sub(b, of_b));
  return sum;
}

// exp(high + low) to about one unit in the last place: 2^n * exp(r), |r| <= ln 2 / 2, exp(r) by its
// Taylor polynomial, whose rest is below 2^-57.
HWY_INLINE Vec ExpOf(Vec high, Vec low) {
  const Tag tag;
  const hn::RebindToUnsigned<Tag> bits;
  // The sum with this number has an integer in its last digits.
  const auto magic = hn::Set(tag, 0x1.8p52);
  const auto shifted = hn::Add(hn::Mul(high, hn::Set(tag, 0x1.71547652b82fep0)), magic);
  const auto n = hn::Sub(shifted, magic);
  auto r = hn::Sub(high, hn::Mul(n, hn::Set(tag, 0x1.62e42fefa0000p-1)));
  r = hn::Add(hn::Sub(r, hn::Mul(n, hn::Set(tag, 0x1.cf79abc9e3b3ap-40))), low);
  auto rest = hn::Set(tag, 1.0 / 6227020800.0);
  for (double factorial : {479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0, 720.0,
                           120.0, 24.0, 6.0, 2.0})
    rest = hn::Add(hn::Mul(rest, r), hn::Set(tag, 1.0 / factorial));
  const auto fraction = hn::Add(hn::Set(tag, 1.0), hn::Add(r, hn::Mul(hn::Mul(r, r), rest)));
  const auto exponent = hn::Add(hn::ShiftLeft<52>(hn::BitCast(bits, shifted)),
                                hn::Set(bits, std::uint64_t{1023} << 52));
  const auto value = hn::Mul(fraction, hn::BitCast(tag, exponent));
  return hn::IfThenElseZero(hn::Ge(high, hn::Set(tag, -708.0)), value);
}

}  // namespace coppice::distribution::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
