// The second best tree of a dense graph out of the contraction that gave the best one
// (docs/engine.md, section 6); included once per instruction set, by simd.cpp.
#if defined(COPPICE_ENGINE_SECOND_TREE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef COPPICE_ENGINE_SECOND_TREE_INL
#undef COPPICE_ENGINE_SECOND_TREE_INL
#else
#define COPPICE_ENGINE_SECOND_TREE_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "engine/contraction-inl.hpp"
#include "engine/simd.hpp"
#include "graph/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace coppice::engine::simd::HWY_NAMESPACE {

class Swapper : private Contractor {
 public:
  Swapper(const void* rows, const Rows& shape, Make make_columns, const Contraction& room,
          SecondTree& second)
      : Contractor(rows, shape, make_columns, room), out_(second) {}

  bool Run() {
    if (!Contract()) return out_.none = HasNoTree();
    out_.magnitude = Magnitude();
    if (components_ == nodes_) make_columns_(rows_, shape_, room_);
    OpenBest();
    LineUp();
    SwapOthers();
    if (room_.single_root) SwapRootEdge();
    out_.gap = best_.cost;
    out_.next_gap = best_.cost + margin_ < next_ ? best_.cost + margin_ : next_;
    if (best_.cost < kNone) OpenSecond();
    return true;
  }

 private:
  static constexpr double kNone = -kMissing;

  // The edge from the source enters the component `level` instead of the one of the best tree: at
  // `inner`, inside or the same, and there at the best node.
  struct Swap {
    double cost = kNone;
    std::int32_t level = -1, source = -1, inner = -1;
  };
  void Consider(const Swap& swap) {
    if (swap.cost < best_.cost) {
      next_ = best_.cost;
      best_ = swap;
    } else if (swap.cost < next_) {
      next_ = swap.cost;
    }
  }
  static double Cost(double difference) { return difference > 0.0 ? difference : 0.0; }
  void KeepNear(double distance) { margin_ = distance < margin_ ? distance : margin_; }

  void ListParents(std::int32_t first) {
    for (std::int32_t c = first; c < components_; ++c) {
      out_.parent[c] = -1;
      if (c >= nodes_)
        for (std::int32_t j = Begin(c); j < End(c); ++j) out_.parent[room_.members[j]] = c;
    }
  }

  void OpenBest() {
    ListParents(0);
    for (std::int32_t c = 0; c < components_; ++c) {
      out_.heads[c] = room_.source[c];
      out_.level[c] = c;
    }
    Expand(out_.heads,
           [&](std::int32_t c, std::int32_t entered) { out_.level[entered] = out_.level[c]; });
    for (std::int32_t v = 1; v < nodes_; ++v) out_.entry[out_.level[v]] = v;
  }

  // Places in preorder: what hangs from v stands from order[v] to the place before end[v].
  void LineUp() const {
    std::int32_t *child = out_.second, *sibling = out_.sibling;  // the first one, the next one
    for (std::int32_t v = 0; v < nodes_; ++v) child[v] = -1;
    for (std::int32_t v = nodes_; --v > 0;) {
      sibling[v] = child[out_.heads[v]];
      child[out_.heads[v]] = v;
    }
    double place = 0.0;
    for (std::int32_t v = 0;;) {
      out_.order[v] = place++;
      if (child[v] >= 0) {
        v = child[v];
        continue;
      }
      out_.end[v] = place;
      while (v != 0 && sibling[v] < 0) out_.end[v = out_.heads[v]] = place;
      if (v == 0) return;
      v = sibling[v];
    }
  }

  // --- Swaps: everything that may enter a component instead of what it picked ---

  // Of the edges into a component but those from one source and, under the single-root rule, from
  // the root: the best one, and the best one from elsewhere than the places [begin, end).
  struct Best {
    double all, outside;
  };
  Best BestOthers(std::int32_t c, double begin, double end) const {
    const Tag tag;
    const double* column = Column(c);
    const auto missing = hn::Set(tag, kMissing);
    const auto own = hn::Set(tag, static_cast<double>(room_.source[c]));
    const auto first = hn::Set(tag, room_.single_root ? 1.0 : 0.0);
    const auto from = hn::Set(tag, begin), to = hn::Set(tag, end);
    const auto step = hn::Set(tag, static_cast<double>(hn::Lanes(tag)));
    auto all = missing, outside = missing, here = hn::Iota(tag, 0.0);
    for (std::size_t i = 0; i < room_.stride; i += hn::Lanes(tag)) {
      const auto skipped = hn::Or(hn::Eq(here, own), hn::Lt(here, first));
      const auto weight = hn::IfThenElse(skipped, missing, hn::LoadU(tag, column + i));
      const auto place = hn::LoadU(tag, out_.order + i);
      const auto inside = hn::And(hn::Ge(place, from), hn::Lt(place, to));
      all = hn::Max(all, weight);
      outside = hn::Max(outside, hn::IfThenElse(inside, missing, weight));
      here = hn::Add(here, step);
    }
    return {LargestLane(tag, all), LargestLane(tag, outside)};
  }

