// The heads of the best tree of a dense graph, from its rows to the last head in one piece of code
// (docs/engine.md, section 6); included once per instruction set, by simd.cpp.
#if defined(COPPICE_ENGINE_CONTRACTION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef COPPICE_ENGINE_CONTRACTION_INL
#undef COPPICE_ENGINE_CONTRACTION_INL
#else
#define COPPICE_ENGINE_CONTRACTION_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/simd.hpp"
#include "graph/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace coppice::engine::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using coppice::HWY_NAMESPACE::LargestLane;
using coppice::HWY_NAMESPACE::LeastLane;

constexpr double kMissing = -std::numeric_limits<double>::infinity();

// The caller's weights.
template <class T, bool kNegate>
class Matrix {
 public:
  Matrix(const void* rows, const Rows& shape)
      : rows_(static_cast<const T*>(rows)), stride_(shape.stride) {}

  const T* At(std::size_t s, std::size_t t) const {
    return rows_ + static_cast<std::ptrdiff_t>(s) * stride_ + static_cast<std::ptrdiff_t>(t);
  }
  double Weight(std::size_t s, std::size_t t) const {
    const auto given = static_cast<double>(*At(s, t));
    return kNegate && given != kMissing ? -given : given;
  }
  // Of some neighbouring columns, as they were given ...
  template <class Tag>
  HWY_INLINE hn::Vec<Tag> Given(Tag tag, std::size_t s, std::size_t t) const {
    if constexpr (sizeof(T) == sizeof(double))
      return hn::LoadU(tag, At(s, t));
    else
      return hn::PromoteTo(tag, hn::LoadU(hn::Rebind<T, Tag>(), At(s, t)));
  }
  // ... and to be maximised.
  template <class Tag>
  static HWY_INLINE hn::Vec<Tag> Signed(Tag tag, hn::Vec<Tag> given) {
    if constexpr (!kNegate) return given;
    const auto missing = hn::Set(tag, kMissing);
    return hn::IfThenElse(hn::Eq(given, missing), missing, hn::Neg(given));
  }
  template <class Tag>
  HWY_INLINE hn::Vec<Tag> Weights(Tag tag, std::size_t s, std::size_t t) const {
    return Signed(tag, Given(tag, s, t));
  }

 private:
  const T* rows_;
  std::ptrdiff_t stride_;
};

// Calls visit(i) with the first of `width` neighbouring indices, until all from `begin` to `end`
// were among them.
template <class Visit>
HWY_INLINE void ForEachStrip(std::size_t begin, std::size_t end, std::size_t width, Visit visit) {
  const std::size_t last = end - begin > width ? end - width : begin;
  for (std::size_t i = begin; i < last; i += width) visit(i);
  visit(last);
}

// The best edge into every node; under the single-root rule of those that do not come from the
// root. False: a weight is bad.
template <class T, bool kNegate>
bool PickForNodes(const void* rows, const Rows& shape, const Contraction& room) {
  constexpr std::size_t kAhead = 12;
  const hn::CappedTag<double, kLanes> tag;
  const hn::Rebind<std::int32_t, decltype(tag)> integers;
  const Matrix<T, kNegate> matrix(rows, shape);
  const std::size_t lanes = hn::Lanes(tag);
  const auto missing = hn::Set(tag, kMissing), one = hn::Set(tag, 1.0);
  const auto most = hn::Set(tag, shape.limit);
  bool valid = true;
  ForEachStrip(1, shape.nodes, lanes, [&](std::size_t t) HWY_ATTR {
    const auto node = hn::Iota(tag, static_cast<double>(t));
    auto best = missing, index = hn::Set(tag, -1.0), here = hn::Zero(tag);
    auto all_valid = hn::Eq(missing, missing);
    for (std::size_t s = 0; s < shape.nodes; ++s) {
      // Rows are too far apart for the machine to see the pattern.
      if (s + kAhead < shape.nodes) hwy::Prefetch(matrix.At(s + kAhead, t + lanes - 1));
      auto given = matrix.Given(tag, s, t);
      if (s - t < lanes) given = hn::IfThenElse(hn::Eq(here, node), missing, given);
      const auto is_small = hn::Le(hn::Abs(given), most);
      all_valid = hn::And(all_valid, hn::Or(is_small, hn::Eq(given, missing)));
      const auto weight = matrix.Signed(tag, given);
      if (s == 0 && room.single_root) {
        hn::StoreU(weight, tag, room.root + t);
      } else {
        index = hn::IfThenElse(hn::Gt(weight, best), here, index);
        best = hn::Max(best, weight);
      }
      here = hn::Add(here, one);
    }
    valid = valid && hn::AllTrue(tag, all_valid);
    hn::StoreU(best, tag, room.y + t);
    hn::StoreU(hn::DemoteTo(integers, index), integers, room.source + t);
  });
  return valid;
}

