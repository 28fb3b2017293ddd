#include "engine/solve/sparse.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
void Sparse<W>::start(RootRule rule) {
  prepare(rule);
  for (Node v = 1; v < nodes_; ++v) {
    poll_at(v);
    look_at(v);
  }
}

template <class W>
void Sparse<W>::prepare(RootRule rule) {
  nodes_ = begin_.end_index() - 1;
  rule_ = rule;
  open_ = rule == RootRule::single;
  sorted_lists_ = false;
  required_.clear();
  excluded_.clear();
  required_list_.clear();
  excluded_list_.clear();
  best_.assign(place_of(nodes_), Pick{});
  second_.assign(place_of(nodes_), lowest<W>());
  root_edge_.assign(place_of(nodes_), kNoSlot);
  changed_.clear();
}

template <class W>
void Sparse<W>::start_subproblems() {
  for (Node v = 1; v < nodes_; ++v) {
    poll();
    sort_polling(edges_.begin() + begin(v).value(), edges_.begin() + end(v).value(),
                 [](const Edge& a, const Edge& b) {
                   return b.gain < a.gain || (!(a.gain < b.gain) && a.id < b.id);
                 });
  }
  sorted_lists_ = true;
  targets_.resize(edges_.size());
  for (Node v = 1; v < nodes_; ++v)
    for (Slot e = begin(v); e < end(v); ++e) targets_[e] = v;
  required_.assign(place_of(nodes_), kNoSlot);
  excluded_.assign(edges_.size(), 0);
  for (Node v = 1; v < nodes_; ++v) look_at(v);
}

template <class W>
void Sparse<W>::clear() {
  for (Slot e : excluded_list_) {
    excluded_[e] = 0;
    changed_.push_back(targets_[e]);
  }
  for (Slot e : required_list_) {
    required_[targets_[e]] = kNoSlot;
    changed_.push_back(targets_[e]);
  }
  excluded_list_.clear();
  required_list_.clear();
  open_ = rule_ == RootRule::single;
}

template <class W>
void Sparse<W>::require(Slot e) {
  required_[targets_[e]] = e;
  required_list_.push_back(e);
  changed_.push_back(targets_[e]);
  if (edges_[e].source == 0) open_ = false;
}

template <class W>
void Sparse<W>::exclude(Slot e) {
  excluded_[e] = 1;
  excluded_list_.push_back(e);
  changed_.push_back(targets_[e]);
}

template <class W>
Slot Sparse<W>::root_edge_into(Node v) const {
  return rule_ == RootRule::any || open_ || is_required(v) ? root_edge_[v] : kNoSlot;
}

template <class W>
bool Sparse<W>::solve() {
  for (Node v : changed_) look_at(v);
  changed_.clear();
  price_ = W{};
  open_root_edge_ = kNoSlot;
  numbered_ = false;
  start_contraction();
  Node root_edges = 0;
  for (Node v = 1; v < nodes_; ++v) {
    poll_at(v);
    if (!pick(Component(v))) return false;
    if (picked_[Component(v)].source == 0) ++root_edges;
  }
  if (!take_greedy_tree(root_edges)) {
    if (!contract() || (open_ && !leave_one_root_edge())) return false;
    expand();
  }
  sum_up();
  return true;
}

// True: the edges that nodes pick are a tree already.
template <class W>
bool Sparse<W>::take_greedy_tree(Node root_edges) {
  if (open_ && root_edges != 1) return false;
  if (!is_tree_(nodes_, [&](Node v) { return picked_[Component(v)].source; })) return false;
  for (Node v = 1; v < nodes_; ++v) {
    take_edge(v, picked_[Component(v)].edge, Component(v));
    if (open_ && picked_[Component(v)].source == 0) open_root_edge_ = tree_[v];
  }
  return true;
}

