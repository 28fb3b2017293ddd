// The cheapest swaps of a tree, in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace coppice::engine {

// Swap has a cost, of type W, and an edge.
template <class W, class Swap>
class CheapestSwaps {
 public:
  // None above `limit`, and at most `most` of them (at least 1).
  CheapestSwaps(W limit, std::size_t most, std::vector<Swap>& swaps)
      : limit_(limit), most_(most), swaps_(swaps) {
    swaps_.clear();
  }

  void add(const Swap& swap) {
    if (limit_ < swap.cost) return;
    swaps_.push_back(swap);
    if (swaps_.size() / 2 >= most_) keep_cheapest();
  }
  // What costs more need not be added any more. It is as low as it can be after tighten().
  W limit() const { return limit_; }
  std::size_t most() const { return most_; }
  void tighten() {
    if (swaps_.size() >= most_) keep_cheapest();
  }

  // When all have been added. True if some may have been left out for being too many.
  bool sort() {
    if (swaps_.size() > most_) keep_cheapest();
    std::sort(swaps_.begin(), swaps_.end(), cheaper);
    return too_many_;
  }

 private:
  static bool cheaper(const Swap& a, const Swap& b) {
    return a.cost < b.cost || (!(b.cost < a.cost) && a.edge < b.edge);
  }
  void keep_cheapest() {
    const auto last = swaps_.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
    std::nth_element(swaps_.begin(), last, swaps_.end(), cheaper);
    limit_ = last->cost;
    too_many_ = true;  // or will be: from now on what costs more is not even added
    swaps_.resize(most_);
  }

  W limit_;
  std::size_t most_;
  std::vector<Swap>& swaps_;
  bool too_many_ = false;
};

}  // namespace coppice::engine
