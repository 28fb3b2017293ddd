#include "engine/solve/edge_lists.hpp"

#include <algorithm>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
void EdgeLists<W>::start(RootRule rule) {
  rule_ = rule;
  open_ = rule == RootRule::single;
  targets_.clear();
  required_.clear();
  excluded_.clear();
  fixed_.clear();
  changed_.clear();
  best_.resize(place_of(nodes()));
  for (Node v = 1; v < nodes(); ++v) {
    poll_at(v);
    find_best(v);
  }
}

template <class W>
void EdgeLists<W>::start_subproblems() {
  targets_.resize(edges_.size());
  required_.assign(place_of(nodes()), kNoSlot);
  excluded_.assign(edges_.size(), 0);
  for (Node v = 1; v < nodes(); ++v) {
    poll();
    sort_polling(edges_.begin() + begin(v).value(), edges_.begin() + end(v).value(),
                 [](const Edge& a, const Edge& b) {
                   return b.gain < a.gain || (!(a.gain < b.gain) && a.id < b.id);
                 });
    for (Slot e = begin(v); e < end(v); ++e) targets_[e] = v;
    find_best(v);
  }
}

template <class W>
void EdgeLists<W>::clear() {
  for (Slot e : fixed_) {
    excluded_[e] = 0;
    required_[targets_[e]] = kNoSlot;
    changed_.push_back(targets_[e]);
  }
  fixed_.clear();
  open_ = rule_ == RootRule::single;
}

template <class W>
void EdgeLists<W>::require(Slot e) {
  required_[targets_[e]] = e;
  fixed_.push_back(e);
  changed_.push_back(targets_[e]);
  if (edges_[e].source == 0) open_ = false;
}

template <class W>
void EdgeLists<W>::exclude(Slot e) {
  excluded_[e] = 1;
  fixed_.push_back(e);
  changed_.push_back(targets_[e]);
}

template <class W>
void EdgeLists<W>::find_best() {
  for (Node v : changed_) find_best(v);
  changed_.clear();
}

template <class W>
void EdgeLists<W>::find_best(Node v) {
  W gain = lowest<W>(), second = gain;
  Slot inner, from_root;
  Slot first = begin(v), last = end(v);
  if (is_required(v)) first = required_[v], last = first.next();
  const bool all = fixed_.empty() || is_required(v);
  for (Slot e = first; e < last; ++e) {
    if (!all && excluded_[e] != 0) continue;
    const Edge& edge = edges_[e];
    if (edge.source == 0) {
      if (from_root == kNoSlot || edges_[from_root].gain < edge.gain) from_root = e;
      continue;
    }
    // In terms that need no jumps, for nobody can foretell these.
    const W larger = std::max(edge.gain, gain);
    second = std::max(second, std::min(edge.gain, gain));
    inner = gain < larger ? e : inner;
    gain = larger;
  }
  best_[v] = {gain, second, inner, inner == kNoSlot ? kNoNode : edges_[inner].source, from_root};
}

template class EdgeLists<double>;
template class EdgeLists<Wide128>;
template class EdgeLists<WideAny>;

}  // namespace coppice::engine