template <class W>
void Sparse<W>::start_contraction() {
  const auto nodes = place_of(nodes_);
  forest_.reset(nodes_);
  picked_.resize(nodes);
  y_.assign(nodes, W{});
  heap_.assign(nodes, kNoHeap);
  entering_.resize(nodes);
  sorted_.clear();
  from_root_.assign(nodes, Pick{});
  for (Node v = 1; v < nodes_; ++v)
    if (const Slot e = root_edge_into(v); e != kNoSlot) from_root_[Component(v)] = pick_of(e, v);
  heaps_.reset(nodes_);
  tree_.assign(nodes, kNoSlot);
  level_.assign(nodes, kNoComponent);
}

template <class W>
bool Sparse<W>::contract() {
  return forest_.contract(
      [&](Component c) { return is_node(c) || pick(c); },
      [&](Component c) { return Component(picked_[c].source); },
      [&](std::span<const Component> cycle) { return merge(cycle); });
}

// The component picks its best entering edge. False: nothing enters it.
template <class W>
bool Sparse<W>::pick(Component c) {
  picked_[c] = best_inner(c);
  if (const Pick& root = from_root_[c]; root.exists() && picked_[c].gain < root.gain)
    picked_[c] = root;
  y_[c] = picked_[c].gain;
  return picked_[c].exists();
}

// The best edge into a component that does not come from the root.
template <class W>
typename Sparse<W>::Pick Sparse<W>::best_inner(Component c) {
  if (is_node(c)) return best_[c.value()];
  const Heap heap = heap_[c];
  if (heaps_.nodes(heap) == nodes_ - 1) return {};  // only the root is outside
  while (!heaps_.empty(heap)) {
    const Node v = heaps_.top(heap);
    if (const Slot known = entering_[v].edge;
        known != kNoSlot && !is_inside(edges_[known].source, c))
      return {heaps_.key(heap), known, edges_[known].source, v};
    const Slot next = next_edge(v, c);
    const Node near = next == kNoSlot ? heaps_.pop(heap) : heaps_.change(heap, edges_[next].gain);
    if (near != kNoNode) ask_for(near);
  }
  return {};
}

// The best edge into a node that comes from outside the component, but not from the root; or
// kNoSlot. What is inside stays inside, so that in the order of their gains edges are passed over
// but once; of few edges the best one is found sooner than their order.
template <class W>
Slot Sparse<W>::next_edge(Node v, Component around) {
  constexpr std::int32_t kFew = 16;
  auto enters = [&](Slot e) {
    return edges_[e].source != 0 && may_take(e) && !is_inside(edges_[e].source, around);
  };
  auto& [edge, place] = entering_[v];
  if (is_required(v)) return edge = kNoSlot;  // it was picked by the node alone
  if (!sorted_lists_ && end(v).value() - begin(v).value() <= kFew) {
    edge = kNoSlot;
    for (Slot e = begin(v); e < end(v); ++e)
      if ((edge == kNoSlot || edges_[edge].gain < edges_[e].gain) && enters(e)) edge = e;
    return edge;
  }
  if (place == kUnsorted) place = sorted_lists_ ? place_of(begin(v)) : sort_edges(v);
  auto at = [&] {
    if (!sorted_lists_) return sorted_[place];
    const Slot e(static_cast<std::int32_t>(place));
    return e < end(v) ? e : kNoSlot;
  };
  for (edge = at(); edge != kNoSlot && !enters(edge); edge = at()) ++place;
  return edge;
}

// All edges into a node but those from the root, the best first, and behind them kNoSlot. Returns
// where the first one stands.
template <class W>
std::size_t Sparse<W>::sort_edges(Node v) {
  const std::size_t first = sorted_.size();
  for (Slot e = begin(v); e < end(v); ++e)
    if (edges_[e].source != 0) sorted_.push_back(e);
  sort_polling(sorted_.begin() + static_cast<std::ptrdiff_t>(first), sorted_.end(),
               [&](Slot a, Slot b) {
                 return edges_[b].gain < edges_[a].gain ||
                        (!(edges_[a].gain < edges_[b].gain) && a < b);
               });
  sorted_.push_back(kNoSlot);
  return first;
}

