#include "engine/solve/contraction.hpp"

#include <algorithm>
#include <functional>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
bool Contraction<W>::solve(const EdgeLists<W>& lists) {
  lists_ = &lists;
  price_ = W{};
  open_root_edge_ = kNoSlot;
  const auto nodes = place_of(lists.nodes());
  forest_.reset(lists.nodes());
  inner_.start(lists, forest_);
  from_root_.resize(nodes);
  picked_.resize(nodes);
  y_.resize(nodes);
  y_[Component(0)] = W{};
  for (Node v = 1; v < lists.nodes(); ++v) {
    poll_at(v);
    if (!pick(Component(v))) return false;
  }
  const bool found = forest_.contract(
      [&](Component c) { return is_node(c) || pick(c); }, [&](Component c) { return source(c); },
      [&](std::span<const Component> cycle) { return merge(cycle); });
  if (!found || (lists.is_open() && !leave_one_root_edge())) return false;
  expand();
  return true;
}

// The best root edge into a component.
template <class W>
Entering<W> Contraction<W>::from_root(Component c) const {
  if (!is_node(c)) return from_root_[c];
  const Slot e = lists_->root_edge(c.value());
  if (e == kNoSlot) return {};
  return {lists_->edge(e).gain, {e, 0, c.value()}};
}

// The component picks its best entering edge. False: nothing enters it.
template <class W>
bool Contraction<W>::pick(Component c) {
  const Entering<W> inner = inner_.best(c), root = from_root(c);
  pick(c, inner.key < root.key ? root : inner);
  return picked_[c].exists();
}

template <class W>
void Contraction<W>::pick(Component c, const Entering<W>& edge) {
  picked_[c] = edge.pick;
  y_[c] = edge.key;
}

template <class W>
Component Contraction<W>::merge(std::span<const Component> cycle) {
  const Component merged = forest_.merge(cycle);
  inner_.merge(cycle, y_);
  Entering<W> root;
  for (Component member : cycle) {
    Entering<W> other = from_root(member);
    if (!other.exists()) continue;
    other.key -= y_[member];
    if (root.key < other.key) root = other;
  }
  from_root_.push_back(root);
  picked_.push_back({});
  y_.push_back(W{});
  return merged;
}

// Raises the price until one component hangs from the root. False: two have no other edge, so there
// is no tree.
template <class W>
bool Contraction<W>::leave_one_root_edge() {
  find_children();
  while (children_.size() > 1) {
    poll();
    std::pop_heap(children_.begin(), children_.end(), std::greater<>());
    const Child next = children_.back();
    children_.pop_back();
    if (next.highest_price == highest<W>()) return false;
    price_ = std::max(price_, next.highest_price);
    give_up_root_edge(next.component);
  }
  if (children_.empty()) return false;
  Entering<W> root = from_root(children_.front().component);
  root.key -= price_;
  pick(children_.front().component, root);
  open_root_edge_ = root.pick.edge;
  return true;
}

// All that hang from the root.
template <class W>
void Contraction<W>::find_children() {
  children_.clear();
  towards_root_.resize(place_of(forest_.end()));
  for (Component c(1); c < forest_.end(); ++c) {
    if (forest_.parent(c) != kNoComponent) continue;
    const Component above = forest_.top(source(c));
    towards_root_[c] = above == Component(0) ? c : above;
    if (above == Component(0)) children_.push_back({W{}, c});
  }
  if (children_.size() == 1) return;
  for (Child& child : children_) child.highest_price = highest_price(child.component);
  std::make_heap(children_.begin(), children_.end(), std::greater<>());
}

template <class W>
W Contraction<W>::highest_price(Component c) {
  const Entering<W> other = inner_.best(c);
  return other.exists() ? from_root(c).key - other.key : highest<W>();
}

// Takes its best other edge instead. Where that closes a cycle, the cycle becomes a component,
// which hangs from the root again.
template <class W>
void Contraction<W>::give_up_root_edge(Component c) {
  pick(c, inner_.best(c));
  const Component child = towards_root_[c];  // of all that hang from the root by the same edge
  if (const Component above = forest_.top(source(c)); last_of(towards_root_, above) != child) {
    towards_root_[child] = above;
    return;
  }
  cycle_.assign(1, c);
  for (Component above = c; (above = forest_.top(source(above))) != c;) cycle_.push_back(above);
  const Component merged = merge(cycle_);
  towards_root_.push_back(child);
  for (Component member : cycle_) towards_root_[member] = child;
  children_.push_back({highest_price(merged), merged});
  std::push_heap(children_.begin(), children_.end(), std::greater<>());
}

// From the outside in: an edge that enters a component enters its members down to one node; they
// all have their edge from the level of that component.
template <class W>
void Contraction<W>::expand() {
  gain_ = W{};
  tree_.resize(place_of(lists_->nodes()));
  level_.assign(place_of(forest_.end()), kNoComponent);
  for (Component c = forest_.end(); --c > Component(0);) {
    if (level_[c] != kNoComponent) continue;
    const auto [edge, source, target] = picked_[c];
    tree_[target] = edge;
    gain_ += lists_->edge(edge).gain;
    level_[c] = c;
    for (Component inner(target); inner != c; inner = forest_.parent(inner)) level_[inner] = c;
  }
}

template class Contraction<double>;
template class Contraction<Wide128>;
template class Contraction<WideAny>;

}  // namespace coppice::engine
