#include "engine/heaps.hpp"

#include <algorithm>
#include <utility>

namespace coppice::engine {

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
  to.entries.add({std::min(weight + offset_[v], to.level), v});
}

void Heaps::move(Heap from, Heap to) {
  const Content& gone = heaps_[from];
  Content& kept = heaps_[to];
  kept.nodes += gone.nodes;
  gone.entries.for_each([&](const Entry& entry) {
    offset_[entry.node] = (offset_[entry.node] - gone.level) + kept.level;
    kept.entries.add({(entry.key - gone.level) + kept.level, entry.node});
  });
  free_.push_back(from);
}

Node Heaps::pop(Heap heap) { return heaps_[heap].entries.pop(); }

Node Heaps::change(Heap heap, double weight) {
  Content& content = heaps_[heap];
  const Node v = content.entries.top().node;
  return content.entries.change_top({std::min(weight + offset_[v], content.level), v});
}

void Heaps::Entries::clear() {
  lines_.clear();
  end_ = kTop;
}

// It rises from the end.
void Heaps::Entries::add(Entry entry) {
  std::size_t i = end_++;
  // What is behind the end is below everything.
  while (end_ > kBelow * lines_.size()) lines_.push_back({kNothing, kNothing, kNothing, kNothing});
  for (; i > kTop && (*this)[above(i)].key < entry.key; i = above(i))
    (*this)[i] = (*this)[above(i)];
  (*this)[i] = entry;
}

Node Heaps::Entries::pop() {
  const Entry last = std::exchange((*this)[--end_], kNothing);
  return empty() ? kNoNode : change_top(last);
}

// It falls from the top.
Node Heaps::Entries::change_top(Entry entry) {
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

}  // namespace coppice::engine
