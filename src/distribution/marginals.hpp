// Probabilities of all arcs.
#pragma once

#include "distribution/potentials.hpp"

namespace coppice::distribution {

// [head][dependent], of a graph that has a tree.
Matrix<double> marginals(const Potentials& graph);

}  // namespace coppice::distribution
