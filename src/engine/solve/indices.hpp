// What the engine counts, each by an index of its own kind. Nodes are those of the interface.
#pragma once

#include <coppice/graph.hpp>

#include "graph/indexed.hpp"

namespace coppice::engine {

// A node, or several contracted to one. Component(v) is the node v alone; others follow after their
// members.
using Component = Index<struct ComponentKind>;
inline constexpr Component kNoComponent;

// A node of the reduced graph, in preorder of the best tree.
using KernelNode = Index<struct KernelNodeKind>;
inline constexpr KernelNode kKernelRoot;  // what hangs from nothing

// An edge outside the best tree.
using CandidateId = Index<struct CandidateKind>;
inline constexpr CandidateId kNoCandidate;

// An edge in the arrays of the sparse solver.
using Slot = Index<struct SlotKind>;
inline constexpr Slot kNoSlot;

// Of indices that lead on to others, or to none, until one leads to itself: the one that is reached
// from i. All on the way lead farther on from then on.
template <class I>
I last_of(Indexed<I, I>& next, I i) {
  constexpr I kNone;
  while (i != kNone && next[i] != i) {
    const I on = next[i];
    if (on != kNone) next[i] = next[on];
    i = on;
  }
  return i;
}

}  // namespace coppice::engine
