// Contraction of cycles, whatever is kept of the edges: which components there are, which of them a
// node is in now, and the walk along picked edges that finds the cycles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/indexed.hpp"
#include "graph/poll.hpp"

namespace coppice {

enum class Visited : std::uint8_t { not_yet, on_path, done };

// C is the index of a component. The nodes come first, each alone, the root being C(0).
template <class C>
class Forest {
 public:
  void reset(std::int32_t nodes) {
    parent_.assign(place_of(nodes), kNone);
    top_.resize(place_of(nodes));
    for (C c(0); c < top_.end_index(); ++c) top_[c] = named(c);
    first_member_.assign(place_of(nodes), kNone);
    next_member_.assign(place_of(nodes), kNone);
  }

  // Makes one component of several that are outermost.
  C merge(std::span<const C> members) {
    const C merged = parent_.end_index();
    const C last = representative(*std::max_element(members.begin(), members.end()));
    parent_.push_back(kNone);
    top_.push_back(last);
    first_member_.push_back(kNone);
    next_member_.push_back(kNone);
    for (C member : members) {
      parent_[member] = merged;
      if (const C other = representative(member); other != last) top_[other] = last;
      next_member_[member] = first_member_[merged];
      first_member_[merged] = member;
    }
    top_[last] = named(merged);
    return merged;
  }

  // The outermost component that c is in.
  C top(C c) {
    const C up = top_[c];
    return named(up < C(0) ? up : top_[representative(c)]);
  }

  const Indexed<C, C>& parents() const { return parent_; }
  C parent(C c) const { return parent_[c]; }
  C first_member(C c) const { return first_member_[c]; }  // in the reverse order of merge()
  C next_member(C c) const { return next_member_[c]; }
  C end() const { return parent_.end_index(); }

  // Follows picked edges backwards from every node until they reach the root. A cycle becomes a
  // component, which picks in its turn. False as soon as something can pick nothing.
  //   bool pick(C c)                       c picks an entering edge
  //   C source(C c)                        what that edge comes from
  //   C merge(std::span<const C> cycle)    calls merge() above, and sees to the edges
  template <class Pick, class Source, class Merge>
  bool contract(Pick pick, Source source, Merge merge_cycle) {
    const C nodes = end();
    visited_.assign(place_of(nodes), Visited::not_yet);
    visited_[C(0)] = Visited::done;
    for (C start(1); start < nodes; ++start) {
      path_.clear();
      for (C c = top(start); visited_[c] != Visited::done; c = top(source(c))) {
        poll();
        if (visited_[c] == Visited::on_path) c = close_cycle(c, merge_cycle);
        if (!pick(c)) return false;
        visited_[c] = Visited::on_path;
        path_.push_back(c);
      }
      for (C on_path : path_) visited_[on_path] = Visited::done;
    }
    return true;
  }

 private:
  static constexpr C kNone = C(-1);

  // Union-find: top_[c] is another of those in the same outermost component, or names it. A large
  // component that grows keeps its representative, so that the ways there stay short.
  static constexpr C named(C c) { return C(~static_cast<std::int32_t>(place_of(c))); }
  C representative(C c) {
    for (;;) {
      const C next = top_[c];
      if (next < C(0)) return c;
      if (top_[next] < C(0)) return next;
      c = top_[c] = top_[next];
    }
  }

  // The path from c to its end, the latest first.
  template <class Merge>
  C close_cycle(C c, Merge merge_cycle) {
    cycle_.clear();
    do {
      cycle_.push_back(path_.back());
      path_.pop_back();
    } while (cycle_.back() != c);
    visited_.push_back(Visited::not_yet);
    return merge_cycle(std::span<const C>(cycle_));
  }

  Indexed<C, C> parent_;
  Indexed<C, C> top_;
  Indexed<C, C> first_member_, next_member_;

  // Of contract().
  Indexed<C, Visited> visited_;
  std::vector<C> path_, cycle_;
};

}  // namespace coppice
