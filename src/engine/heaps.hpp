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
  void sink(Heap heap) { heaps_[heap].level = heaps_[heap].entries.top().key; }
  // All nodes of a heap, which is gone then.
  void move(Heap from, Heap to);
  // These return a node that has come near the top, or kNoNode: it will soon be asked for.
  Node pop(Heap heap);
  // The node on top has another edge now, of no larger weight.
  Node change(Heap heap, double weight);

  bool empty(Heap heap) const { return heaps_[heap].entries.empty(); }
  // Nodes that were ever added.
  Node nodes(Heap heap) const { return heaps_[heap].nodes; }
  Node top(Heap heap) const { return heaps_[heap].entries.top().node; }
  double key(Heap heap) const { return heaps_[heap].entries.top().key - heaps_[heap].level; }

 private:
  struct Entry {
    double key;  // with the level
    Node node;
  };
  static constexpr Entry kNothing{kNoWeight, kNoNode};
  // One heap. The four entries below one share a cache line.
  class Entries {
   public:
    void clear();
    bool empty() const { return end_ == kTop; }
    const Entry& top() const { return (*this)[kTop]; }
    template <class Visit>
    void for_each(Visit visit) const {
      for (std::size_t i = kTop; i < end_; ++i) visit((*this)[i]);
    }
    void add(Entry entry);
    // These return a node that has come near the top, or kNoNode.
    Node pop();
    Node change_top(Entry entry);

   private:
    static constexpr std::size_t kBelow = 4, kTop = kBelow - 1;
    struct alignas(kBelow * sizeof(Entry)) Line {
      Entry entries[kBelow];
    };
    static std::size_t above(std::size_t i) { return i / kBelow + kTop - 1; }
    static std::size_t below(std::size_t i) { return kBelow * (i - kTop + 1); }
    Entry& operator[](std::size_t i) { return lines_[i / kBelow].entries[i % kBelow]; }
    const Entry& operator[](std::size_t i) const { return lines_[i / kBelow].entries[i % kBelow]; }

    std::vector<Line> lines_;
    std::size_t end_ = kTop;
  };
  struct Content {
    Entries entries;
    double level = 0.0;  // what is taken off all keys
    Node nodes = 0;
  };

  Indexed<Heap, Content> heaps_;
  std::vector<Heap> free_;
  Indexed<Node, double> offset_;  // of the key of a node over the weight of its edge
};

}  // namespace coppice::engine
