// Nodes in max-heaps that can be merged, each by the weight of one edge into it, with an amount
// still to be taken off all keys of a heap: skew heaps over an array, one cell per node.
#pragma once

#include "engine/indices.hpp"

namespace coppice::engine {

// A heap is named by the node on top of it; kNoNode is one without nodes.
class Heaps {
 public:
  void reset(Node nodes) { cells_.resize(place_of(nodes)); }
  void make(Node v, double weight) { cells_[v] = {weight, 0.0, 0.0, kNoNode, kNoNode}; }
  // The heap with the nodes of both.
  Node merge(Node a, Node b);
  Node pop(Node top);
  // The node on top has another edge now.
  Node change(Node top, double weight);
  double key(Node top) const { return cells_[top].weight - cells_[top].taken; }
  // Takes y off every key of the heap.
  void subtract(Node top, double y) {
    cells_[top].taken += y;
    cells_[top].owed += y;
  }

 private:
  void settle(Node v);

  struct Cell {
    double weight;
    double taken;  // off the weight
    double owed;   // to be taken off below
    Node left, right;
  };
  Indexed<Node, Cell> cells_;
};

}  // namespace coppice::engine
