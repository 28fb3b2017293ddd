// The one place that decides what weights an algorithm may be given, and how bad ones are reported.
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

// Sums over a tree, and differences of such sums, must not overflow.
inline void check_magnitude(double largest, Node nodes) {
  if (largest > std::numeric_limits<double>::max() / 8 / nodes)
    reject_magnitude(largest, nodes, Scalar::float64);
}
// As float64, which is how some engines know it: all must refuse the same graphs.
inline void check_magnitude(std::uint64_t largest, Node nodes) {
  if (static_cast<double>(largest) > 0x1p60 / nodes)
    reject_magnitude(static_cast<double>(largest), nodes, Scalar::int64);
}

}  // namespace coppice