  std::int32_t Target(std::int32_t c, std::int32_t source) const {
    while (c >= nodes_) c = Entered(c, source);
    return c;
  }

  // The best edge from a source into a component that enters it elsewhere than at the node t: its
  // weight at the level of the component, and where it leaves the components around t. And the best
  // one that leaves them elsewhere again.
  struct Entry {
    double weight = kMissing, next = kMissing;
    std::int32_t inner = -1;
  };
  Entry OtherEntry(std::int32_t c, std::int32_t source, std::int32_t t) const {
    Entry best;
    while (t != c) {
      const std::int32_t around = out_.parent[t];
      for (std::int32_t j = Begin(around); j < End(around); ++j) {
        const std::int32_t member = room_.members[j];
        if (member == t) continue;
        const double weight = Column(member)[source] - room_.y[member];
        if (weight > best.weight) {
          best = {weight, best.weight, member};
        } else if (weight > best.next) {
          best.next = weight;
        }
      }
      t = around;
      if (t == c) break;
      best.weight -= room_.y[t];
      best.next -= room_.y[t];
    }
    return best;
  }

  // What the edge of the best tree that enters this component, and nothing larger, can be swapped
  // for.
  void SwapAt(std::int32_t c) {
    const double y = room_.y[c];
    const std::int32_t entry = out_.entry[c];
    const Best others = BestOthers(c, out_.order[entry], out_.end[entry]);
    KeepNear(y - others.all);
    Consider({out_.cost[c] = Cost(y - others.outside), c, -1, c});
    if (c >= nodes_) SwapTarget(c, room_.source[c], entry);
  }

  // From the same source to another node.
  void SwapTarget(std::int32_t c, std::int32_t source, std::int32_t entry) {
    const Entry other = OtherEntry(c, source, entry);
    KeepNear(room_.y[c] - other.weight);
    KeepNear(-room_.y[c]);
    Consider({Cost(room_.y[c] - other.weight), c, source, other.inner});
  }

  // How far from what a component picked the next best edge is, and what entering it twice costs.
  void KeepNearTo(std::int32_t c) {
    const double y = room_.y[c];
    const std::int32_t source = room_.source[c];
    KeepNear(y - BestOthers(c, 0.0, 0.0).all);
    if (c < nodes_) return;
    KeepNear(-y);
    KeepNear(y - OtherEntry(c, source, Target(c, source)).weight);
  }

  // Under the single-root rule the root edge stays, for now; to enter once more what hangs from the
  // root costs the same at any price.
  void SwapOthers() {
    const std::int32_t child = room_.single_root ? child_.component : 0;
    out_.components = components_;
    for (std::int32_t c = 1; c < components_; ++c) {
      out_.cost[c] = kNone;
      if (out_.level[c] == c && c != child) SwapAt(c);
    }
    if (best_.cost < kNone) CompleteBest();
    if (child >= nodes_) KeepNear(-child_.y);
    for (std::int32_t c = 1; c < components_ && IsAhead(); ++c)
      if (out_.level[c] != c) KeepNearTo(c);
  }

  // May the best swap be better than all other trees?
  bool IsAhead() const { return next_ > best_.cost && margin_ > 0.0; }

  // Where the best swap enters, and what else can be swapped there.
  void CompleteBest() {
    const std::int32_t c = best_.level;
    const double y = room_.y[c];
    auto keep_next = [&](double weight) {
      if (Cost(y - weight) < next_) next_ = Cost(y - weight);
    };
    if (best_.source >= 0) {
      const Entry other = OtherEntry(c, best_.source, out_.entry[c]);
      keep_next(other.next);
      const double inner = Column(other.inner)[best_.source];
      const std::int32_t t = Target(other.inner, best_.source);
      keep_next(other.weight - (inner - OtherEntry(other.inner, best_.source, t).weight));
      return;
    }
    const double begin = out_.order[out_.entry[c]], end = out_.end[out_.entry[c]];
    double best = kMissing, next = kMissing;
    for (std::int32_t s = room_.single_root ? 1 : 0; s < nodes_; ++s) {
      if (s == room_.source[c] || (out_.order[s] >= begin && out_.order[s] < end)) continue;
      const double weight = Column(c)[s];
      if (weight > best) {
        next = best;
        best = weight;
        best_.source = s;
      } else if (weight > next) {
        next = weight;
      }
    }
    keep_next(next);
    keep_next(OtherEntry(c, best_.source, Target(c, best_.source)).weight);
  }

  // --- Another root edge ---

