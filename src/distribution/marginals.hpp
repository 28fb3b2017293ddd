// Probabilities of all arcs.
#pragma once

#include "distribution/potentials.hpp"

namespace coppice::distribution {

// [head][dependent], of a graph that has a tree.
Matrix<double> marginals(const Potentials& graph);

// The covariance of every arc with the sum of `values` over the arcs of a tree: the derivative of
// the marginals in the direction of the values.
Matrix<double> covariances(const Potentials& graph, const Matrix<double>& values);

}  // namespace coppice::distribution
