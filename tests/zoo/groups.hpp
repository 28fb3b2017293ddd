// What the files of the zoo share: the groups of families, and random numbers.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "zoo/zoo.hpp"

namespace coppice::zoo {

std::vector<Family> hard_numbers();
std::vector<Family> hard_shapes();
std::vector<Family> many_cycles();
std::vector<Family> scarce_trees();

inline const std::vector<Node> kDenseSizes = {20, 200, 1000};
inline const std::vector<Node> kSparseSizes = {100, 1000, 30'000};

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  std::uint64_t bits() { return bits_(); }
  // 0 .. count - 1.
  Node below(Node count) { return static_cast<Node>(bits_() % static_cast<std::uint64_t>(count)); }
  // The same as a weight.
  double integer(Node count) { return static_cast<double>(below(count)); }
  // [0, 1).
  double unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double normal() { return normal_(bits_); }
  // The words 1..count in any order, behind the root.
  std::vector<Node> permuted_nodes(Node words) {
    std::vector<Node> order(static_cast<std::size_t>(words) + 1);
    for (Node v = 0; v <= words; ++v) order[static_cast<std::size_t>(v)] = v;
    for (Node v = words; v > 1; --v)
      std::swap(order[static_cast<std::size_t>(v)], order[static_cast<std::size_t>(1 + below(v))]);
    return order;
  }

 private:
  std::mt19937_64 bits_;
  std::normal_distribution<double> normal_;
};

// All edges, each with the weight(head, dependent).
template <class T, class Weight>
Matrix<T> complete(Node words, const Weight& weight) {
  Matrix<T> matrix(words, T{});
  for (Node head = 0; head <= words; ++head)
    for (Node dependent = 1; dependent <= words; ++dependent)
      if (head != dependent) matrix.at(head, dependent) = weight(head, dependent);
  return matrix;
}

}  // namespace coppice::zoo
