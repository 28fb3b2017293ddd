#include "engine/projective.hpp"

#include <algorithm>

#include "graph/poll.hpp"

namespace coppice::engine {

bool Projective::fits(Node nodes, std::int64_t k) {
  constexpr std::int64_t kMost = 1 << 22;
  return nodes <= 1024 && k <= 1024 && std::int64_t{nodes} * nodes * k <= kMost;
}

void Projective::list_arcs(const Solution& best, const CandidateList& candidates) {
  arcs_.clear();
  for (Node v = 1; v < nodes_; ++v)
    arcs_.push_back({best.weight[v], kNoCandidate, best.head[v], v});
  for (CandidateId id(0); id < candidates.end_index(); ++id) {
    const Candidate& edge = candidates[id];
    arcs_.push_back({edge.weight, id, edge.head, edge.dependent});
  }
  std::sort(arcs_.begin(), arcs_.end(), [](const Arc& a, const Arc& b) {
    if (a.head != b.head) return a.head < b.head;
    if (a.dependent != b.dependent) return a.dependent < b.dependent;
    return a.weight > b.weight || (a.weight == b.weight && a.id < b.id);
  });
  arc_lists_.assign(span_count_, {});
  for (std::uint32_t i = 0; i < arcs_.size(); ++i) {
    List& arcs =
        arc_lists_[place_of(arcs_[i].head) * place_of(nodes_) + place_of(arcs_[i].dependent)];
    if (arcs.size() == 0) arcs.begin = i;
    arcs.end = i + 1;
  }
}

// The k best ways to join two parts, split anywhere from first to last; parts(split) names them.
template <class Parts>
void Projective::combine(List& to, Node first, Node last, const Parts& parts) {
  auto worse = [](const Derivation& a, const Derivation& b) { return a.score < b.score; };
  heap_.clear();
  for (Node split = first; split <= last; ++split) {
    const auto [left, right] = parts(split);
    if (left.size() == 0 || right.size() == 0) continue;
    heap_.push_back(
        {derivations_[left.begin].score + derivations_[right.begin].score, split, 0, 0});
  }
  std::make_heap(heap_.begin(), heap_.end(), worse);
  to.begin = static_cast<std::uint32_t>(derivations_.size());
  for (std::uint32_t found = 0; found < k_ && !heap_.empty(); ++found) {
    std::pop_heap(heap_.begin(), heap_.end(), worse);
    const Derivation best = heap_.back();
    heap_.pop_back();
    derivations_.push_back(best);
    const auto [left, right] = parts(best.split);
    auto offer = [&](std::int32_t a, std::int32_t b) {
      if (place_of(a) >= left.size() || place_of(b) >= right.size()) return;
      heap_.push_back({derivations_[left.begin + place_of(a)].score +
                           derivations_[right.begin + place_of(b)].score,
                       best.split, a, b});
      std::push_heap(heap_.begin(), heap_.end(), worse);
    };
    offer(best.left, best.right + 1);
    if (best.right == 0) offer(best.left + 1, 0);
  }
  to.end = static_cast<std::uint32_t>(derivations_.size());
}

void Projective::put_arc(List& to, const List& below, const List& arcs) {
  to.begin = static_cast<std::uint32_t>(derivations_.size());
  if (arcs.size() == 1) {
    for (std::uint32_t d = below.begin; d < below.end; ++d)
      derivations_.push_back({derivations_[d].score + arcs_[arcs.begin].weight, 0,
                              static_cast<std::int32_t>(d - below.begin), 0});
  } else {
    heap_.clear();
    for (std::uint32_t d = below.begin; d < below.end; ++d)
      for (std::uint32_t a = arcs.begin; a < arcs.end; ++a)
        if (std::uint64_t{d - below.begin + 1} * (a - arcs.begin + 1) <= k_)
          heap_.push_back({derivations_[d].score + arcs_[a].weight, 0,
                           static_cast<std::int32_t>(d - below.begin),
                           static_cast<std::int32_t>(a - arcs.begin)});
    std::stable_sort(heap_.begin(), heap_.end(),
                     [](const Derivation& a, const Derivation& b) { return a.score > b.score; });
    if (heap_.size() > k_) heap_.resize(k_);
    derivations_.insert(derivations_.end(), heap_.begin(), heap_.end());
  }
  to.end = static_cast<std::uint32_t>(derivations_.size());
}

void Projective::run(const Solution& best, const CandidateList& candidates, RootRule rule,
                     std::int64_t k, FoundTrees& found) {
  nodes_ = best.nodes();
  span_count_ = place_of(nodes_) * place_of(nodes_);
  k_ = static_cast<std::uint32_t>(k);
  list_arcs(best, candidates);
  lists_.assign(kKinds * span_count_, {});
  derivations_.assign(1, {0.0, 0, 0, 0});  // of a word alone
  auto arcs = [&](Node h, Node d) -> const List& {
    return arc_lists_[place_of(h) * place_of(nodes_) + place_of(d)];
  };
  for (Node i = 0; i < nodes_; ++i) list(by_left, i, i) = list(by_right, i, i) = {0, 1};
  // With a single root edge the root joins the whole at the end.
  const Node from = rule == RootRule::single ? 1 : 0;
  for (Node width = 1; width < nodes_ - from; ++width) {
    poll();
    for (Node i = from; i + width < nodes_; ++i) {
      const Node j = i + width;
      combine(list(halves, i, j), i, j - 1,
              [&](Node m) { return std::pair(list(by_left, i, m), list(by_right, m + 1, j)); });
      put_arc(list(arc_right, i, j), list(halves, i, j), arcs(i, j));
      if (i > 0) put_arc(list(arc_left, i, j), list(halves, i, j), arcs(j, i));
      combine(list(by_left, i, j), i + 1, j,
              [&](Node m) { return std::pair(list(arc_right, i, m), list(by_left, m, j)); });
      combine(list(by_right, i, j), i, j - 1,
              [&](Node m) { return std::pair(list(by_right, i, m), list(arc_left, m, j)); });
    }
  }
  const Node last = nodes_ - 1;
  List top = list(by_left, 0, last);
  if (rule == RootRule::single) {
    // Word r with what hangs from it on both sides, then the arc from the root above it.
    for (Node r = 1; r < nodes_; ++r) {
      combine(list(halves, 0, r), r, r,
              [&](Node m) { return std::pair(list(by_right, 1, m), list(by_left, m, last)); });
      put_arc(list(arc_right, 0, r), list(halves, 0, r), arcs(0, r));
    }
    static constexpr List kAlone{0, 1};
    combine(list(whole, 0, last), 1, last,
            [&](Node r) { return std::pair(list(arc_right, 0, r), kAlone); });
    top = list(whole, 0, last);
  }
  found.clear();
  for (std::uint32_t d = 0; d < top.size(); ++d) extract(static_cast<std::int32_t>(d), rule, found);
}

// Top down, without recursion: sentences may be long.
void Projective::extract(std::int32_t derivation, RootRule rule, FoundTrees& found) {
  const Node last = nodes_ - 1;
  const bool single = rule == RootRule::single;
  stack_.assign(1, {single ? whole : by_left, 0, last, derivation});
  while (!stack_.empty()) {
    const Item item = stack_.back();
    stack_.pop_back();
    const auto [kind, i, j, number] = item;
    if (i == j) continue;
    const Derivation& d = derivations_[list(kind, i, j).begin + place_of(number)];
    const Node m = d.split;
    auto take_arc = [&](Node h, Node v) {
      const List& arcs = arc_lists_[place_of(h) * place_of(nodes_) + place_of(v)];
      const Arc& arc = arcs_[arcs.begin + place_of(d.right)];
      if (arc.id != kNoCandidate) found.replace(arc.id);
      stack_.push_back({halves, i, j, d.left});
    };
    if (kind == arc_right) {
      take_arc(i, j);
    } else if (kind == arc_left) {
      take_arc(j, i);
    } else if (kind == whole) {
      stack_.push_back({arc_right, 0, m, d.left});
    } else if (kind == halves && single && i == 0) {
      stack_.push_back({by_right, 1, m, d.left});
      stack_.push_back({by_left, m, last, d.right});
    } else if (kind == halves) {
      stack_.push_back({by_left, i, m, d.left});
      stack_.push_back({by_right, m + 1, j, d.right});
    } else if (kind == by_left) {
      stack_.push_back({arc_right, i, m, d.left});
      stack_.push_back({by_left, m, j, d.right});
    } else {
      stack_.push_back({by_right, i, m, d.left});
      stack_.push_back({arc_left, m, j, d.right});
    }
  }
  found.finish();
}

}  // namespace coppice::engine