// Brings to the cache what next_edge() is going to look at.
template <class W>
void Sparse<W>::ask_for(Node v) const {
  constexpr std::int32_t kLine = 64 / sizeof(Edge) > 0 ? 64 / sizeof(Edge) : 1;
  hwy::Prefetch(entering_.data() + place_of(v));
  const std::int32_t last = std::min(begin(v).value() + 3 * kLine, end(v).value());
  for (std::int32_t e = begin(v).value(); e < last; e += kLine)
    hwy::Prefetch(edges_.data() + place_of(e));
}

template <class W>
Component Sparse<W>::merge(std::span<const Component> cycle) {
  const Component merged = forest_.merge(cycle);
  picked_.push_back({});
  Pick root;
  for (Component member : cycle) {
    if (!from_root_[member].exists()) continue;
    Pick other = from_root_[member];
    other.gain -= y_[member];
    if (!root.exists() || root.gain < other.gain) root = other;
  }
  from_root_.push_back(root);
  heap_.push_back(merge_heaps(cycle));
  y_.push_back(W{});
  level_.push_back(kNoComponent);
  return merged;
}

// One heap of those of all members, each with what it picked on top. A node that has been alone is
// put there by a bound, its second best edge: most nodes never come to the top.
template <class W>
Heap Sparse<W>::merge_heaps(std::span<const Component> cycle) {
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
      entering_[v] = {};
      if (second_[v] == lowest<W>())
        heaps_.count(merged);
      else
        heaps_.add(merged, v, second_[v], y_[member]);
    } else if (heap_[member] != merged) {
      heaps_.sink(heap_[member]);
      heaps_.move(heap_[member], merged);
    }
  }
  return merged;
}

template <class W>
struct Sparse<W>::Picks {
  Sparse& solver;

  Component source(Component c) const { return Component(solver.picked_[c].source); }
  W highest_price(Component c) const {
    const Pick other = solver.best_inner(c);
    return other.exists() ? solver.from_root_[c].gain - other.gain : highest<W>();
  }
  void pick_other_edge(Component c) const {
    solver.picked_[c] = solver.best_inner(c);
    solver.y_[c] = solver.picked_[c].gain;
  }
  Component merge(std::span<const Component> cycle) const { return solver.merge(cycle); }
};

template <class W>
bool Sparse<W>::leave_one_root_edge() {
  if (!root_price_.leave_one(forest_, Picks{*this}, price_)) return false;
  const Component child = root_price_.first();
  picked_[child] = from_root_[child];
  y_[child] = from_root_[child].gain - price_;
  open_root_edge_ = picked_[child].edge;
  return true;
}

// From the outside in: an edge that enters a component enters its members down to one node; they
// all have their edge from the level of that component.
template <class W>
void Sparse<W>::expand() {
  level_.assign(place_of(forest_.end()), kNoComponent);
  for (Component c = forest_.end(); --c > Component(0);)
    if (level_[c] == kNoComponent) take_edge(picked_[c].target, picked_[c].edge, c);
}

template <class W>
void Sparse<W>::take_edge(Node v, Slot edge, Component entered) {
  tree_[v] = edge;
  for (Component c(v);; c = forest_.parent(c)) {
    level_[c] = entered;
    if (c == entered) break;
  }
}

template <class W>
void Sparse<W>::sum_up() {
  gain_ = W{};
  for (Node v = 1; v < nodes_; ++v) gain_ += edges_[tree_[v]].gain;
}

// --- Reduced costs and swaps ---

// The sums of y outwards.
template <class W>
void Sparse<W>::number_components() {
  if (numbered_) return;
  numbered_ = true;
  intervals_.build(nodes_, forest_.parents());
  above_.resize(y_.size());
  for (Component c = forest_.end(); --c > Component(0);) {
    const Component outer = forest_.parent(c);
    above_[c] = y_[c];
    if (outer != kNoComponent) above_[c] += above_[outer];
  }
}

