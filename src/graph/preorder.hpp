// A tree laid out in preorder: what hangs from a node stands right behind it.
#pragma once

#include <coppice/graph.hpp>
#include <span>

#include "graph/indexed.hpp"

namespace coppice {

class Preorder {
 public:
  using Place = Index<struct PlaceKind>;

  // up(v): what the node v hangs from; everything hangs from node 0 in the end.
  template <class Up>
  void build(Node nodes, Up up) {
    entries_.assign(place_of(nodes), Entry{});
    for (Node v = nodes - 1; v > 0; --v) {
      const Node above = up(v);
      Node& first = entries_[above].first_child;
      entries_[v].next = first == kNoNode ? ~above : first;
      first = v;
    }
    node_.clear();
    for (Node v = 0;;) {
      entries_[v].place = node_.end_index();
      node_.push_back(v);
      if (entries_[v].first_child != kNoNode) {
        v = entries_[v].first_child;
        continue;
      }
      entries_[v].end = node_.end_index();
      for (; v != 0 && entries_[v].next < 0; entries_[v].end = node_.end_index())
        v = ~entries_[v].next;
      if (v == 0) return;
      v = entries_[v].next;
    }
  }

  Node node(Place place) const { return node_[place]; }
  Place place(Node v) const { return entries_[v].place; }
  // The place after the last one that hangs from v.
  Place end(Node v) const { return entries_[v].end; }
  // Does u hang from v, or is it v?
  bool is_below(Node u, Node v) const {
    return entries_[v].place <= entries_[u].place && entries_[u].place < entries_[v].end;
  }
  // All nodes but the root, in preorder.
  std::span<const Node> words() const { return std::span<const Node>(node_).subspan(1); }

 private:
  struct Entry {
    Node first_child = kNoNode;
    Node next = kNoNode;  // sibling; of the last one ~ the node that it hangs from
    Place place, end;
  };
  Indexed<Place, Node> node_;
  Indexed<Node, Entry> entries_;
};

}  // namespace coppice
