#include "engine/solve/entering_edges.hpp"

#include <hwy/cache_control.h>

#include <algorithm>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
void EnteringEdges<W>::start(const EdgeLists<W>& lists, Forest<Component>& forest) {
  lists_ = &lists;
  forest_ = &forest;
  heaps_.reset(lists.nodes());
  heap_.resize(place_of(lists.nodes()));
  in_heap_.resize(place_of(lists.nodes()));
  sorted_.clear();
}

template <class W>
Entering<W> EnteringEdges<W>::best(Component c) {
  if (is_node(c)) {
    const auto& best = lists_->best(c.value());
    return {best.gain, {best.edge, best.source, c.value()}};
  }
  const Heap heap = heap_[c];
  constexpr std::int32_t kPerLine =
      std::max<std::int32_t>(1, 64 / sizeof(typename EdgeLists<W>::Edge));
  if (heaps_.nodes(heap) == lists_->nodes() - 1) return {};  // only the root is outside
  while (!heaps_.empty(heap)) {
    const Node v = heaps_.top(heap);
    if (const Slot known = in_heap_[v].edge; known != kNoSlot) {
      const Node source = lists_->edge(known).source;
      if (!is_inside(source, c)) return {heaps_.key(heap), {known, source, v}};
    }
    const Slot next = next_edge(v, c);
    const Node near =
        next == kNoSlot ? heaps_.pop(heap) : heaps_.change(heap, lists_->edge(next).gain);
    if (near == kNoNode) continue;
    // What next_edge() is soon going to look at. (Not in a function of its own: a compiler that
    // sees no effect takes its calls away.)
    hwy::Prefetch(in_heap_.data() + place_of(near));
    Slot e = lists_->begin(near);
    for (int lines = 0; lines < 3 && e < lists_->end(near); ++lines, e = Slot(e.value() + kPerLine))
      hwy::Prefetch(&lists_->edge(e));
  }
  return {};
}

// The best edge into a node that comes from outside the component, but not from the root; or
// kNoSlot. What is inside stays inside, so that in the order of their gains edges are passed over
// but once; of few edges the best one is found sooner than their order.
template <class W>
Slot EnteringEdges<W>::next_edge(Node v, Component around) {
  constexpr std::int32_t kFew = 16;
  auto enters = [&](const typename EdgeLists<W>::Edge& edge) {
    return edge.source != 0 && !is_inside(edge.source, around);
  };
  auto [edge, place] = in_heap_[v];
  edge = kNoSlot;
  if (lists_->is_sorted()) {
    if (place == kUnsorted) place = place_of(lists_->begin(v));
    for (; edge == kNoSlot && place < place_of(lists_->end(v)); ++place) {
      const Slot e(static_cast<std::int32_t>(place));
      if (lists_->may_take(e) && enters(lists_->edge(e))) edge = e;
    }
  } else if (lists_->count(v) <= kFew) {
    W gain = lowest<W>();
    for (Slot e = lists_->begin(v); e < lists_->end(v); ++e)
      if (const auto& other = lists_->edge(e); gain < other.gain && enters(other))
        gain = other.gain, edge = e;
  } else {
    if (place == kUnsorted) place = sort_edges(v);
    while (sorted_[place] != kNoSlot && !enters(lists_->edge(sorted_[place]))) ++place;
    edge = sorted_[place];
  }
  in_heap_[v] = {edge, place};
  return edge;
}

// All edges into a node, the best first, and behind them kNoSlot. Returns where the first one
// stands.
template <class W>
std::size_t EnteringEdges<W>::sort_edges(Node v) {
  const std::size_t first = sorted_.size();
  for (Slot e = lists_->begin(v); e < lists_->end(v); ++e) sorted_.push_back(e);
  sort_polling(sorted_.begin() + static_cast<std::ptrdiff_t>(first), sorted_.end(),
               [&](Slot a, Slot b) {
                 const W &gain = lists_->edge(a).gain, &other = lists_->edge(b).gain;
                 return other < gain || (!(gain < other) && a < b);
               });
  sorted_.push_back(kNoSlot);
  return first;
}

// One heap of those of all members, each with what it picked on top. A node that has been alone is
// put there by a bound, its second best edge: most nodes never come to the top.
template <class W>
void EnteringEdges<W>::merge(std::span<const Component> cycle, const Indexed<Component, W>& y) {
  Heap merged = kNoHeap;
  for (Component member : cycle)
    if (!is_node(member) &&
        (merged == kNoHeap || heaps_.nodes(heap_[member]) > heaps_.nodes(merged)))
      merged = heap_[member];
  if (merged == kNoHeap)
    merged = heaps_.make();
  else
    heaps_.sink(merged);
  for (Component member : cycle) {
    poll();
    if (is_node(member)) {
      const Node v = member.value();
      const W& second = lists_->best(v).second;
      in_heap_[v] = {};
      if (second == lowest<W>())
        heaps_.count(merged);
      else
        heaps_.add(merged, v, second, y[member]);
    } else if (heap_[member] != merged) {
      heaps_.sink(heap_[member]);
      heaps_.move(heap_[member], merged);
    }
  }
  heap_.push_back(merged);
}

template class EnteringEdges<double>;
template class EnteringEdges<Wide128>;
template class EnteringEdges<WideAny>;

}  // namespace coppice::engine
