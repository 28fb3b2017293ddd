#include "engine/heaps.hpp"

#include <utility>

namespace coppice::engine {

void Heaps::settle(Node v) {
  Cell& cell = cells_[v];
  if (cell.owed == 0.0) return;
  if (cell.left != kNoNode) subtract(cell.left, cell.owed);
  if (cell.right != kNoNode) subtract(cell.right, cell.owed);
  cell.owed = 0.0;
}

Node Heaps::merge(Node a, Node b) {
  Node root = kNoNode;
  Node* place = &root;
  while (a != kNoNode && b != kNoNode) {
    if (key(b) > key(a)) std::swap(a, b);
    settle(a);
    *place = a;
    Cell& cell = cells_[a];
    a = cell.right;
    cell.right = cell.left;
    place = &cell.left;
  }
  *place = a != kNoNode ? a : b;
  return root;
}

Node Heaps::pop(Node top) {
  settle(top);
  return merge(cells_[top].left, cells_[top].right);
}

Node Heaps::change(Node top, double weight) {
  const Node rest = pop(top);
  cells_[top] = {weight, cells_[top].taken, 0.0, kNoNode, kNoNode};
  return merge(rest, top);
}

}  // namespace coppice::engine
