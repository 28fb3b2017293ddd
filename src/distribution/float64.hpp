// The partition function and the probabilities of arcs in float64, for as many sentences as one
// likes with one workspace: the fast way, for all graphs whose numbers stay in range.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "distribution/buffer.hpp"
#include "distribution/panels.hpp"
#include "distribution/range.hpp"
#include "graph/exact_sum.hpp"

namespace coppice::distribution {

class Float64 {
 public:
  explicit Float64(const panels::Kernels& kernels = panels::kernels()) : kernels_(&kernels) {}

  // Throws std::invalid_argument for weights that are NaN, +inf or too large.
  void load(const DenseView& scores, RootRule root);

  // The weights of the graph loaded last, [dependent][head], columns column_size() apart; the
  // diagonal is minus infinity.
  const double* weights() const { return weights_.data(); }
  std::size_t column_size() const { return size_; }
  std::size_t memory() const {  // in numbers
    return weights_.capacity() + scaled_.capacity() + arena_.capacity();
  }

  // In which words are eliminated: as they stand (then nothing is found under RootRule::single
  // where an edge between words is missing); or what can be the root's apart from what cannot, and
  // the likeliest root last, so that numbers stay in range more often; or, under RootRule::single,
  // as they stand with root edges so dear that trees with two of them do not count.
  enum class Order : std::uint8_t { plain, fit, dear_root };

  // Of the graph loaded last. Nothing where float64 has too small a range, or there is no tree.
  std::optional<ExactSum> log_partition(Order order);

  struct Description {
    ExactSum log_partition;
    double entropy;
  };
  // Also the marginals: [head][dependent], rows `pitch` apart.
  std::optional<Description> describe(double* marginals, std::size_t pitch, Order order);

 private:
  // Words whose heads do not depend on those of the others, and the nodes that are their root.
  struct Part {
    std::vector<std::size_t> words, sources;
    bool single;
  };
  // Column-major, of the words of a part and their root.
  struct Weights {
    const double* data;
    std::size_t size;   // of a column
    std::size_t words;  // columns 1..words
  };

  void check_weights(const DenseView& scores) const;
  void scale(Order order);
  void scale_root();
  bool find_parts(Order order);
  // No D may be smaller.
  double least_sum() const { return dear_root_ ? kLeastSum : kSafeSum; }
  Weights gather(const Part& part);
  Weights gather_all(const Part& part);
  // The logarithm of the product of the pivots; nothing where range is lacking.
  std::optional<double> log_sum(const Part& part, const Weights& weights);

  bool find_reach(const Weights& weights, bool single, bool first, double* reach, std::size_t size);
  bool find_reach_of_two(const Weights& weights, bool single, bool first, double* reach,
                         std::size_t size);
  bool find_half(const Weights& weights, bool single, bool front, bool first, double* reach,
                 std::size_t size);
  void carry_back(const Weights& eliminated, std::size_t kept, double* reach, std::size_t size);
  void put(const Part& part, const Weights& weights, const double* reach, double* marginals,
           std::size_t pitch, ExactSum& entropy);

  // The kernels, in steps after which the call can be stopped.
  bool eliminate(double* weights, std::size_t size, std::size_t words, std::size_t keep,
                 bool single);
  void multiply_add(double* c, std::size_t size_c, const double* a, std::size_t size_a,
                    const double* b, std::size_t size_b, std::size_t m, std::size_t n,
                    std::size_t k);

  double* take(std::size_t count);

  const panels::Kernels* kernels_;
  std::size_t nodes_ = 0, size_ = 0;
  bool single_ = false, dear_root_ = false;
  Buffer weights_, scaled_;    // [dependent][head], columns of size_
  std::vector<double> shift_;  // of each column
  ExactSum total_shift_;
  std::vector<Part> parts_;
  std::vector<double> pivots_;  // the D of the words of a part, the last word's first
  Buffer arena_;                // room for all that take() gives
  std::size_t taken_ = 0;
};

}  // namespace coppice::distribution
