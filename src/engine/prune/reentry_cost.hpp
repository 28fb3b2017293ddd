// What an edge must pay beside its reduced cost because of contracted components
// (docs/internals/proofs.md).
//
// Every tree enters every component; each time it enters one again costs -y of that component. The
// best tree enters each component once, at its `entry`. So an edge that enters a component
// elsewhere pays -y, unless the entry turns to an edge from inside. And an edge into an entry from
// inside leaves the component to be entered by another edge.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <vector>

#include "engine/solve/certified_tree.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class ReentryCost {
 public:
  explicit ReentryCost(const Tuning& tuning) : tuning_(tuning) {}

  // Starts a round with these edges. Without contracted components there is nothing to pay.
  void start(const CandidateList& candidates, const std::vector<CandidateId>& kept,
             const ReducedCost& reduced);

  // What an affordable tree with this edge pays for it at least. Nodes above the dependent must be
  // settled. Beyond `room` it need not be sharp.
  struct Cost {
    double own;     // adds up with that of other edges
    double shared;  // may be the cost of another edge
  };
  Cost cost(const Candidate& edge, double room) const {
    return contracted_ ? cost_of_entering(edge, room) : Cost{0.0, 0.0};
  }

  // Tells which edges into v are left: first keep() for each of them, then settle().
  void keep(const Candidate& edge) {
    if (contracted_) note_if_inside(edge);
  }
  void settle(Node v) {
    if (contracted_) pass_outwards(v);
  }

  // When all is settled: may the entry of a component turn to an edge from inside, in a tree that
  // has an edge which leaves so much room? Then an edge that enters elsewhere did not pay for it.
  bool may_turn(Component c, double room) const {
    return from_inside_[c] <= room && from_inside_[c] < kNever;
  }

 private:
  Cost cost_of_entering(const Candidate& edge, double room) const;
  void note_if_inside(const Candidate& edge);
  void pass_outwards(Node v);
  void find_crossings(const CandidateList& candidates, const std::vector<CandidateId>& kept);
  void find_other_entries();
  double other_entry(Component c, Component member) const;

  Tuning tuning_;
  const ReducedCost* reduced_ = nullptr;
  bool contracted_ = false;
  // Per component c: the least reduced cost of an edge that enters both c and the component around
  // it, other than into the entry of the latter.
  Indexed<Component, double> crossing_;
  // Per component: the same over all members but the one that has the entry.
  Indexed<Component, double> beside_;
  // Per component: what other edges cost at least that enter it, and all components around it that
  // have the same entry, elsewhere than there.
  Indexed<Component, double> elsewhere_;
  // Per component: the least reduced cost of an edge from inside into its entry.
  Indexed<Component, double> from_inside_;
  std::vector<CandidateId> by_cost_;
  Indexed<Component, Component> open_;
};

}  // namespace coppice::engine
