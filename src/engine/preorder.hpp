// A tree laid out in preorder.
#pragma once

#include <coppice/graph.hpp>
#include <vector>

#include "engine/solution.hpp"

namespace coppice::engine {

// The best tree laid out in preorder: descendants of v are the nodes at places [place, end).
struct Preorder {
  void build(const std::vector<Node>& head);

  std::vector<Node> node;   // at a place
  std::vector<Node> place;  // of a node
  std::vector<Node> end;    // of a node

 private:
  std::vector<Node> next_;
};

}  // namespace coppice::engine
