// What an edge must pay beside its reduced cost because of contracted components
// (docs/internals/proofs.md).
//
// Every tree enters every component; each time it enters one again costs -y of that component. The
// best tree enters each component once, at its `entry`. So an edge that enters a component
// elsewhere pays -y, unless the entry turns to an edge from inside.
#pragma once

#include <coppice/graph.hpp>

#include "engine/solve/certified_tree.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class ReentryCost {
 public:
  explicit ReentryCost(const Tuning& tuning) : tuning_(tuning) {}

  // Starts a round.
  void start(const ReducedCost& reduced);

  // What a tree with this edge pays for it at least, if it has no more than `room` left; it adds up
  // with that of other edges. Nodes above the dependent must be settled. Beyond `room` it need not
  // be sharp.
  double cost(const Candidate& edge, double room) const;

  // Tells which edges into v are left: first keep() for each of them, then settle().
  void keep(const Candidate& edge);
  void settle(Node v);

  // When all is settled: may the entry of a component turn to an edge from inside, in a tree that
  // has an edge which leaves so much room? Then an edge that enters elsewhere did not pay for it.
  bool may_turn(Component c, double room) const {
    return from_inside_[c] <= room && from_inside_[c] < kNever;
  }

 private:
  Tuning tuning_;
  const ReducedCost* reduced_ = nullptr;
  // Per component: the least reduced cost of an edge from inside into its entry.
  Indexed<Component, double> from_inside_;
};

}  // namespace coppice::engine
