// What all best trees have in common (docs/internals/proofs.md): the tight edges, and the nested
// sets that each of them enters exactly once.
#pragma once

#include <coppice/problem.hpp>
#include <cstdint>
#include <vector>

#include "engine/solve/indices.hpp"
#include "graph/intervals.hpp"

namespace coppice::engine {

// A set and its members, each a node or a smaller set, with the tight edges between them.
struct TightLevel {
  struct Arc {
    std::int32_t source, target;  // members; kOutside: from the root
    Node into;                    // the node that it enters
    std::size_t edge;             // place in the support
  };
  static constexpr std::int32_t kOutside = -1;

  Component set;
  std::vector<Component> members = {};
  std::vector<Arc> arcs = {};
};

struct TightFamily {
  // False: there is no tree. Throws Error for bad input.
  bool build(Graph graph, const Problem& problem);

  std::vector<TightLevel> levels;  // sets before those that contain them; last all nodes but 0
  Intervals<Component> intervals;  // places of nodes, those of a set side by side
  std::size_t components = 0;      // more than any number of a member
};

}  // namespace coppice::engine
