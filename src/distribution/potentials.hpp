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
  // [head][dependent] of all nodes, scaled to at most 0; minus infinity where there is no edge, on
  // the diagonal, in column 0 and, for a single root, for root edges that are in no tree.
  Matrix<double> log_weights;
  Matrix<double> log_rest;  // what log_weights lack by rounding
  bool single = false;
  // log of the sum over all trees = shift + that of log_weights.
  ExactSum shift;
  bool empty = false;  // there is no tree
  // Words that can be the only one below the root: those that reach all others. RootRule::single.
  std::vector<bool> core;
  // The nodes in an order fit for elimination: the root, then, for a single root, one of the core.
  std::vector<Node> order;
};

// Edges that are in no tree of more than exp(-2000) times the weight of another one are left out,
// unless all trees are wanted, likely or not. rest: what the weights lack by rounding, if known.
Potentials make_potentials(const Matrix<double>& weights, RootRule root, bool all_trees = false,
                           const Matrix<double>* rest = nullptr);

template <class T>
Matrix<T> weights_of(const Potentials& graph) {
  return graph.log_weights.binaryExpr(graph.log_rest, [](double high, double low) {
    return exp_of<T>(Parts{high, low});
  });
}

double log_sum_exp(double a, double b);

}  // namespace coppice::distribution
