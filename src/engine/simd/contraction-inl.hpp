// The best tree of a dense graph whose greedy heads form cycles: Edmonds' contraction, from the
// columns of gains to the heads, with a certificate (docs/internals/proofs.md). Included once for
// every instruction set, by simd.cpp.
//
// Under the single-root rule the node that gains most by a root edge is the pivot: everything else
// is hung from it without the root. Then the pivot grows, by contracting cycles through it, until
// what is to hang from the root lies inside.
#if defined(COPPICE_ENGINE_CONTRACTION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef COPPICE_ENGINE_CONTRACTION_INL
#undef COPPICE_ENGINE_CONTRACTION_INL
#else
#define COPPICE_ENGINE_CONTRACTION_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/simd/simd.hpp"
#include "graph/lanes-inl.hpp"
#include "graph/poll.hpp"

HWY_BEFORE_NAMESPACE();
namespace coppice::engine::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using coppice::HWY_NAMESPACE::LargestLane;
using coppice::HWY_NAMESPACE::LeastLane;

constexpr double kMissing = -std::numeric_limits<double>::infinity();

// Calls visit(i) with the first of `width` neighbouring indices, until all from `begin` to `end`
// were among them.
template <class Visit>
HWY_INLINE void ForEachStrip(std::size_t begin, std::size_t end, std::size_t width, Visit visit) {
  const std::size_t last = end - begin > width ? end - width : begin;
  for (std::size_t i = begin;; i += width) {
    visit(i < last ? i : last);  // the only call, so that it costs none
    if (i >= last) return;
  }
}

class Contractor {
 public:
  explicit Contractor(Contraction& room)
      : room_(room), nodes_(static_cast<std::int32_t>(room.nodes)), components_(nodes_) {}

  bool Run() {
    if (!Contract()) return false;
    room_.components = components_;
    for (std::int32_t c = 0; c < components_; ++c) room_.parent[c] = -1;
    for (std::int32_t c = nodes_; c < components_; ++c)
      for (std::int32_t j = Begin(c); j < End(c); ++j) room_.parent[room_.members[j]] = c;
    Expand();
    return true;
  }

 private:
  using Tag = hn::CappedTag<double, kLanes>;
  using Integers = hn::RebindToSigned<Tag>;

  // A component other than the pivot may be one that only a root edge enters: it is to be the pivot
  // then, and if there are two there is no tree.
  bool Contract() {
    if (!room_.single_root) return HangFrom(0);
    if (HangFrom(BestRootChild())) return HangFromRoot();
    std::int32_t stuck = room_.stack[size_ - 1];
    while (stuck >= nodes_) stuck = room_.members[Begin(stuck)];
    Restart();
    return HangFrom(stuck) && HangFromRoot();
  }
  // The nodes' own picks are never changed before there is a tree.
  void Restart() {
    components_ = nodes_;
    size_ = 0;
    listed_ = 0;
  }

  double* Column(std::int32_t c) const {
    return room_.columns + static_cast<std::size_t>(c) * room_.stride;
  }
  // What a root edge into the component at this place would weigh more than the one it picked.
  double Gain(std::int64_t place) const {
    return room_.root[room_.stack[place]] - room_.y[room_.stack[place]];
  }
  // The place that its edge comes from.
  std::int64_t Above(std::int64_t place) const {
    return room_.place[room_.source[room_.stack[place]]];
  }

  // Of the lanes with the largest value the least index.
  static HWY_INLINE Ranked First(hn::Vec<Tag> values, hn::Vec<Tag> index) {
    const Tag tag;
    const double largest = LargestLane(tag, values);
    if (largest == kMissing) return {largest, -1};
    const auto none = hn::Set(tag, -kMissing);
    const auto holders = hn::IfThenElse(hn::Eq(values, hn::Set(tag, largest)), index, none);
    return {largest, static_cast<std::int32_t>(LeastLane(tag, holders))};
  }

