#include "distribution/marginals.hpp"

#include <vector>

#include "distribution/dual.hpp"
#include "graph/poll.hpp"

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

// An arc h -> d is taken where the walk from d starts with it and does not come back to d: its
// probability is proportional to w(h -> d) * reach(h, d). Nothing where T has too small a range.
template <class T>
std::optional<Matrix<T>> probabilities(const Potentials& graph, Matrix<T> weights) {
  Matrix<T> reach = Matrix<T>::Constant(weights.rows(), weights.cols(), T(1.0));
  if (!solve<T>(graph, weights, reach)) return std::nullopt;
  weights = weights.cwiseProduct(reach).eval();
  for (Index d = 1; d < weights.cols(); ++d) {
    poll();
    T inverse = T(1.0) / weights.col(d).sum();
    weights.col(d) *= inverse;
  }
  weights.col(0).setConstant(T(0.0));
  return weights;
}

}  // namespace

Matrix<double> marginals(const Potentials& graph) {
  auto compute = [&]<class T>() -> std::optional<Matrix<double>> {
    auto found = probabilities<T>(graph, weights_of<T>(graph));
    if (!found) return std::nullopt;
    return found->unaryExpr([](const T& probability) { return value_of(probability); });
  };
  return in_any_range(graph.log_weights, compute);
}

Matrix<double> covariances(const Potentials& graph, const Matrix<double>& values) {
  auto compute = [&]<class T>() -> std::optional<Matrix<double>> {
    const Matrix<T> weights = weights_of<T>(graph);
    Matrix<Dual<T>> with_slopes(weights.rows(), weights.cols());
    for (Index d = 0; d < weights.cols(); ++d)
      for (Index h = 0; h < weights.rows(); ++h)
        with_slopes(h, d) = {weights(h, d),
                             graph.log_weights(h, d) == kNoWeight ? 0.0 : values(h, d)};
    auto found = probabilities<Dual<T>>(graph, std::move(with_slopes));
    if (!found) return std::nullopt;
    return found->unaryExpr([](const Dual<T>& probability) {
      double value = value_of(probability.value());
      return value > 0.0 ? value * probability.slope() : 0.0;
    });
  };
  return in_any_range(graph.log_weights, compute);
}

}  // namespace coppice::distribution
