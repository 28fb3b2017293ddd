// Nested sets of nodes as intervals: the nodes are lined up so that the nodes of every set stand
// side by side.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <span>

#include "graph/indexed.hpp"

namespace coppice {

// C is the index of a set; the sets of one node come first, C(v) being that of node v.
template <class C>
class Intervals {
 public:
  // parent: the smallest set around each set, or C(-1). Sets come after those that they contain.
  void build(Node nodes, const Indexed<C, C>& parent) {
    constexpr C kNone(-1);
    interval_.assign(parent.size(), {0, 0});  // for now: the size
    for (C c(0); c < parent.end_index(); ++c) {
      if (c < C(nodes)) interval_[c].end = 1;
      if (parent[c] != kNone) interval_[parent[c]].end += interval_[c].end;
    }
    free_.resize(parent.size());
    node_.resize(place_of(nodes));
    std::int32_t outside = 0;
    for (C c = parent.end_index(); --c >= C(0);) {
      std::int32_t& free = parent[c] == kNone ? outside : free_[parent[c]];
      const std::int32_t size = interval_[c].end;
      interval_[c] = {free, free + size};
      free_[c] = free;
      if (c < C(nodes)) node_[free] = c.value();
      free += size;
    }
  }

  bool contains(C c, Node v) const {
    const std::int32_t place = interval_[C(v)].begin;
    return interval_[c].begin <= place && place < interval_[c].end;
  }

  // The nodes in line, and where those of a set stand.
  std::span<const Node> nodes() const { return {node_.data(), node_.size()}; }
  std::size_t begin(C c) const { return static_cast<std::size_t>(interval_[c].begin); }
  std::size_t end(C c) const { return static_cast<std::size_t>(interval_[c].end); }

 private:
  struct Interval {
    std::int32_t begin, end;
  };
  Indexed<C, Interval> interval_;
  Indexed<C, std::int32_t> free_;  // the next free place inside a set
  Indexed<std::int32_t, Node> node_;
};

}  // namespace coppice
