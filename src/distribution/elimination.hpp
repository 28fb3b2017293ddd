// Elimination without subtraction: the numeric core of the distribution (docs/distribution.md).
//
// A matrix of weights has a row for every head and a column for every dependent, 0 being the root.
// To eliminate a word v is to remove it so that the trees of what is left still have the right sum:
//
//   D(v) = sum of w(h -> v),   p(h -> v) = w(h -> v) / D(v),   w(h -> d) += p(h -> v) * w(v -> d)
//
// and the sum over all trees is the product of the D(v). Only sums, products and quotients of
// positive numbers occur, so every result has a small relative error. Edges from a word to itself
// belong to no tree; the diagonal is never read, and holds D(v) afterwards.
//
// RootRule::single is the limit of small root weights: D(v) is a sum over words only, and what has
// the root's row as a factor is of first order. The last word's D is the weight of its root edge.
#pragma once

#include <Eigen/Core>
#include <coppice/graph.hpp>
#include <optional>
#include <type_traits>

#include "distribution/deep.hpp"
#include "distribution/range.hpp"
#include "distribution/wide_in_eigen.hpp"
#include "graph/poll.hpp"

namespace coppice::distribution {

using Eigen::Index;
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// What the templates below need of a number: float64, Wide or Deep.
inline double log_of(double x) { return std::log(x); }
inline double value_of(double x) { return x; }
inline void add_log(ExactSum& sum, double x) { sum.add(std::log(x)); }
template <class T>
double log_of(const T& x) {
  return x.log();
}
template <class T>
double value_of(const T& x) {
  return x.value();
}
template <class T>
void add_log(ExactSum& sum, const T& x) {
  x.add_log_to(sum);
}
template <class T>
T exp_of(Parts x) {
  if constexpr (std::is_same_v<T, double>)
    return std::exp(x.high) * (1.0 + x.low);
  else
    return T::exp(x);
}

template <class T>
Matrix<T> exp_of(const Matrix<double>& log_weights) {
  return log_weights.unaryExpr([](double x) { return exp_of<T>(Parts{x, 0.0}); });
}

inline bool in_range(double sum) { return sum >= kSafeSum; }
template <class T>
bool in_range(const T&) {
  return true;
}

// compute.operator()<T>() gives a result for a graph with these weights, or nothing where float64
// has too small a range.
template <class Compute>
auto in_any_range(const Matrix<double>& log_weights, Compute compute) {
  auto result = compute.template operator()<double>();
  if (result) return *std::move(result);
  auto logs = log_weights.array();
  bool wide = (logs >= Wide::kLowest || logs == kNoWeight).all();
  result = wide ? compute.template operator()<Wide>() : compute.template operator()<Deep>();
  return *std::move(result);
}

// to += a * b. Eigen's blocks pay for float64; wider numbers take longer than their way from
// memory, and four blocked products of each type were most of what there was to compile here.
template <class T>
void add_product(const Eigen::Ref<const Matrix<T>>& a, const Eigen::Ref<const Matrix<T>>& b,
                 Eigen::Ref<Matrix<T>> to) {
  if constexpr (std::is_same_v<T, double>)
    to.noalias() += a * b;
  else
    for (Index column = 0; column < b.cols(); ++column)
      for (Index k = 0; k < b.rows(); ++k) to.col(column) += a.col(k) * b(k, column);
}

// Eliminates the last words until only the first `keep` (and the root) are left. Afterwards column
// v has p(h -> v) above the diagonal and row v has w(v -> d) left of it, both as they were when v
// was eliminated; the leading block has the weights of the graph that is left. False where a D is
// out of range.
template <class T>
[[nodiscard]] bool eliminate(Eigen::Ref<Matrix<T>> w, Index keep, bool single) {
  constexpr Index kPanel = 32;  // columns that are finished before the rest is updated at once
  for (Index last = w.cols() - 1; last > keep; last -= kPanel) {
    poll();
    Index first = std::max(keep + 1, last - kPanel + 1);
    for (Index v = last; v >= first; --v) {
      Index top = single && v > 1 ? 1 : 0;
      T sum = w.col(v).segment(top, v - top).sum();
      if (!in_range(sum)) return false;
      w(v, v) = sum;
      w.col(v).head(v) *= T(1.0) / sum;
      for (Index d = first; d < v; ++d) w.col(d).head(v) += w.col(v).head(v) * w(v, d);
      for (Index d = 1; d < first; ++d)
        w.col(d).segment(first, v - first) += w.col(v).segment(first, v - first) * w(v, d);
    }
    add_product<T>(w.block(0, first, first, last - first + 1),
                   w.block(first, 1, last - first + 1, first - 1), w.block(0, 1, first, first - 1));
  }
  return true;
}

// log of the sum over all trees, of a matrix whose words are all eliminated.
template <class T>
ExactSum log_sum(const Matrix<T>& eliminated) {
  ExactSum sum;
  for (Index v = 1; v < eliminated.cols(); ++v) add_log(sum, eliminated(v, v));
  return sum;
}

// Whether float64 had range enough to eliminate all words of `given`. Each D alone does not tell:
// the smallest D(d) in any other order could be as small as the product of all D(v) / (sum of the
// weights into v), and that is what losses by underflow are to be compared with.
inline bool in_range(const Matrix<double>& given, const Matrix<double>& eliminated, bool single) {
  double log_product = std::min(0.0, std::log(eliminated(1, 1)));
  for (Index v = 2; v < given.cols(); ++v)
    log_product += std::log(eliminated(v, v) / given.col(v).tail(given.rows() - single).sum());
  return log_product > kSafeLogProduct;
}
template <class T>
bool in_range(const Matrix<T>&, const Matrix<T>&, bool) {
  return true;
}

// Of a matrix in which the words after `keep` are eliminated: column b - keep - 1 says where the
// walk from word b up along random heads first meets a node 0..keep.
template <class T>
Matrix<T> hitting(const Eigen::Ref<const Matrix<T>>& w, Index keep) {
  constexpr Index kPanel = 16;
  Index kept = keep + 1, gone = w.cols() - kept;
  Matrix<T> hit = w.block(0, kept, kept, gone);
  for (Index first = 0; first < gone; first += kPanel) {
    poll();
    Index end = std::min(gone, first + kPanel);
    if (first > 0)
      add_product<T>(hit.leftCols(first), w.block(kept, kept + first, first, end - first),
                     hit.middleCols(first, end - first));
    for (Index b = first; b < end; ++b)
      for (Index before = first; before < b; ++before)
        hit.col(b) += hit.col(before) * w(kept + before, kept + b);
  }
  return hit;
}

// The same weights, the words after `count` moved before the others.
template <class T>
Matrix<T> rotated(const Eigen::Ref<const Matrix<T>>& w, Index count) {
  Index words = w.cols() - 1, rest = words - count;
  Matrix<T> result(words + 1, words + 1);
  auto move_rows = [&](auto&& to, const auto& from) {
    to.row(0) = from.row(0);
    to.middleRows(1, rest) = from.bottomRows(rest);
    to.bottomRows(count) = from.middleRows(1, count);
  };
  result.col(0) = w.col(0);
  move_rows(result.middleCols(1, rest), w.rightCols(rest));
  move_rows(result.rightCols(count), w.middleCols(1, count));
  return result;
}

// reach(h - 1, d - 1): the probability that the walk from h up along random heads gets to the root
// before it gets to d (for RootRule::single to first order, in units of the root's row). False
// where a number is out of range.
//
// By halves: eliminate one half of the words, solve for the other half, and carry the answers back
// to the eliminated words by where their walks enter the other half.
template <class T>
[[nodiscard]] bool find_reach(const Eigen::Ref<const Matrix<T>>& w, bool single,
                              Eigen::Ref<Matrix<T>> reach) {
  Index words = w.cols() - 1;
  if (words == 1) {
    reach(0, 0) = T(0.0);
    return in_range(w(0, 1));
  }
  Index half = words / 2;
  for (bool front : {true, false}) {
    Index kept = front ? half : words - half, gone = words - kept;
    Index first_kept = front ? 0 : half, first_gone = front ? half : 0;
    Matrix<T> part = front ? Matrix<T>(w) : rotated<T>(w, half);
    if (!eliminate<T>(part, kept, single)) return false;
    auto among_kept = reach.block(first_kept, first_kept, kept, kept);
    if (!find_reach<T>(part.topLeftCorner(kept + 1, kept + 1), single, among_kept)) return false;
    Matrix<T> hit = hitting<T>(part, kept);
    auto from_gone = reach.block(first_gone, first_kept, gone, kept);
    const Matrix<T> entering = hit.bottomRows(kept).transpose();
    for (Index d = 0; d < kept; ++d) from_gone.col(d) = hit.row(0).transpose();
    add_product<T>(entering, among_kept, from_gone);
  }
  return true;
}

}  // namespace coppice::distribution