  void SumAbove() const {
    for (std::int32_t c = components_; --c > 0;) {
      const std::int32_t around = out_.parent[c];
      out_.above[c] = around < 0 ? 0.0 : out_.above[around] + room_.y[c];
      out_.outermost[c] = around < 0 ? c : out_.outermost[around];
    }
  }
  // Of a root edge, less what was picked inside the outermost component.
  double RootWeight(std::int32_t v) const { return Column(v)[0] - out_.above[v]; }

  // What hangs from the root can be entered at any of its nodes, and all else hangs from it. Others
  // cost as much at least as makes a root edge into them better than what they picked, and what
  // hangs from the root enterable by its best other edge. While that may be the cheapest, what
  // hangs from the root grows by the cycle that this edge closes.
  void SwapRootEdge() {
    const std::int32_t first = components_, child = out_.entry[child_.component];
    std::int32_t top = child_.component;
    room_.source[top] = child_.source;
    room_.y[top] = child_.y;
    RootCosts least;
    for (std::int32_t more = 1;; more *= 2) {
      ListParents(first);
      SumAbove();
      least = LeastRootCosts(child, top);
      if (!(least.outside < best_.cost && least.outside < least.inside)) break;
      for (std::int32_t i = 0; i < more && room_.source[room_.stack[pivot_]] >= 0; ++i)
        pivot_ = ContractCycleThrough(pivot_);
      top = room_.stack[pivot_];
    }
    for (std::int32_t v = 1; v < nodes_; ++v)
      if (v != child && out_.outermost[v] == top) Consider({RootCost(child, v), top, 0, v});
    if (least.outside < next_) next_ = least.outside;
    if (best_.level == top) {
      margin_ = top < nodes_ ? kNone : -room_.y[top];
      for (std::int32_t c = 1; c < components_ && IsAhead(); ++c)
        if (c != top) KeepNearTo(c);
    }
    if (components_ == first) return;
    if (room_.y[top] == kMissing) room_.y[top] = 0.0;
    out_.magnitude = Magnitude();
  }

  double RootCost(std::int32_t child, std::int32_t v) const {
    return Cost(RootWeight(child) - RootWeight(v));
  }

  // Of trees with another root edge.
  struct RootCosts {
    double inside = kNone, outside = kNone;
  };
  RootCosts LeastRootCosts(std::int32_t child, std::int32_t top) const {
    RootCosts least;
    for (std::int32_t v = 1; v < nodes_; ++v) {
      if (v == child || Column(v)[0] == kMissing) continue;
      const std::int32_t around = out_.outermost[v];
      if (around == top) {
        const double cost = RootCost(child, v);
        least.inside = cost < least.inside ? cost : least.inside;
      } else {
        const double gain = RootWeight(v) - room_.y[around];
        const double cost = Cost((RootWeight(child) - room_.y[top]) - gain);
        least.outside = cost < least.outside ? cost : least.outside;
      }
    }
    return least;
  }

  // --- The tree ---

  // The edges of the best tree, but inside the component that is entered anew.
  void OpenSecond() const {
    enum : std::int32_t { kOutside, kInside, kOnTheWay };
    std::int32_t* where = out_.level;
    for (std::int32_t c = 0; c < components_; ++c) {
      where[c] = kOutside;
      out_.second[c] = out_.heads[c];
    }
    const std::int32_t level = best_.level, t = Target(best_.inner, best_.source);
    for (std::int32_t c = t; c != level; c = out_.parent[c]) where[c] = kOnTheWay;
    where[level] = kOnTheWay;
    out_.second[level] = best_.source;
    for (std::int32_t c = level; c >= nodes_; --c) {
      if (where[c] == kOutside) continue;
      std::int32_t entered = -1;
      if (where[c] == kInside) entered = Entered(c, out_.second[c]);
      for (std::int32_t j = Begin(c); j < End(c); ++j) {
        const std::int32_t member = room_.members[j];
        if (where[member] == kOnTheWay) entered = member;
        if (where[member] == kOutside) where[member] = kInside;
        out_.second[member] = room_.source[member];
      }
      out_.second[entered] = out_.second[c];
    }
  }

  SecondTree& out_;
  Swap best_;
  double next_ = kNone;    // no other swap costs less
  double margin_ = kNone;  // what picks are ahead of other edges, and components cost entered twice
};

template <class T, bool kNegate>
bool BestTwo(const void* rows, const Rows& shape, const Contraction& room, SecondTree& second) {
  return PickForNodes<T, kNegate>(rows, shape, room) &&
         Swapper(rows, shape, MakeColumns<T, kNegate>, room, second).Run();
}

template <class T>
bool BestTwo(const T* rows, const Rows& shape, const Contraction& room, SecondTree& second) {
  return shape.negate ? BestTwo<T, true>(rows, shape, room, second)
                      : BestTwo<T, false>(rows, shape, room, second);
}

}  // namespace coppice::engine::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
