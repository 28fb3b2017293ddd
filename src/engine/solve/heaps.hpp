// Nodes in max-heaps that can be merged, each by the gain of one edge into it, with an amount taken
// off all keys of a heap: arrays, of which the one of fewer nodes is emptied into the other, so that
// a node moves O(log N) times.
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
    gone.entries.for_each([&](const Entry& entry) {
      offset_[entry.node] += rise;
      kept.entries.add({entry.key + rise, entry.node});
    });
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
  // One heap. The four entries below one share a cache line where W is a double.
  class Entries {
   public:
    void clear() {
      lines_.clear();
      end_ = kTop;
    }
    bool empty() const { return end_ == kTop; }
    const Entry& top() const { return (*this)[kTop]; }
    template <class Visit>
    void for_each(Visit visit) const {
      for (std::size_t i = kTop; i < end_; ++i) visit((*this)[i]);
    }
    // It rises from the end.
    void add(const Entry& entry) {
      std::size_t i = end_++;
      // What is behind the end is below everything.
      while (end_ > kBelow * lines_.size())
        lines_.push_back({nothing(), nothing(), nothing(), nothing()});
      for (; i > kTop && (*this)[above(i)].key < entry.key; i = above(i))
        (*this)[i] = (*this)[above(i)];
      (*this)[i] = entry;
    }
    // These return a node that has come near the top, or kNoNode.
    Node pop() {
      const Entry last = std::exchange((*this)[--end_], nothing());
      return empty() ? kNoNode : change_top(last);
    }
    // It falls from the top.
    Node change_top(const Entry& entry) {
      std::size_t i = kTop;
      Node near = kNoNode;
      for (std::size_t first; (first = below(i)) < end_;) {
        const Entry* line = lines_[first / kBelow].entries;
        const std::size_t left = line[1].key > line[0].key ? 1 : 0;
        const std::size_t right = line[3].key > line[2].key ? 3 : 2;
        const std::size_t best = line[right].key > line[left].key ? right : left;
        if (!(line[best].key > entry.key)) break;
        (*this)[i] = line[best];
        if (i > kTop + kBelow && i <= kTop + kBelow + kBelow * kBelow) near = line[best].node;
        i = first + best;
      }
      (*this)[i] = entry;
      return near;
    }

   private:
    static constexpr std::size_t kBelow = 4, kTop = kBelow - 1;
    struct alignas(sizeof(Entry) == 16 ? kBelow * sizeof(Entry) : alignof(Entry)) Line {
      Entry entries[kBelow];
    };
    static Entry nothing() { return {lowest<W>(), kNoNode}; }
    static std::size_t above(std::size_t i) { return i / kBelow + kTop - 1; }
    static std::size_t below(std::size_t i) { return kBelow * (i - kTop + 1); }
    Entry& operator[](std::size_t i) { return lines_[i / kBelow].entries[i % kBelow]; }
    const Entry& operator[](std::size_t i) const {
      return lines_[i / kBelow].entries[i % kBelow];
    }

    std::vector<Line> lines_;
    std::size_t end_ = kTop;
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
