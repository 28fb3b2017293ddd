// Trees leave an enumeration in the order of their reported scores.
//
// An enumeration finds trees in the order of its own arithmetic, which agrees with the reported
// score only up to rounding. InOrder holds a tree back while a tree that is still to come could,
// within that error, have a better score. Where the arithmetic is exact nothing is held back.
#pragma once

#include <algorithm>
#include <cmath>
#include <coppice/tree.hpp>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace coppice {

// Found is what an enumeration yields: movable, with the tree as member `tree`.
template <class Found>
class InOrder {
 public:
  InOrder(bool exact, Objective objective)
      : exact_(exact), sign_(objective == Objective::minimize ? -1.0 : 1.0) {}

  void push(Found found, double absolute_sum) {
    double terms = static_cast<double>(found.tree.heads.size()) + 8;
    error_ = std::max(error_, exact_ ? 0.0 : terms * 0x1p-51 * absolute_sum);
    held_.push_back({sign_ * found.tree.score, sequence_++, std::move(found)});
    std::push_heap(held_.begin(), held_.end());
  }

  // May the best tree held leave, if no tree still to come scores more than bound (to be maximised;
  // nothing: none is to come)? A class of near-equal trees larger than kMostHeld leaves unsorted.
  bool ready(std::optional<double> bound) const {
    if (held_.empty()) return false;
    return exact_ || !bound || held_.front().score >= *bound + error_ || held_.size() >= kMostHeld;
  }

  bool empty() const { return held_.empty(); }

  Found pop() {
    std::pop_heap(held_.begin(), held_.end());
    Found found = std::move(held_.back().found);
    held_.pop_back();
    return found;
  }

 private:
  static constexpr std::size_t kMostHeld = 256;

  struct Held {
    double score;
    std::size_t sequence;
    Found found;
    bool operator<(const Held& other) const {
      return std::pair(score, other.sequence) < std::pair(other.score, sequence);
    }
  };

  std::vector<Held> held_;
  double error_ = 0.0;
  std::size_t sequence_ = 0;
  bool exact_;
  double sign_;
};

}  // namespace coppice
