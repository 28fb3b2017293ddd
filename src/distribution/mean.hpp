// Means over trees of functions that are sums over arcs, such as the score.
#pragma once

#include "distribution/elimination.hpp"

namespace coppice::distribution {

// Adds sign * (the mean of the values). Values are taken relative to that of each word's likeliest
// head, so that large ones do not cancel. False where something likely has a value of minus
// infinity.
template <class Probabilities>
bool add_mean(ExactSum& sum, const Probabilities& probability, const Matrix<double>& values,
              double sign) {
  double mean = 0.0;
  for (Index d = 1; d < values.cols(); ++d) {
    Index likeliest;
    probability.col(d).maxCoeff(&likeliest);
    const double reference = values(likeliest, d);
    if (reference == kNoWeight) return false;
    sum.add(sign * reference);
    for (Index h = 0; h < values.rows(); ++h)
      if (probability(h, d) > 0.0) mean += probability(h, d) * (values(h, d) - reference);
  }
  sum.add(sign * mean);
  return mean != kNoWeight;
}

}  // namespace coppice::distribution
