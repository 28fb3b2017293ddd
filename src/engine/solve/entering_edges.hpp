// The best edge into a component that does not come from the root: of nodes that are alone, and of
// cycles that were merged, whose gains are less what their members picked.
#pragma once

#include <coppice/graph.hpp>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "engine/solve/edge_lists.hpp"
#include "engine/solve/heaps.hpp"
#include "graph/forest.hpp"

namespace coppice::engine {

// An edge and where it leads: whoever follows edges need not look at all of them.
struct Pick {
  Slot edge;
  Node source = kNoNode, target = kNoNode;
  bool exists() const { return edge != kNoSlot; }
};

template <class W>
struct Entering {
  W key = lowest<W>();  // the gain, less what was picked inside
  Pick pick;
  bool exists() const { return pick.exists(); }
};

template <class W>
class EnteringEdges {
 public:
  // The lists must stay as they are; the forest says what is inside a component.
  void start(const EdgeLists<W>& lists, Forest<Component>& forest);
  Entering<W> best(Component c);
  // The members of a cycle became one component in the forest. Each had picked the edge that best()
  // said, of the key y.
  void merge(std::span<const Component> cycle, const Indexed<Component, W>& y);

 private:
  static constexpr std::size_t kUnsorted = std::numeric_limits<std::size_t>::max();

  bool is_node(Component c) const { return c < Component(lists_->nodes()); }
  bool is_inside(Node v, Component c) { return forest_->top(Component(v)) == c; }
  Slot next_edge(Node v, Component around);
  std::size_t sort_edges(Node v);

  const EdgeLists<W>* lists_ = nullptr;
  Forest<Component>* forest_ = nullptr;
  Heaps<W> heaps_;
  Indexed<Component, Heap> heap_;  // of those that are no nodes
  // The edge by which a node is in its heap, if it has been looked for, and its place in the order
  // of the edges into the node, if they are sorted.
  struct InHeap {
    Slot edge;
    std::size_t place = kUnsorted;
  };
  Indexed<Node, InHeap> in_heap_;
  std::vector<Slot> sorted_;  // where they had to be: the edges into one node after the other
};

}  // namespace coppice::engine
