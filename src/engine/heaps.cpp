#include "engine/heaps.hpp"

#include <algorithm>

namespace coppice::engine {
namespace {

constexpr std::size_t kBelow = 4;  // entries below one

}  // namespace

void Heaps::reset(Node nodes) {
  offset_.resize(place_of(nodes));
  free_.clear();
  for (Heap heap = heaps_.end_index(); --heap >= Heap(0);) free_.push_back(heap);
}

Heap Heaps::make() {
  if (free_.empty()) {
    heaps_.push_back({});
    return Heap(heaps_.end_index().value() - 1);
  }
  const Heap heap = free_.back();
  free_.pop_back();
  heaps_[heap].entries.clear();
  heaps_[heap].level = 0.0;
  heaps_[heap].nodes = 0;
  return heap;
}

// Up to rounding no key is above what was taken off last.
void Heaps::add(Heap heap, Node v, double weight, double y) {
  Content& to = heaps_[heap];
  ++to.nodes;
  if (weight == kNoWeight) return;
  offset_[v] = to.level - y;
  rise(to.entries, {std::min(weight + offset_[v], to.level), v});
}

void Heaps::move(Heap from, Heap to) {
  const Content& gone = heaps_[from];
  Content& kept = heaps_[to];
  kept.nodes += gone.nodes;
  for (const Entry& entry : gone.entries) {
    offset_[entry.node] = (offset_[entry.node] - gone.level) + kept.level;
    rise(kept.entries, {(entry.key - gone.level) + kept.level, entry.node});
  }
  free_.push_back(from);
}

Node Heaps::pop(Heap heap) {
  std::vector<Entry>& entries = heaps_[heap].entries;
  const Entry last = entries.back();
  entries.pop_back();
  return entries.empty() ? kNoNode : fall(entries, last);
}

Node Heaps::change(Heap heap, double weight) {
  Content& content = heaps_[heap];
  const Node v = content.entries.front().node;
  return fall(content.entries, {std::min(weight + offset_[v], content.level), v});
}

// From the end.
void Heaps::rise(std::vector<Entry>& entries, Entry entry) {
  std::size_t i = entries.size();
  entries.push_back(entry);
  for (; i > 0 && entries[(i - 1) / kBelow].key < entry.key; i = (i - 1) / kBelow)
    entries[i] = entries[(i - 1) / kBelow];
  entries[i] = entry;
}

// From the top.
Node Heaps::fall(std::vector<Entry>& entries, Entry entry) {
  std::size_t i = 0;
  Node near = kNoNode;
  for (std::size_t first; (first = kBelow * i + 1) < entries.size();) {
    const std::size_t end = std::min(first + kBelow, entries.size());
    std::size_t best = first;
    for (std::size_t j = first + 1; j < end; ++j)
      if (entries[j].key > entries[best].key) best = j;
    if (!(entries[best].key > entry.key)) break;
    entries[i] = entries[best];
    if (i > kBelow && i <= kBelow + kBelow * kBelow) near = entries[i].node;
    i = best;
  }
  entries[i] = entry;
  return near;
}

}  // namespace coppice::engine
