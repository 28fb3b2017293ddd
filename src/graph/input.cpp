#include "graph/input.hpp"

#include <coppice/error.hpp>
#include <string>

#include "graph/phrases.hpp"

namespace coppice {

void reject_weight(Node head, Node dependent, double weight) {
  throw Error(ErrorCode::bad_weight, "weight of " + std::to_string(head) + " -> " +
                                         std::to_string(dependent) + " is " +
                                         (std::isnan(weight) ? "NaN" : "+inf") +
                                         "; weights are finite, or -inf for a missing edge");
}

void reject_magnitude(double magnitude, Node nodes, Scalar scalar) {
  throw Error(ErrorCode::bad_weight, "a weight of magnitude " + shortest(magnitude) +
                                         " is too large: the sum over a tree of " +
                                         counted(nodes - 1, "edge") + " could overflow " +
                                         (scalar == Scalar::int64 ? "int64" : "float64"));
}

}  // namespace coppice
