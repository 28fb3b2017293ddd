// Puts scores in order, the best first and of equal ones the first found. The branches of a sort
// that compares cannot be predicted and take longer than all else it does, so this one counts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/tuning.hpp"

namespace coppice::engine {

class Order {
 public:
  explicit Order(const Tuning& tuning) : tuning_(tuning) {}

  // The indices of the scores in order; valid until the next call. Pads `scores`.
  std::vector<std::uint32_t>& of(std::vector<double>& scores);
  std::vector<std::uint32_t>& of(const std::vector<std::int64_t>& scores);

 private:
  struct Entry {
    std::uint64_t key;  // small for good scores
    std::uint32_t index;
  };

  void count(std::vector<double>& scores);
  void sort_entries();
  void sort_buckets();
  void deal(std::uint64_t least, unsigned shift);

  Tuning tuning_;
  std::vector<std::uint32_t> order_;
  std::vector<std::int64_t> better_;
  std::vector<std::uint32_t> equal_;
  std::vector<Entry> entries_, dealt_;
  std::array<std::uint32_t, 256> ends_;  // of what deal() put together
};

}  // namespace coppice::engine
