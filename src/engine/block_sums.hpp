// Plain sums, in order, of long sequences that differ in few places from one.
//
// Say the sums s of the one sequence and t = s + d of another take the same next number w. As long
// as both stay inside one binade, s and t are multiples of its unit in the last place, and so is d:
// then round(t + w) = round(s + w) + d, unless s + w lies just between two float64, where the even
// one is taken. So d stays what it is over a whole block of numbers, bit for bit, if it is small
// enough for the sums of that block.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/indices.hpp"

namespace coppice::engine {

class BlockSums {
 public:
  // weights: of nodes 1..N, which stay where they are; so many of them are a block.
  void start(const Indexed<Node, double>& weights, Node block);

  struct Change {
    Node node;
    double weight;
  };
  // The sum over nodes 1..N in order, where some have other weights; their nodes ascend.
  double with(std::span<const Change> changes) const;

  // The sum without changes.
  double sum() const { return prefix_.back(); }
  // with(changes) is sum() and what the changes add to it, up to this, for so many changes at most
  // that, each taken positive, add no more than `magnitude`. Infinity: not known.
  double error(std::size_t changes, double magnitude) const;

 private:
  // The d that leave all sums of a block where rounding is the same: those strictly between.
  struct Shifts {
    double least, most;
    bool allow(double shift) const { return least < shift && shift < most; }
  };
  Shifts shifts(Node first, Node end) const;
  // The first node of a block, or behind the last one.
  Node begin(std::size_t block) const;

  Node block_ = 1;
  const Indexed<Node, double>* weights_ = nullptr;
  Indexed<Node, double> prefix_;  // the sum over nodes 1..v
  double largest_ = 0.0;          // magnitude of such a sum
  std::vector<Shifts> shifts_;    // of each block
  static constexpr std::size_t kGroup = 32;
  std::vector<Shifts> of_group_;  // of so many blocks, but the last ones
};

}  // namespace coppice::engine
