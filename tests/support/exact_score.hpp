// Scores of trees without rounding, and how far an engine may be from them.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/tree.hpp>

#include "graph/exact_sum.hpp"

namespace coppice::testing {

// The float64 nearest to a sum; of two the even one.
double rounded(ExactSum sum);
// Is a less than b (negative), equal (0), or greater?
double compare(ExactSum a, const ExactSum& b);

// The exact sum of the weights of a tree; of int64 weights as they are as float64.
ExactSum sum_of(Graph graph, const Tree& tree);
// The same, rounded once: the score that the tree must be reported with.
double exact_score(Graph graph, const Tree& tree);
std::int64_t exact_integer_score(Graph graph, const Tree& tree);

// How far a score may be from the exact sum of the weights of its tree: so much, and such a part of
// the sum of their sizes.
struct Rounding {
  double plain = 0.0, of_weights = 0.0;

  Rounding(double plain_rounding = 0.0, double part = 0.0)
      : plain(plain_rounding), of_weights(part) {}
  bool none() const { return plain == 0.0 && of_weights == 0.0; }
  double of(Graph graph, const Tree& tree) const;
};
// Masks cost no digits of trees that do without them.
inline const Rounding kMaskedOnly(0.0, 0x1p-40);

// How far the engine's scores may be from that: 0 where all losses are whole multiples of its unit,
// whatever way it takes.
double rounding_of(Graph graph);
// The same of whoever adds weights up one by one, as the paper's algorithms do.
double rounding_of_plain_sums(Graph graph);

}  // namespace coppice::testing
