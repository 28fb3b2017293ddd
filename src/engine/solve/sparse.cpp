#include "engine/solve/sparse.hpp"

#include <algorithm>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
bool Sparse<W>::solve() {
  this->find_best();
  numbered_ = false;
  return contraction_.solve(*this);
}

template <class W>
W Sparse<W>::priced_gain(Slot e) const {
  const auto& edge = this->edge(e);
  return edge.source == 0 ? edge.gain - price() : edge.gain;
}

// May the swaps of the tree's edges take it?
template <class W>
bool Sparse<W>::is_alternative(Slot e) const {
  return this->may_take(e) && !(this->rule() == RootRule::single && source(e) == 0);
}

// The tree's edge into v has no swap.
template <class W>
bool Sparse<W>::keeps(Node v) const {
  return this->is_required(v) || tree(v) == open_root_edge();
}

// Finds what is inside each component, and the sums of y outwards.
template <class W>
void Sparse<W>::number_components() {
  if (numbered_) return;
  numbered_ = true;
  intervals_.build(this->nodes(), parents());
  above_ = y();
  for (Component c = above_.end_index(); --c > Component(0);)
    if (parent(c) != kNoComponent) above_[c] += above_[parent(c)];
}

template <class W>
W Sparse<W>::reduced_cost(Slot e, Node t) {
  Component c(t);
  W sum = y()[c];
  if (parent(c) != kNoComponent) number_components();
  while ((c = parent(c)) != kNoComponent && !intervals_.contains(c, source(e))) sum += y()[c];
  return sum - priced_gain(e);
}

// The other root edge may enter the same outermost component as that of the tree; or another, and
// then the first one needs an edge from elsewhere.
template <class W>
std::optional<W> Sparse<W>::root_swap() {
  const Slot root_edge = open_root_edge();
  if (root_edge == kNoSlot) return std::nullopt;
  number_components();
  std::optional<W> same, other, entry;
  auto keep_least = [](std::optional<W>& least, const W& cost) {
    if (!least || cost < *least) least = cost;
  };
  const Component child = contraction_.picked_by(this->target(root_edge));
  auto inside = [&](Node v) { return intervals_.contains(child, v); };
  for (Node v = 1; v < this->nodes(); ++v) {
    poll_at(v);
    if (this->is_required(v)) continue;
    const W& sum = above_[Component(v)];
    for (Slot e = this->begin(v); e < this->end(v); ++e) {
      if (e == root_edge || !this->may_take(e)) continue;
      if (source(e) == 0)
        keep_least(inside(v) ? same : other, sum - priced_gain(e));
      else if (inside(v) && !inside(source(e)))
        keep_least(entry, sum - priced_gain(e));
    }
  }
  if (other && entry) keep_least(same, *other + *entry);
  return same;
}

// The cheapest swaps so far, as a heap: at most so many, and none above the limit.
template <class W>
class Sparse<W>::Cheapest {
 public:
  Cheapest(const W& limit, std::size_t most, std::vector<Swap<W>>& swaps)
      : limit_(limit), most_(most), swaps_(swaps) {
    swaps_.clear();
  }
  void add(const Swap<W>& swap) {
    swaps_.push_back(swap);
    std::push_heap(swaps_.begin(), swaps_.end());
    if (swaps_.size() <= most_) return;
    std::pop_heap(swaps_.begin(), swaps_.end());
    swaps_.pop_back();
  }
  // What costs more need not be added.
  const W& limit() const { return swaps_.size() == most_ ? swaps_.front().cost : limit_; }

 private:
  W limit_;
  std::size_t most_;
  std::vector<Swap<W>>& swaps_;
};

template <class W>
bool Sparse<W>::swaps(const W& limit, std::size_t most, std::vector<Swap<W>>& swaps) {
  preorder_.build(this->nodes(), [&](Node v) { return source(tree(v)); });
  Cheapest cheapest(limit, most, swaps);
  swap_nodes(cheapest);
  if (contraction_.end() > Component(this->nodes())) swap_components(cheapest);
  std::sort_heap(swaps.begin(), swaps.end());
  return swaps.size() == most;
}

// Edges that were picked by a node alone.
template <class W>
void Sparse<W>::swap_nodes(Cheapest& swaps) const {
  for (Node v = 1; v < this->nodes(); ++v) {
    poll_at(v);
    if (contraction_.picked_by(v) != Component(v) || keeps(v)) continue;
    const Slot own = tree(v);
    for (Slot e = this->begin(v); e < this->end(v); ++e) {  // the best first
      const W cost = y()[Component(v)] - this->edge(e).gain;
      if (swaps.limit() < cost) break;
      if (e == own || !is_alternative(e) || preorder_.is_below(source(e), v)) continue;
      swaps.add({cost, own});
      break;
    }
  }
}

// Edges that were picked by a component. What an edge into t costs at the level of a component c
// around t is its key less a constant of c. So with the cheapest keys first every component takes
// the first edge that fits. Going outwards from t the components that the edge enters come first;
// what hangs from their entries grows, so that the walk may end where the edge comes from below.
template <class W>
void Sparse<W>::swap_components(Cheapest& swaps) {
  number_components();
  entry_.assign(above_.size(), kNoNode);
  for (Node v = 1; v < this->nodes(); ++v)
    if (const Component c = contraction_.picked_by(v); !is_node(c) && !keeps(v)) entry_[c] = v;
  next_open_.resize(above_.size());
  for (Component c = next_open_.end_index(); --c >= Component(0);) {
    const Component outer = parent(c);
    next_open_[c] = entry_[c] != kNoNode    ? c
                    : outer == kNoComponent ? kNoComponent
                                            : next_open_[outer];
  }
  list_entering(swaps.limit());
  // Most often a few of them are enough, so that they are not sorted.
  auto dearer = [](const Swap<W>& a, const Swap<W>& b) { return b < a; };
  std::make_heap(entering_.begin(), entering_.end(), dearer);
  for (; !entering_.empty(); entering_.pop_back()) {
    std::pop_heap(entering_.begin(), entering_.end(), dearer);
    const auto [key, e] = entering_.back();
    if (swaps.limit() < key) return;
    Component c = nearest_open(parent(Component(this->target(e))));
    while (c != kNoComponent && fits(source(e), c)) {
      const W cost = parent(c) == kNoComponent ? key : key - above_[parent(c)];
      if (!(swaps.limit() < cost)) swaps.add({cost, tree(entry_[c])});
      next_open_[c] = parent(c);
      c = nearest_open(c);
    }
  }
}

// The edges into components that need a swap. The key of an edge is what it costs where no
// component is around it; inside others it costs no less.
template <class W>
void Sparse<W>::list_entering(const W& limit) {
  entering_.clear();
  for (Node t = 1; t < this->nodes(); ++t) {
    poll_at(t);
    const Component c = nearest_open(parent(Component(t)));
    if (c == kNoComponent || this->is_required(t)) continue;
    for (Slot e = this->begin(t); e < this->end(t); ++e) {  // the best first
      const W key = above_[Component(t)] - this->edge(e).gain;
      if (limit < key) break;
      if (e != tree(t) && is_alternative(e) && !intervals_.contains(c, source(e)))
        entering_.push_back({key, e});
    }
  }
}

template class Sparse<double>;
template class Sparse<Wide128>;
template class Sparse<WideAny>;

}  // namespace coppice::engine
