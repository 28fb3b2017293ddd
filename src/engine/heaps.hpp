// Edges in max-heaps that can be merged, each heap with an amount still to be taken off all its
// keys: skew heaps over arrays, one cell per edge.
#pragma once

#include "engine/indices.hpp"

namespace coppice::engine {

class Heaps {
 public:
  void reset(std::size_t cells) { cells_.resize(cells); }
  void make(Slot cell, double key) { cells_[cell] = {key, 0.0, kNoSlot, kNoSlot}; }
  // The heap with the edges of both; kNoSlot is one without edges.
  Slot merge(Slot a, Slot b);
  Slot pop(Slot top);
  double key(Slot top) const { return cells_[top].key; }
  // Takes y off every key of the heap.
  void subtract(Slot top, double y) {
    cells_[top].key -= y;
    cells_[top].owed -= y;
  }

 private:
  void settle(Slot cell);

  struct Cell {
    double key;
    double owed;  // to be added to the keys below
    Slot left, right;
  };
  Indexed<Slot, Cell> cells_;
};

}  // namespace coppice::engine
