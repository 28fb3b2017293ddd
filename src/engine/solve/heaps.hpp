// Nodes in max-heaps that can be merged, each by the gain of one edge into it, with an amount taken
// off all keys of a heap: arrays, of which the one of fewer nodes is emptied into the other, so
// that a node moves O(log N) times.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/numbers/wide.hpp"
#include "engine/solve/indices.hpp"

namespace coppice::engine {

using Heap = Index<struct HeapKind>;
inline constexpr Heap kNoHeap;

template <class W>
class Heaps {
 public:
  void reset(Node nodes) {
    offset_.resize(place_of(nodes));
    free_.clear();
    for (Heap heap = heaps_.end_index(); --heap >= Heap(0);) free_.push_back(heap);
  }

  Heap make() {  // without nodes
    if (free_.empty()) {
      heaps_.push_back({});
      return Heap(heaps_.end_index().value() - 1);
    }
    const Heap heap = free_.back();
    free_.pop_back();
    heaps_[heap].entries.clear();
    heaps_[heap].level = W{};
    heaps_[heap].nodes = 0;
    return heap;
  }
  // A node whose best edge gains so much, or less; y is to be taken off.
  void add(Heap heap, Node v, const W& gain, const W& y) {
    Content& to = heaps_[heap];
    ++to.nodes;
    offset_[v] = to.level - y;
    to.entries.add({gain + offset_[v], v});
  }
  // A node without an edge.
  void count(Heap heap) { ++heaps_[heap].nodes; }
  // Takes the key on top off every key of the heap.
  void sink(Heap heap) { heaps_[heap].level = heaps_[heap].entries.top().key; }
  // All nodes of a heap, which is gone then.
  void move(Heap from, Heap to) {
    const Content& gone = heaps_[from];
    Content& kept = heaps_[to];
    kept.nodes += gone.nodes;
    const W rise = kept.level - gone.level;
    for (const auto& [key, node] : gone.entries) {
      offset_[node] += rise;
      kept.entries.add({key + rise, node});
    }
    free_.push_back(from);
  }
  // These return a node that has come near the top, or kNoNode: it will soon be asked for.
  Node pop(Heap heap) { return heaps_[heap].entries.pop(); }
  // The node on top has another edge now, of no larger gain.
  Node change(Heap heap, const W& gain) {
    Content& content = heaps_[heap];
    const Node v = content.entries.top().node;
    return content.entries.change_top({gain + offset_[v], v});
  }

  bool empty(Heap heap) const { return heaps_[heap].entries.empty(); }
  // Nodes that were ever added.
  Node nodes(Heap heap) const { return heaps_[heap].nodes; }
  Node top(Heap heap) const { return heaps_[heap].entries.top().node; }
  W key(Heap heap) const { return heaps_[heap].entries.top().key - heaps_[heap].level; }

 private:
  struct Entry {
    W key;  // with the level
    Node node;
  };
  // One heap, every entry above four others.
  class Entries {
   public:
    void clear() { entries_.clear(); }
    bool empty() const { return entries_.empty(); }
    const Entry& top() const { return entries_.front(); }
    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }
    // It rises from the end.
    void add(const Entry& entry) {
      std::size_t i = entries_.size();
      entries_.push_back(entry);
      for (std::size_t above; i > 0 && entries_[above = (i - 1) / kBelow].key < entry.key;
           i = above)
        entries_[i] = entries_[above];
      entries_[i] = entry;
    }
    // These return a node that has come near the top, or kNoNode.
    Node pop() {
      const Entry last = entries_.back();
      entries_.pop_back();
      return empty() ? kNoNode : change_top(last);
    }
    // It falls from the top.
    Node change_top(const Entry& entry) {
      std::size_t i = 0;
      Node near = kNoNode;
      for (std::size_t first; (first = kBelow * i + 1) < entries_.size();) {
        std::size_t best = first;
        const std::size_t end = std::min(first + kBelow, entries_.size());
        for (std::size_t below = first + 1; below < end; ++below)
          best = entries_[below].key > entries_[best].key ? below : best;
        if (!(entries_[best].key > entry.key)) break;
        entries_[i] = entries_[best];
        if (i > kBelow && i <= kBelow + kBelow * kBelow) near = entries_[best].node;
        i = best;
      }
      entries_[i] = entry;
      return near;
    }

   private:
    static constexpr std::size_t kBelow = 4;
    std::vector<Entry> entries_;
  };
  struct Content {
    Entries entries;
    W level{};  // what is taken off all keys
    Node nodes = 0;
  };

  Indexed<Heap, Content> heaps_;
  std::vector<Heap> free_;
  Indexed<Node, W> offset_;  // of the key of a node over the gain of its edge
};

}  // namespace coppice::engine