  // The node that gains most by a root edge.
  std::int32_t BestRootChild() const {
    const Tag tag;
    auto best = hn::Set(tag, kMissing), index = hn::Zero(tag);
    ForEachStrip(1, room_.nodes, hn::Lanes(tag), [&](std::size_t t) HWY_ATTR {
      const auto gain =
          hn::Sub(hn::LoadU(tag, room_.root.data() + t), hn::LoadU(tag, room_.y.data() + t));
      const auto better = hn::Gt(gain, best);
      best = hn::IfThenElse(better, gain, best);
      index = hn::IfThenElse(better, hn::Iota(tag, static_cast<double>(t)), index);
    });
    const Ranked child = First(best, index);
    return child.index < 0 ? 1 : child.index;
  }

  void Push(std::int32_t node) {
    room_.place[node] = size_;
    room_.stack[size_++] = node;
  }

  // Follows picked edges from every node to the pivot, which picks none; cycles are contracted on
  // the way. What a walk has met stands on the stack, behind what earlier ones have.
  bool HangFrom(std::int32_t pivot) {
    const Integers integers;
    for (std::size_t i = 0; i < room_.stride; i += hn::Lanes(integers))
      hn::StoreU(hn::Set(integers, -1), integers, room_.place.data() + i);
    Push(pivot);
    for (std::int32_t start = 1; start < nodes_; ++start)
      if (room_.place[start] < 0 && !HangFromOthers(start)) return false;
    return true;
  }
  // False at a component that picked nothing.
  bool HangFromOthers(std::int32_t start) {
    const std::int64_t begin = size_;
    Push(start);
    for (std::int32_t top = start;;) {
      const std::int32_t source = room_.source[top];
      if (source < 0) return false;
      const std::int64_t place = room_.place[source];
      if (place >= 0 && place < begin) return true;
      if (place < 0) {
        Push(source);
        top = source;
      } else {
        top = ContractFrom(place);
      }
    }
  }

  // All that stands from this place on becomes one component.
  std::int32_t ContractFrom(std::int64_t place) {
    const std::int32_t begin = listed_;
    for (std::int64_t i = place; i < size_; ++i) room_.members[listed_++] = room_.stack[i];
    size_ = place + 1;
    return Merge(begin, place);
  }

  // Everything hangs from the pivot, at place 0. Cycles through it are contracted until what gains
  // most by a root edge lies on one, or is the pivot itself.
  bool HangFromRoot() {
    std::int64_t pivot = 0, child = 0;
    for (std::int64_t i = 1; i < size_; ++i)
      if (Gain(i) > Gain(child)) child = i;
    while (child != pivot) {
      if (room_.source[room_.stack[pivot]] < 0) {
        child = pivot;  // nothing else enters it
        break;
      }
      if (IsOnCycle(child, pivot)) break;
      pivot = ContractCycleThrough(pivot);
      if (Gain(pivot) > Gain(child)) child = pivot;
    }
    if (room_.root[room_.stack[child]] == kMissing) return false;
    TakeRootEdge(room_.stack[child]);
    return true;
  }

  // At a price near 0 that neither exceeds the gain of the child nor is exceeded by another one.
  void TakeRootEdge(std::int32_t child) {
    const double root = room_.root[child], gain = root - room_.y[child];
    room_.root[child] = kMissing;
    const double others = LargestGain();
    double price = gain < 0.0 ? gain : 0.0;
    if (others > price) price = others;
    room_.source[child] = 0;
    room_.y[child] = root - price;
    room_.price = price;
  }

  // Of all components.
  double LargestGain() const {
    const Tag tag;
    auto largest = hn::Set(tag, kMissing);
    hn::StoreU(largest, tag, room_.root.data() + components_);
    for (std::int32_t c = 1; c < components_; c += static_cast<std::int32_t>(hn::Lanes(tag))) {
      const auto gain =
          hn::Sub(hn::LoadU(tag, room_.root.data() + c), hn::LoadU(tag, room_.y.data() + c));
      largest = hn::IfThenElse(hn::Gt(gain, largest), gain, largest);
    }
    return LargestLane(tag, largest);
  }

  bool IsOnCycle(std::int64_t place, std::int64_t pivot) const {
    for (std::int64_t i = Above(pivot); i != pivot; i = Above(i))
      if (i == place) return true;
    return false;
  }

