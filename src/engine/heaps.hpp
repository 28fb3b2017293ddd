// Nodes in max-heaps that can be merged, each by the weight of one edge into it, with an amount
// taken off all keys of a heap (docs/engine.md, section 1): arrays, of which the one of fewer nodes
// is emptied into the other, so that a node moves O(log N) times.
#pragma once

#include <vector>

#include "engine/indices.hpp"

namespace coppice::engine {

using Heap = Index<struct HeapKind>;
inline constexpr Heap kNoHeap;

class Heaps {
 public:
  void reset(Node nodes);

  Heap make();  // without nodes
  // A node with an edge of this weight, of which y is to be taken off; kNoWeight: it has none.
  void add(Heap heap, Node v, double weight, double y);
  // Takes the key on top off every key of the heap.
  void sink(Heap heap) { heaps_[heap].level = heaps_[heap].entries.front().key; }
  // All nodes of a heap, which is gone then.
  void move(Heap from, Heap to);
  // These return a node that has come near the top, or kNoNode: it will soon be asked for.
  Node pop(Heap heap);
  // The node on top has another edge now, of no larger weight.
  Node change(Heap heap, double weight);

  bool empty(Heap heap) const { return heaps_[heap].entries.empty(); }
  // Nodes that were ever added.
  Node nodes(Heap heap) const { return heaps_[heap].nodes; }
  Node top(Heap heap) const { return heaps_[heap].entries.front().node; }
  double key(Heap heap) const { return heaps_[heap].entries.front().key - heaps_[heap].level; }

 private:
  struct Entry {
    double key;  // with the level
    Node node;
  };
  struct Content {
    std::vector<Entry> entries;
    double level = 0.0;  // what is taken off all keys
    Node nodes = 0;
  };
  static void rise(std::vector<Entry>& entries, Entry entry);
  static Node fall(std::vector<Entry>& entries, Entry entry);

  Indexed<Heap, Content> heaps_;
  std::vector<Heap> free_;
  Indexed<Node, double> offset_;  // of the key of a node over the weight of its edge
};

}  // namespace coppice::engine
