// States of a best-first search, the one of least cost first; of equals one that depends on nothing
// but the order of the calls.
//
// Costs lie in blocks, each with its least. A search for the least of a block is a few vector
// instructions where a heap mispredicts a branch on every level. Meant for up to some thousands of
// states: the blocks are searched one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/simd/simd.hpp"

namespace coppice::engine {

template <class State>
class Frontier {
 public:
  struct Entry {
    double cost;
    State state;
  };

  void clear() {
    std::fill_n(costs_.begin(), slots_, kInfinity);
    std::fill(least_.begin(), least_.end(), kInfinity);
    slots_ = 0;
    free_.clear();
  }
  bool empty() const { return slots_ == free_.size(); }

  void push(double cost, const State& state) {
    std::size_t slot = 0;
    if (free_.empty()) {
      slot = slots_++;
      if (slot == costs_.size()) grow();
      if (slot == kBlock) least_[0] = *std::min_element(costs_.begin(), costs_.begin() + kBlock);
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    costs_[slot] = cost;
    states_[slot] = state;
    if (slots_ > kBlock) least_[slot / kBlock] = std::min(least_[slot / kBlock], cost);
  }

  // Of a frontier that is not empty.
  Entry pop() {
    const simd::Kernels& kernels = simd::kernels();
    std::size_t block = 0, length = simd::padded(slots_);
    if (slots_ > kBlock) {
      block = kernels.least(least_.data(), simd::padded((slots_ + kBlock - 1) / kBlock));
      length = kBlock;
    }
    double* costs = costs_.data() + block * kBlock;
    const std::size_t slot = block * kBlock + kernels.least(costs, length);
    Entry entry{costs_[slot], states_[slot]};
    costs_[slot] = kInfinity;
    free_.push_back(static_cast<std::uint32_t>(slot));
    if (slots_ > kBlock) least_[block] = costs[kernels.least(costs, kBlock)];
    return entry;
  }

 private:
  static constexpr std::size_t kBlock = 64;

  void grow() {
    costs_.resize(costs_.size() + kBlock, kInfinity);
    states_.resize(costs_.size());
    least_.resize(simd::padded(costs_.size() / kBlock), kInfinity);
  }

  std::size_t slots_ = 0;      // in use, or free
  std::vector<double> costs_;  // per slot; infinity where it is free
  std::vector<State> states_;  // per slot
  std::vector<double> least_;  // per block; used from the second block on
  std::vector<std::uint32_t> free_;
};

}  // namespace coppice::engine
