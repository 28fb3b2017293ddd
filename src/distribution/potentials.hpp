// A graph as the numeric core wants it: checked, copied, and scaled so that exp() is safe.
#pragma once

#include <coppice/graph.hpp>
#include <vector>

#include "distribution/elimination.hpp"

namespace coppice::distribution {

// The weights as given, [head][dependent]; minus infinity on the diagonal and in column 0. Throws
// std::invalid_argument for weights that are NaN, +inf or too large.
Matrix<double> read_weights(const DenseView& scores);

struct Potentials {
  // [head][dependent] of all nodes, scaled; minus infinity where there is no edge, on the diagonal,
  // in column 0 and, for a single root, for root edges that are in no tree.
  Matrix<double> log_weights;
  bool single = false;
  // log of the sum over all trees = shift + that of log_weights.
  double shift = 0.0;
  bool empty = false;  // there is no tree
  // Words that can be the only one below the root: those that reach all others. RootRule::single.
  std::vector<bool> core;
  // The nodes in an order fit for elimination: the root, then, for a single root, one of the core.
  std::vector<Node> order;
};

Potentials make_potentials(const Matrix<double>& weights, RootRule root);

// Subtracts from every column its maximum (for a single root: that of the words, and then from the
// root's row its maximum) and returns the sum of what was subtracted: every tree has one edge into
// each word, and one from the root.
double rescale(Matrix<double>& log_weights, bool single);

double log_sum_exp(double a, double b);

}  // namespace coppice::distribution
