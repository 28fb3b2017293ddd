#include "engine/heaps.hpp"

#include <utility>

namespace coppice::engine {

void Heaps::settle(Slot cell) {
  Cell& entry = cells_[cell];
  if (entry.owed == 0.0) return;
  auto pass_on = [&](Slot below) {
    if (below == kNoSlot) return;
    cells_[below].key += entry.owed;
    cells_[below].owed += entry.owed;
  };
  pass_on(entry.left);
  pass_on(entry.right);
  entry.owed = 0.0;
}

Slot Heaps::merge(Slot a, Slot b) {
  Slot root;
  Slot* place = &root;
  while (a != kNoSlot && b != kNoSlot) {
    if (cells_[b].key > cells_[a].key) std::swap(a, b);
    settle(a);
    *place = a;
    Cell& entry = cells_[a];
    a = entry.right;
    entry.right = entry.left;
    place = &entry.left;
  }
  *place = a != kNoSlot ? a : b;
  return root;
}

Slot Heaps::pop(Slot top) {
  settle(top);
  return merge(cells_[top].left, cells_[top].right);
}

}  // namespace coppice::engine
