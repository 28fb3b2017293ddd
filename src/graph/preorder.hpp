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
    first_child_.assign(place_of(nodes), kNoNode);
    next_sibling_.resize(place_of(nodes));
    for (Node v = nodes - 1; v > 0; --v) {
      Node& first = first_child_[up(v)];
      next_sibling_[v] = first;
      first = v;
    }
    node_.clear();
    place_.resize(place_of(nodes));
    end_.resize(place_of(nodes));
    for (Node v = 0; v != kNoNode;) {
      place_[v] = node_.end_index();
      node_.push_back(v);
      if (first_child_[v] != kNoNode) {
        v = first_child_[v];
        continue;
      }
      end_[v] = node_.end_index();
      while (v != 0 && next_sibling_[v] == kNoNode) {
        v = up(v);
        end_[v] = node_.end_index();
      }
      v = v == 0 ? kNoNode : next_sibling_[v];
    }
  }

  Node node(Place place) const { return node_[place]; }
  Place place(Node v) const { return place_[v]; }
  // The place after the last one that hangs from v.
  Place end(Node v) const { return end_[v]; }
  // Does u hang from v, or is it v?
  bool is_below(Node u, Node v) const { return place_[v] <= place_[u] && place_[u] < end_[v]; }
  // All nodes but the root, in preorder.
  std::span<const Node> words() const { return std::span<const Node>(node_).subspan(1); }

 private:
  Indexed<Place, Node> node_;
  Indexed<Node, Place> place_, end_;
  Indexed<Node, Node> first_child_, next_sibling_;
};

}  // namespace coppice