// columns[t][s] for all nodes; missing where no tree has an edge.
template <class T, bool kNegate>
void MakeColumns(const void* rows, const Rows& shape, const Contraction& room) {
  const Matrix<T, kNegate> matrix(rows, shape);
  const std::size_t nodes = shape.nodes;
  auto column = [&](std::size_t t) { return room.columns + t * room.stride; };
  for (std::size_t t = 1; t < nodes; ++t)
    for (std::size_t s = room.stride - kLanes; s < room.stride; ++s) column(t)[s] = kMissing;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kSide = 4;
  const hn::CappedTag<double, kSide> tag;
  const bool in_squares = hn::Lanes(tag) == kSide && nodes > kSide;
  auto turn_square = [&](std::size_t s, std::size_t t) HWY_ATTR {
    const auto a = matrix.Weights(tag, s, t), b = matrix.Weights(tag, s + 1, t);
    const auto c = matrix.Weights(tag, s + 2, t), d = matrix.Weights(tag, s + 3, t);
    const auto ab = hn::InterleaveLower(tag, a, b), ab_next = hn::InterleaveUpper(tag, a, b);
    const auto cd = hn::InterleaveLower(tag, c, d), cd_next = hn::InterleaveUpper(tag, c, d);
    hn::StoreU(hn::ConcatLowerLower(tag, cd, ab), tag, column(t) + s);
    hn::StoreU(hn::ConcatLowerLower(tag, cd_next, ab_next), tag, column(t + 1) + s);
    hn::StoreU(hn::ConcatUpperUpper(tag, cd, ab), tag, column(t + 2) + s);
    hn::StoreU(hn::ConcatUpperUpper(tag, cd_next, ab_next), tag, column(t + 3) + s);
  };
  if (in_squares)
    ForEachStrip(1, nodes, kSide, [&](std::size_t t) HWY_ATTR {
      ForEachStrip(0, nodes, kSide, [&](std::size_t s) HWY_ATTR { turn_square(s, t); });
    });
#else
  const bool in_squares = false;
#endif
  if (!in_squares)
    for (std::size_t t = 1; t < nodes; ++t)
      for (std::size_t s = 0; s < nodes; ++s) column(t)[s] = matrix.Weight(s, t);
  for (std::size_t t = 1; t < nodes; ++t) column(t)[t] = kMissing;
}

// What is left to do once the nodes have picked.
class Contractor {
 public:
  using Make = void (*)(const void* rows, const Rows& shape, const Contraction& room);
  Contractor(const void* rows, const Rows& shape, Make make_columns, const Contraction& room)
      : rows_(rows),
        shape_(shape),
        make_columns_(make_columns),
        room_(room),
        nodes_(static_cast<std::int32_t>(shape.nodes)),
        components_(nodes_) {}

  bool Run(double& magnitude) {
    if (!Contract()) return false;
    magnitude = Magnitude();
    Expand(room_.source, [](std::int32_t, std::int32_t) {});
    return true;
  }

 protected:
  using Tag = hn::CappedTag<double, kLanes>;
  using Integers = hn::RebindToSigned<Tag>;

