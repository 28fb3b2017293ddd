// A tree, or the part of it that matters, laid out in preorder: what hangs from a node stands right
// behind it.
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
    for (Node v = nodes - 1; v > 0; --v) hang(v, up(v));
    line_up();
  }

  // Of these nodes and what they hang from alone; no other node has a place.
  template <class Nodes, class Up>
  void build_above(const Nodes& some, Node nodes, Up up) {
    entries_.assign(place_of(nodes), Entry{});
    for (Node v : some)
      for (Node above; v != 0 && entries_[v].next == kNoNode; v = above) hang(v, above = up(v));
    line_up();
  }

  // How many nodes have a place, the root among them.
  std::size_t size() const { return node_.size(); }
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
    Node next = kNoNode;  // sibling; of the last one, from -2 down, the node that it hangs from
    Place place, end;
  };
  // kNoNode, which is -1, is neither a sibling nor a head.
  static constexpr Node turned(Node v) { return -2 - v; }
  static_assert(kNoNode == -1);

  void hang(Node v, Node above) {
    Node& first = entries_[above].first_child;
    entries_[v].next = first == kNoNode ? turned(above) : first;
    first = v;
  }

  void line_up() {
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
        v = turned(entries_[v].next);
      if (v == 0) return;
      v = entries_[v].next;
    }
  }

  Indexed<Place, Node> node_;
  Indexed<Node, Entry> entries_;
};

}  // namespace coppice
