// Small sets of nodes of the reduced graph.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/solve/indices.hpp"

namespace coppice::engine {

template <std::size_t Words>
class Bits {
 public:
  static Bits single(KernelNode i) {
    Bits bits;
    bits.set(i);
    return bits;
  }
  void set(KernelNode i) { words_[word(i)] |= mask(i); }
  bool has(KernelNode i) const { return (words_[word(i)] & mask(i)) != 0; }
  bool empty() const {
    std::uint64_t all = 0;
    for (std::uint64_t w : words_) all |= w;
    return all == 0;
  }
  KernelNode lowest() const {  // of a set that is not empty
    std::size_t w = 0;
    while (Words > 1 && words_[w] == 0) ++w;
    return KernelNode(static_cast<std::int32_t>(64 * w) + std::countr_zero(words_[w]));
  }
  KernelNode highest() const {  // likewise
    std::size_t w = Words - 1;
    while (Words > 1 && words_[w] == 0) --w;
    return KernelNode(static_cast<std::int32_t>(64 * w) + 63 - std::countl_zero(words_[w]));
  }

  friend Bits operator|(Bits a, const Bits& b) {
    for (std::size_t w = 0; w < Words; ++w) a.words_[w] |= b.words_[w];
    return a;
  }
  friend Bits operator&(Bits a, const Bits& b) {
    for (std::size_t w = 0; w < Words; ++w) a.words_[w] &= b.words_[w];
    return a;
  }
  // a without b
  friend Bits operator-(Bits a, const Bits& b) {
    for (std::size_t w = 0; w < Words; ++w) a.words_[w] &= ~b.words_[w];
    return a;
  }

 private:
  static std::size_t word(KernelNode i) { return Words == 1 ? 0 : place_of(i) / 64; }
  static std::uint64_t mask(KernelNode i) { return std::uint64_t{1} << (place_of(i) % 64); }

  std::array<std::uint64_t, Words> words_{};
};

}  // namespace coppice::engine
