// The one place that decides what weights and how many nodes an algorithm may be given, and how bad
// ones are reported. (That any graph has at most kMaxNodes is checked when it is made.)
//
// Every loader hands each weight to check_weight (or scans for suspects itself and calls it only
// for those), and the largest magnitude to check_magnitude.
#pragma once

#include <cmath>
#include <coppice/graph.hpp>
#include <cstdint>
#include <limits>

namespace coppice {

// Throws std::invalid_argument that names the edge and the value.
[[noreturn]] void reject_weight(Node head, Node dependent, double weight);
[[noreturn]] void reject_magnitude(double magnitude, Node nodes, Scalar scalar);

inline void check_weight(Node head, Node dependent, double weight) {
  if (std::isnan(weight) || weight == std::numeric_limits<double>::infinity())
    reject_weight(head, dependent, weight);
}

// Sums over a tree, and differences of such sums, must not overflow. Of integers too it is a
// float64, which is how some engines know their weights: all must refuse the same graphs.
inline double largest_weight(Scalar scalar, Node nodes) {
  return scalar == Scalar::int64 ? 0x1p60 / nodes : std::numeric_limits<double>::max() / 8 / nodes;
}
inline void check_magnitude(double largest, Node nodes) {
  if (largest > largest_weight(Scalar::float64, nodes))
    reject_magnitude(largest, nodes, Scalar::float64);
}
inline void check_magnitude(std::uint64_t largest, Node nodes) {
  if (static_cast<double>(largest) > largest_weight(Scalar::int64, nodes))
    reject_magnitude(static_cast<double>(largest), nodes, Scalar::int64);
}

// Beyond these an algorithm refuses a graph, or something that costs the third power is left out.
inline constexpr Node kMostPaperWords = 46'340;         // so many squared are edges in int32
inline constexpr Node kMostPaperSparseNodes = 1 << 13;  // columns of all of them, whatever there is
inline constexpr Node kMostDistributionNodes = 1 << 14;  // a matrix of float64 of 2 GiB
inline constexpr Node kMostNodesInSpans = 2'048;         // charts of projective trees

}  // namespace coppice