template <class W>
W Sparse<W>::reduced_cost(Slot e, Node t) {
  W sum = y_[Component(t)];
  if (forest_.parent(Component(t)) != kNoComponent) {
    number_components();
    for (Component c = forest_.parent(Component(t));
         c != kNoComponent && !intervals_.contains(c, edges_[e].source); c = forest_.parent(c))
      sum += y_[c];
  }
  return sum - priced_gain(e);
}

// The other root edge may enter the same outermost component as that of the tree; or another, and
// then the first one needs an edge from elsewhere.
template <class W>
std::optional<W> Sparse<W>::root_swap() {
  if (open_root_edge_ == kNoSlot) return std::nullopt;
  number_components();
  std::optional<W> same, other, entry;
  auto keep_least = [](std::optional<W>& least, const W& cost) {
    if (!least || cost < *least) least = cost;
  };
  Component child = kNoComponent;
  for (Node v = 1; v < nodes_; ++v)
    if (tree_[v] == open_root_edge_) child = Component(v);
  while (forest_.parent(child) != kNoComponent) child = forest_.parent(child);
  auto inside = [&](Node v) { return intervals_.contains(child, v); };
  for (Node v = 1; v < nodes_; ++v) {
    poll_at(v);
    if (is_required(v)) continue;
    const W sum = above_[Component(v)];
    for (Slot e = begin(v); e < end(v); ++e) {
      if (e == open_root_edge_ || !may_take(e)) continue;
      const Node s = edges_[e].source;
      if (s == 0)
        keep_least(inside(v) ? same : other, sum - priced_gain(e));
      else if (inside(v) && !inside(s))
        keep_least(entry, sum - edges_[e].gain);
    }
  }
  if (other && entry) keep_least(same, *other + *entry);
  return same;
}

// The cheapest swaps: at most so many, and none above the limit.
template <class W>
class Sparse<W>::CheapestSwaps {
 public:
  CheapestSwaps(const W& limit, std::size_t most, std::vector<Swap<W>>& swaps)
      : limit_(limit), most_(most), swaps_(swaps) {
    swaps_.clear();
  }
  void add(const Swap<W>& swap) {
    if (limit_ < swap.cost) return;
    swaps_.push_back(swap);
    if (swaps_.size() / 2 >= most_) keep_cheapest();
  }
  // What costs more need not be added any more.
  const W& limit() const { return limit_; }
  // True if some may have been left out for being too many.
  bool sort() {
    if (swaps_.size() > most_) keep_cheapest();
    std::sort(swaps_.begin(), swaps_.end(), cheaper);
    return too_many_;
  }
  void tighten() {
    if (swaps_.size() >= most_) keep_cheapest();
  }
  static bool cheaper(const Swap<W>& a, const Swap<W>& b) {
    return a.cost < b.cost || (!(b.cost < a.cost) && a.edge < b.edge);
  }

 private:
  void keep_cheapest() {
    const auto last = swaps_.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
    std::nth_element(swaps_.begin(), last, swaps_.end(), cheaper);
    limit_ = last->cost;
    too_many_ = true;  // or will be: from now on what costs more is not even added
    swaps_.resize(most_);
  }

  W limit_;
  std::size_t most_;
  std::vector<Swap<W>>& swaps_;
  bool too_many_ = false;
};

template <class W>
bool Sparse<W>::swaps(const W& limit, std::size_t most, std::vector<Swap<W>>& swaps) {
  preorder_.build(nodes_, [&](Node v) { return edges_[tree_[v]].source; });
  CheapestSwaps cheapest(limit, most, swaps);
  swap_nodes(cheapest);
  if (forest_.end() > Component(nodes_)) {
    cheapest.tighten();
    number_components();
    swap_components(cheapest);
  }
  return cheapest.sort();
}

