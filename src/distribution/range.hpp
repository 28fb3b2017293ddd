// How small numbers may get before float64 has too small a range.
#pragma once

namespace coppice::distribution {

// A computation in float64 is right as long as no D, for any word and in any order of elimination,
// is so small that what underflow took away (below 2^-1022) could matter, even if divided by two of
// them: docs/distribution.md, section 4.
inline constexpr double kSafeSum = 0x1p-300;
inline constexpr double kSafeLogProduct = -275.0;  // about 2^-400

// Root edges that cost so much that trees with several of them do not count. Then the product of
// all D(v) / S(v) alone decides (where S(v) below 1 and that of the last word are taken for 1): its
// logarithm must be above this and five times that of the number of nodes.
inline constexpr double kRootCost = 0x1p-512;
inline constexpr double kLnRootCost = -354.891356446692, kLnRootCostRest = -1.1873519686893054e-14;
inline constexpr double kLeastLogProduct = -440.0;
inline constexpr double kLeastSum = 0x1p-640;

}  // namespace coppice::distribution