  // Its members move to the top; gives that place.
  std::int64_t ContractCycleThrough(std::int64_t pivot) {
    const std::int32_t begin = listed_;
    for (std::int64_t i = pivot; i != size_;) {
      room_.members[listed_++] = room_.stack[i];
      const std::int64_t above = Above(i);
      MoveToTop(i);
      i = above;
    }
    Merge(begin, size_);
    return size_++;
  }

  void MoveToTop(std::int64_t place) {
    const Integers integers;
    const auto from = hn::Set(integers, place), top = hn::Set(integers, size_);
    for (std::size_t i = 0; i < room_.stride; i += hn::Lanes(integers)) {
      const auto now = hn::LoadU(integers, room_.place.data() + i);
      hn::StoreU(hn::IfThenElse(hn::Eq(now, from), top, now), integers, room_.place.data() + i);
    }
  }

  // Makes a component of the members from `begin` on, for this place: all nodes that stand there or
  // farther up are inside. It picks its best edge, under the single-root rule not from the root.
  std::int32_t Merge(std::int32_t begin, std::int64_t place) {
    poll();
    const std::int32_t merged = components_++;
    double* column = Column(merged);
    const Tag tag;
    const Integers integers;
    const auto missing = hn::Set(tag, kMissing);
    const auto first = hn::Set(tag, room_.single_root ? 1.0 : 0.0);
    const auto step = hn::Set(tag, static_cast<double>(hn::Lanes(tag)));
    const auto inside = hn::Set(integers, place);
    auto best = missing, index = missing, here = hn::Iota(tag, 0.0);
    for (std::size_t i = 0; i < room_.stride; i += hn::Lanes(tag)) {
      auto weight = missing;
      for (std::int32_t j = begin; j < listed_; ++j) {
        const std::int32_t member = room_.members[j];
        const auto y = hn::Set(tag, room_.y[member]);
        weight = hn::Max(weight, hn::Sub(hn::LoadU(tag, Column(member) + i), y));
      }
      const auto places = hn::Min(hn::LoadU(integers, room_.place.data() + i), inside);
      hn::StoreU(places, integers, room_.place.data() + i);
      weight = hn::IfThenElse(hn::RebindMask(tag, hn::Eq(places, inside)), missing, weight);
      hn::StoreU(weight, tag, column + i);
      weight = hn::IfThenElse(hn::Lt(here, first), missing, weight);
      index = hn::IfThenElse(hn::Gt(weight, best), here, index);
      best = hn::Max(best, weight);
      here = hn::Add(here, step);
    }
    const Ranked picked = First(best, index);
    room_.y[merged] = picked.value;
    room_.source[merged] = picked.index;
    room_.root[merged] = column[0];
    room_.end[merged] = listed_;
    room_.stack[place] = merged;
    return merged;
  }

  // The members of a component, by their places in room_.members.
  std::int32_t Begin(std::int32_t c) const { return c == nodes_ ? 0 : room_.end[c - 1]; }
  std::int32_t End(std::int32_t c) const { return room_.end[c]; }
  // The one that gave the column its weight from this source.
  std::int32_t Entered(std::int32_t c, std::int32_t source) const {
    std::int32_t entered = room_.members[Begin(c)];
    double best = kMissing;
    for (std::int32_t j = Begin(c); j < End(c); ++j) {
      const std::int32_t member = room_.members[j];
      const double weight = Column(member)[source] - room_.y[member];
      entered = weight > best ? member : entered;
      best = weight > best ? weight : best;
    }
    return entered;
  }

  // From what the components picked to the heads, from the outside in: the edge that enters a
  // component enters one of its members.
  void Expand() const {
    for (std::int32_t c = components_; --c >= nodes_;)
      room_.source[Entered(c, room_.source[c])] = room_.source[c];
  }

  Contraction& room_;
  const std::int32_t nodes_;
  std::int32_t components_;
  std::int64_t size_ = 0;    // of the stack
  std::int32_t listed_ = 0;  // members of all components
};

bool Contract(Contraction& room) { return Contractor(room).Run(); }

}  // namespace coppice::engine::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