// Edges that were picked by a node alone.
template <class W>
void Sparse<W>::swap_nodes(CheapestSwaps& swaps) const {
  for (Node v = 1; v < nodes_; ++v) {
    poll_at(v);
    if (level_[Component(v)] != Component(v) || is_required(v) || tree_[v] == open_root_edge_)
      continue;
    for (Slot e = begin(v); e < end(v); ++e) {  // the best first
      const W cost = y_[Component(v)] - edges_[e].gain;
      if (swaps.limit() < cost) break;
      if (e == tree_[v] || !is_alternative(e) || preorder_.is_below(edges_[e].source, v)) continue;
      swaps.add({cost, tree_[v]});
      break;
    }
  }
}

// Edges that were picked by a component. What an edge into t costs at the level of a component c
// around t is its key less a constant of c. So with the cheapest keys first every component takes
// the first edge that fits. Going outwards from t the components that the edge enters come first;
// what hangs from their entries grows, so that the walk may end where the edge comes from below.
template <class W>
void Sparse<W>::swap_components(CheapestSwaps& swaps) {
  entry_.assign(y_.size(), kNoNode);
  for (Node v = 1; v < nodes_; ++v)
    if (tree_[v] != open_root_edge_) entry_[level_[Component(v)]] = v;
  next_open_.resize(y_.size());
  for (Component c = forest_.end(); --c >= Component(0);) {
    const Component outer = forest_.parent(c);
    const bool is_open = entry_[c] != kNoNode && !is_node(c);
    next_open_[c] = is_open ? c : outer == kNoComponent ? kNoComponent : next_open_[outer];
  }
  list_entering(swaps.limit());
  std::size_t sorted = 0;
  for (std::size_t i = 0; i < entering_edges_.size(); ++i) {
    if (i == sorted) sorted = sort_entering(i);
    const auto [key, e] = entering_edges_[i];
    if (swaps.limit() < key) return;
    const Node t = targets_[e];
    Component c = nearest_open(forest_.parent(Component(t)));
    while (c != kNoComponent && fits(edges_[e].source, c)) {
      const Component outer = forest_.parent(c);
      swaps.add({outer == kNoComponent ? key : key - above_[outer], tree_[entry_[c]]});
      next_open_[c] = outer;
      c = nearest_open(c);
    }
  }
}

// The edges into components that need a swap. The key of an edge is what it costs where no
// component is around it; inside others it costs no less.
template <class W>
void Sparse<W>::list_entering(const W& limit) {
  entering_edges_.clear();
  for (Node t = 1; t < nodes_; ++t) {
    poll_at(t);
    const Component c = nearest_open(forest_.parent(Component(t)));
    if (c == kNoComponent || is_required(t)) continue;
    for (Slot e = begin(t); e < end(t); ++e) {  // the best first
      const W key = above_[Component(t)] - edges_[e].gain;
      if (limit < key) break;
      if (e != tree_[t] && is_alternative(e) && !intervals_.contains(c, edges_[e].source))
        entering_edges_.push_back({key, e});
    }
  }
}

// Puts the cheapest of those from `begin` on first, in order: some of them. Returns their end.
template <class W>
std::size_t Sparse<W>::sort_entering(std::size_t begin) {
  // Most often a few are enough; if not, ever more.
  const std::size_t end = std::min(entering_edges_.size(), std::max<std::size_t>(64, 4 * begin));
  const auto first = entering_edges_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = entering_edges_.begin() + static_cast<std::ptrdiff_t>(end);
  if (end < entering_edges_.size())
    std::nth_element(first, last, entering_edges_.end(), CheapestSwaps::cheaper);
  sort_polling(first, last, CheapestSwaps::cheaper);
  return end;
}

template <class W>
Component Sparse<W>::nearest_open(Component c) {
  while (c != kNoComponent && next_open_[c] != c) {
    const Component out = next_open_[c];
    if (out != kNoComponent) next_open_[c] = next_open_[out];
    c = out;
  }
  return c;
}

template class Sparse<double>;
template class Sparse<Wide128>;
template class Sparse<WideAny>;

}  // namespace coppice::engine
