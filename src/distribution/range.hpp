// How small numbers may get before float64 has too small a range.
#pragma once

namespace coppice::distribution {

// A computation in float64 is right as long as no D, for any word and in any order of elimination,
// is so small that what underflow took away (below 2^-1022) could matter, even if divided by two of
// them: docs/distribution.md, section 4.
inline constexpr double kSafeSum = 0x1p-300;
inline constexpr double kSafeLogProduct = -275.0;  // about 2^-400

}  // namespace coppice::distribution
