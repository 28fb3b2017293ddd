// Parts of a graph that are connected, as they grow together.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <numeric>
#include <vector>

#include "graph/indexed.hpp"

namespace coppice {

class JoinedParts {
 public:
  explicit JoinedParts(Node nodes) : up_(place_of(nodes)) { std::iota(up_.begin(), up_.end(), 0); }

  // The first node of the part.
  Node of(Node node) {
    while (up_[place_of(node)] != node)
      node = up_[place_of(node)] = up_[place_of(up_[place_of(node)])];
    return node;
  }
  // False: they are one already.
  bool join(Node one, Node other) {
    one = of(one), other = of(other);
    up_[place_of(std::max(one, other))] = std::min(one, other);
    return one != other;
  }

 private:
  std::vector<Node> up_;  // towards the first node of what is known of the part
};

}  // namespace coppice
