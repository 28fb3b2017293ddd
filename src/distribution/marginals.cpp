#include "distribution/marginals.hpp"

#include <vector>

namespace coppice::distribution {
namespace {

using Nodes = std::vector<Index>;

// find_reach() among some of the words, the other nodes in `sources` taken together as the root.
template <class T>
bool solve(const Matrix<T>& weights, const Nodes& words, const Nodes& sources, bool single,
           Matrix<T>& reach) {
  if (words.empty()) return true;
  auto count = static_cast<Index>(words.size());
  Matrix<T> part(count + 1, count + 1), among(count, count);
  part.col(0).setZero();
  part.block(0, 1, 1, count) = weights(sources, words).colwise().sum();
  part.bottomRightCorner(count, count) = weights(words, words);
  if (!find_reach<T>(part, single, among)) return false;
  reach(words, words) = among;
  return true;
}

// reach(h, d): the probability (up to a factor that depends on d only) that the walk from h reaches
// the root before d.
template <class T>
bool solve(const Potentials& graph, const Matrix<T>& weights, Matrix<T>& reach) {
  Nodes core, rest;
  for (Index word = 1; word < weights.cols(); ++word)
    (!graph.single || graph.core[static_cast<std::size_t>(word)] ? core : rest).push_back(word);
  // Nothing enters the core but the root edge, and the words around it see the core as their root:
  // the heads of the two are independent.
  return solve<T>(weights, core, {0}, graph.single, reach) &&
         solve<T>(weights, rest, core, false, reach);
}

}  // namespace

// An arc h -> d is taken where the walk from d starts with it and does not come back to d: its
// probability is proportional to w(h -> d) * reach(h, d).
Matrix<double> marginals(const Potentials& graph) {
  auto compute = [&]<class T>() -> std::optional<Matrix<double>> {
    Matrix<T> weights = weights_of<T>(graph);
    Matrix<T> reach = Matrix<T>::Constant(weights.rows(), weights.cols(), T(1.0));
    if (!solve<T>(graph, weights, reach)) return std::nullopt;
    weights = weights.cwiseProduct(reach).eval();
    Matrix<double> result = Matrix<double>::Zero(weights.rows(), weights.cols());
    for (Index d = 1; d < weights.cols(); ++d) {
      T inverse = T(1.0) / weights.col(d).sum();
      for (Index h = 0; h < weights.rows(); ++h) result(h, d) = value_of(weights(h, d) * inverse);
    }
    return result;
  };
  return in_any_range(graph.log_weights, compute);
}

}  // namespace coppice::distribution
