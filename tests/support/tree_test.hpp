// Do edges, one into every node but the root, form a tree?
#pragma once

#include <cstdint>

#include "graph/indexed.hpp"

namespace coppice::testing {

// up(v): where the edge into v comes from.
template <class Up>
bool is_tree(std::int32_t nodes, Up up) {
  constexpr std::int32_t kNobody = -1;
  // The node whose way up met this one first.
  Indexed<std::int32_t, std::int32_t> met_from(place_of(nodes), kNobody);
  met_from[0] = 0;
  for (std::int32_t start = 1; start < nodes; ++start) {
    if (met_from[start] != kNobody) continue;
    std::int32_t v = start;
    for (; met_from[v] == kNobody; v = up(v)) met_from[v] = start;
    if (met_from[v] == start) return false;
  }
  return true;
}

}  // namespace coppice::testing