  bool Contract() {
    const bool single = room_.single_root;
    return HangFrom(single ? BestRootChild() : 0) && (!single || HangFromRoot());
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
    ForEachStrip(1, shape_.nodes, hn::Lanes(tag), [&](std::size_t t) HWY_ATTR {
      const auto gain = hn::Sub(hn::LoadU(tag, room_.root + t), hn::LoadU(tag, room_.y + t));
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
      hn::StoreU(hn::Set(integers, -1), integers, room_.place + i);
    Push(pivot);
    stuck_ = !HangOthers();
    return !stuck_;
  }
  bool HangOthers() {
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

  // Is it certain that Contract() failed for want of a tree? It met a component that picked
  // nothing. Under the single-root rule that may be the one to hang from the root, unless there is
  // another one: among what was not met yet, or the pivot, grown as long as its pick closes a
  // cycle.
  bool HasNoTree() {
    if (!stuck_ || !room_.single_root) return stuck_;
    if (!HangOthers()) return true;
    while (room_.source[room_.stack[pivot_]] >= 0) {
      for (std::int64_t i = Above(pivot_); i != pivot_; i = Above(i))
        if (room_.source[room_.stack[i]] < 0) return false;
      pivot_ = ContractCycleThrough(pivot_);
    }
    return true;
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
    std::int64_t& pivot = pivot_;
    std::int64_t child = 0;
    for (std::int64_t i = 1; components_ > nodes_ && i < size_; ++i)
      if (Gain(i) > Gain(child)) child = i;
    while (child != pivot) {
      if (room_.source[room_.stack[pivot]] < 0) return false;
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
    child_ = {child, room_.source[child], room_.y[child]};
    const double root = room_.root[child], gain = root - room_.y[child];
    room_.root[child] = kMissing;
    const double others = LargestGain();
    price_ = gain < 0.0 ? gain : 0.0;
    if (others > price_) price_ = others;
    room_.source[child] = 0;
    room_.y[child] = root - price_;
  }

  // Of all components.
  double LargestGain() const {
    const Tag tag;
    auto largest = hn::Set(tag, kMissing);
    hn::StoreU(largest, tag, room_.root + components_);
    for (std::int32_t c = 1; c < components_; c += static_cast<std::int32_t>(hn::Lanes(tag))) {
      const auto gain = hn::Sub(hn::LoadU(tag, room_.root + c), hn::LoadU(tag, room_.y + c));
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
      const auto now = hn::LoadU(integers, room_.place + i);
      hn::StoreU(hn::IfThenElse(hn::Eq(now, from), top, now), integers, room_.place + i);
    }
  }

  // Makes a component of the members from `begin` on, for this place: all nodes that stand there or
  // farther up are inside. It picks its best edge, under the single-root rule not from the root.
  std::int32_t Merge(std::int32_t begin, std::int64_t place) {
    if (components_ == nodes_) make_columns_(rows_, shape_, room_);
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
      const auto places = hn::Min(hn::LoadU(integers, room_.place + i), inside);
      hn::StoreU(places, integers, room_.place + i);
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

  double Magnitude() const {
    const Tag tag;
    hn::StoreU(hn::Zero(tag), tag, room_.y + components_);
    auto sum = hn::Zero(tag);
    for (std::int32_t c = 1; c < components_; c += static_cast<std::int32_t>(hn::Lanes(tag)))
      sum = hn::Add(sum, hn::Abs(hn::LoadU(tag, room_.y + c)));
    return hn::GetLane(hn::SumOfLanes(tag, sum)) + (price_ < 0.0 ? -price_ : price_);
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
  // component enters one of its members. Calls visit(component, member).
  template <class Visit>
  void Expand(std::int32_t* source, Visit visit) const {
    for (std::int32_t c = components_; --c >= nodes_;) {
      const std::int32_t entered = Entered(c, source[c]);
      source[entered] = source[c];
      visit(c, entered);
    }
  }

  const void* rows_;
  const Rows shape_;
  const Make make_columns_;  // called for the first cycle
  const Contraction room_;
  const std::int32_t nodes_;
  std::int32_t components_;
  std::int64_t size_ = 0;    // of the stack
  std::int32_t listed_ = 0;  // members of all components
  std::int64_t pivot_ = 0;   // its place, under the single-root rule
  bool stuck_ = false;       // some component picked nothing
  double price_ = 0.0;
  struct {
    std::int32_t component, source;  // what hangs from the root, and what else it had picked
    double y;
  } child_{};
};

template <class T, bool kNegate>
bool BestHeads(const void* rows, const Rows& shape, const Contraction& room, double& magnitude) {
  return PickForNodes<T, kNegate>(rows, shape, room) &&
         Contractor(rows, shape, MakeColumns<T, kNegate>, room).Run(magnitude);
}

template <class T>
bool BestHeads(const T* rows, const Rows& shape, const Contraction& room, double& magnitude) {
  return shape.negate ? BestHeads<T, true>(rows, shape, room, magnitude)
                      : BestHeads<T, false>(rows, shape, room, magnitude);
}

}  // namespace coppice::engine::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
