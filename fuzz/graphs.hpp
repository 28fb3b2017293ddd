// Small graphs out of bytes: dense of every type and any strides, multigraphs, labelled ones. Ties,
// missing edges and, where asked for, weights of every bit pattern are all a byte away.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/labels.hpp>
#include <optional>
#include <vector>

#include "bytes.hpp"

namespace coppice::fuzz {

// What the weights are like.
enum class Style : std::uint8_t {
  ties,      // 0..3, a fifth of them missing
  steps,     // multiples of a quarter: every sum is exact
  decimals,  // multiples of a tenth: sums round
  wide,      // one mantissa bit, exponents from -128 to 127; integers up to 2^53 and some
  raw,       // any bit pattern: NaN, infinities, denormals, 1e300
};

class SomeGraph {
 public:
  // With at most so many words. Not copied: the graph refers to what is in here.
  SomeGraph(Bytes& bytes, Node max_words);
  SomeGraph(const SomeGraph&) = delete;
  SomeGraph& operator=(const SomeGraph&) = delete;

  Graph graph() const { return view_ ? Graph(*view_) : Graph(*multigraph_); }
  const std::optional<DenseView>& view() const { return view_; }
  // Sums of weights are computed without rounding.
  bool exact() const;
  // There are weights that every engine must refuse: NaN, +inf, or so large that sums overflow.
  bool bad() const { return bad_; }
  double largest() const { return largest_; }  // magnitude of a weight

 private:
  void make_dense(Bytes& bytes);
  void make_labelled(Bytes& bytes);
  void make_multigraph(Bytes& bytes);
  template <class T>
  void fill(Bytes& bytes, std::vector<T>& weights);
  template <class T>
  T weight(Bytes& bytes);
  void note(double weight);
  void note(std::int64_t weight);

  Node nodes_ = 2;
  Style style_ = Style::ties;
  Scalar scalar_ = Scalar::float64;
  bool bad_ = false;
  double largest_ = 0.0;
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<std::int64_t> integers_;
  std::optional<DenseView> view_;
  std::optional<Multigraph> multigraph_;
};

}  // namespace coppice::fuzz
