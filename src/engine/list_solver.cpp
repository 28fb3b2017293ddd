#include "engine/list_solver.hpp"

#include <algorithm>
#include <numeric>

namespace coppice::engine {

template <class W>
void ListSolver<W>::load(std::int32_t nodes, const std::vector<Input>& edges, bool single) {
  nodes_ = nodes;
  single_ = single;
  edges_ = edges;
  std::sort(edges_.begin(), edges_.end(), [](const Input& a, const Input& b) {
    if (a.node != b.node) return a.node < b.node;
    return b.weight < a.weight || (!(a.weight < b.weight) && a.candidate < b.candidate);
  });
  begin_.assign(at(nodes) + 1, 0);
  for (const Input& edge : edges_) ++begin_[at(edge.node) + 1];
  for (std::size_t v = 0; v < at(nodes); ++v) begin_[v + 1] += begin_[v];
  required_.assign(at(nodes), kNone);
  excluded_.assign(edges_.size(), 0);
  required_list_.clear();
  excluded_list_.clear();
  open_ = single;
}

template <class W>
void ListSolver<W>::clear() {
  for (Edge e : excluded_list_) excluded_[at(e)] = 0;
  for (Edge e : required_list_) required_[at(edges_[at(e)].node)] = kNone;
  excluded_list_.clear();
  required_list_.clear();
  open_ = single_;
}

template <class W>
void ListSolver<W>::require(Edge e) {
  required_[at(edges_[at(e)].node)] = e;
  required_list_.push_back(e);
  if (edges_[at(e)].head == kRoot) open_ = false;
}

template <class W>
void ListSolver<W>::exclude(Edge e) {
  excluded_[at(e)] = 1;
  excluded_list_.push_back(e);
}

template <class W>
typename ListSolver<W>::Component ListSolver<W>::top(Component c) {
  while (top_[at(c)] != c) c = top_[at(c)] = top_[at(top_[at(c)])];
  return c;
}

template <class W>
typename ListSolver<W>::Edge ListSolver<W>::advance(Edge e, std::int32_t node, Component c) {
  for (; e < begin_[at(node) + 1]; ++e) {
    std::int32_t head = edges_[at(e)].head;
    if (allowed(e) && (head == kRoot || top(head) != c)) return e;
  }
  return kNone;
}

// Heavier first; of equals the first in the order of edges_, so that the outcome depends on the
// edges alone.
template <class W>
bool ListSolver<W>::before(std::int32_t a, std::int32_t b) const {
  W key_a = key(a), key_b = key(b);
  return key_b < key_a || (!(key_a < key_b) && cursor_[at(a)] < cursor_[at(b)]);
}

template <class W>
void ListSolver<W>::settle(std::int32_t cell) {
  Cell& here = cell_[at(cell)];
  if (here.owed == W{}) return;
  for (std::int32_t below : {here.left, here.right}) {
    if (below == kNone) continue;
    cell_[at(below)].taken += here.owed;
    cell_[at(below)].owed += here.owed;
  }
  here.owed = W{};
}

// Skew heaps.
template <class W>
std::int32_t ListSolver<W>::meld(std::int32_t a, std::int32_t b) {
  std::int32_t root = kNone;
  std::int32_t* slot = &root;
  while (a != kNone && b != kNone) {
    if (before(b, a)) std::swap(a, b);
    settle(a);
    *slot = a;
    Cell& here = cell_[at(a)];
    a = here.right;
    here.right = here.left;
    slot = &here.left;
  }
  *slot = a != kNone ? a : b;
  return root;
}

// The component picks its heaviest entering edge; false if there is none.
template <class W>
bool ListSolver<W>::pick(Component c) {
  if (c < nodes_) {
    Edge e = required_[at(c)] != kNone ? required_[at(c)] : advance(begin_[at(c)], c, c);
    if (e == kNone) return pick_open_root(c);
    cursor_[at(c)] = picked_[at(c)] = e;
    y_[at(c)] = edges_[at(e)].weight;
    return true;
  }
  std::int32_t& heap = heap_[at(c)];
  while (heap != kNone) {
    std::int32_t v = heap;
    Edge e = cursor_[at(v)];
    std::int32_t head = edges_[at(e)].head;
    if (head == kRoot || top(head) != c) {
      picked_[at(c)] = e;
      y_[at(c)] = key(v);
      return true;
    }
    settle(v);
    heap = meld(cell_[at(v)].left, cell_[at(v)].right);
    e = required_[at(v)] != kNone ? kNone : advance(e + 1, v, c);
    if (e == kNone) continue;
    cursor_[at(v)] = e;
    cell_[at(v)].left = cell_[at(v)].right = kNone;
    heap = meld(heap, v);
  }
  return pick_open_root(c);
}

// The best root edge into a component that nothing else enters: once per solve, or there is no
// tree.
template <class W>
bool ListSolver<W>::pick_open_root(Component c) {
  if (!open_ || open_root_edge_ != kNone) return false;
  second_root_.reset();
  W best{};
  inside_.assign(1, {c, W{}});
  while (!inside_.empty()) {
    auto [member, below] = inside_.back();
    inside_.pop_back();
    for (Component m = child_[at(member)]; m != kNone; m = sibling_component_[at(m)])
      inside_.push_back({m, below + y_[at(m)]});
    if (member >= nodes_ || required_[at(member)] != kNone) continue;
    for (Edge e = begin_[at(member)]; e < begin_[at(member) + 1]; ++e) {
      if (edges_[at(e)].head != kRoot || excluded_[at(e)] != 0) continue;
      W weight = edges_[at(e)].weight - below;
      if (open_root_edge_ == kNone || best < weight) {
        if (open_root_edge_ != kNone) second_root_ = best;
        open_root_edge_ = e;
        best = weight;
      } else if (!second_root_ || *second_root_ < weight) {
        second_root_ = weight;
      }
    }
  }
  if (open_root_edge_ == kNone) return false;
  picked_[at(c)] = open_root_edge_;
  y_[at(c)] = best;
  open_component_ = c;
  return true;
}

template <class W>
std::optional<W> ListSolver<W>::root_swap() const {
  if (open_root_edge_ == kNone || !second_root_) return std::nullopt;
  return y_[at(open_component_)] - *second_root_;
}

// Contracts the part of path_ from `first` to its end.
template <class W>
typename ListSolver<W>::Component ListSolver<W>::merge(Component first) {
  auto merged = static_cast<Component>(parent_.size());
  parent_.push_back(kNone);
  top_.push_back(merged);
  picked_.push_back(kNone);
  y_.push_back(W{});
  state_.push_back(untouched);
  child_.push_back(kNone);
  sibling_component_.push_back(kNone);
  std::int32_t heap = kNone;
  Component member = kNone;
  do {
    member = path_.back();
    path_.pop_back();
    if (member < nodes_) {
      cell_[at(member)] = {W{}, W{}, kNone, kNone};
      heap_[at(member)] = member;
    }
    std::int32_t own = heap_[at(member)];
    if (own != kNone) {
      cell_[at(own)].taken += y_[at(member)];
      cell_[at(own)].owed += y_[at(member)];
      heap = meld(heap, own);
    }
    parent_[at(member)] = top_[at(member)] = merged;
    sibling_component_[at(member)] = child_[at(merged)];
    child_[at(merged)] = member;
  } while (member != first);
  heap_.push_back(heap);
  return merged;
}

template <class W>
bool ListSolver<W>::solve() {
  auto nodes = at(nodes_);
  parent_.assign(nodes, kNone);
  top_.resize(nodes);
  std::iota(top_.begin(), top_.end(), 0);
  picked_.resize(nodes);
  y_.resize(nodes);
  state_.assign(nodes, untouched);
  child_.assign(nodes, kNone);
  sibling_component_.assign(nodes, kNone);
  heap_.resize(nodes);
  cursor_.resize(nodes);
  cell_.resize(nodes);
  open_root_edge_ = kNone;
  for (std::int32_t start = 0; start < nodes_; ++start) {
    Component c = top(start);
    path_.clear();
    while (c != kRoot && state_[at(c)] != done) {
      if (state_[at(c)] == on_path) c = merge(c);
      if (!pick(c)) return false;
      state_[at(c)] = on_path;
      path_.push_back(c);
      std::int32_t head = edges_[at(picked_[at(c)])].head;
      c = head == kRoot ? kRoot : top(head);
    }
    for (Component on : path_) state_[at(on)] = done;
  }
  expand();
  return true;
}

// From the outside in: an edge that enters a component enters its members down to one node; they
// all have their edge from the level of that component.
template <class W>
void ListSolver<W>::expand() {
  auto components = static_cast<Component>(parent_.size());
  level_.assign(at(components), kNone);
  tree_.assign(at(nodes_), kNone);
  for (Component c = components - 1; c >= 0; --c) {
    if (level_[at(c)] != kNone) continue;  // entered from further out
    Edge e = picked_[at(c)];
    std::int32_t v = edges_[at(e)].node;
    tree_[at(v)] = e;
    for (Component inner = v;; inner = parent_[at(inner)]) {
      level_[at(inner)] = c;
      if (inner == c) break;
    }
  }
  weight_ = W{};
  for (Edge e : tree_) weight_ += edges_[at(e)].weight;
}

// Preorder: the nodes that hang from v have places from place_[v] up to end_[v].
template <class W>
void ListSolver<W>::number_descendants() {
  first_child_.assign(at(nodes_) + 1, kNone);  // of node v at v + 1, of the root at 0
  sibling_.resize(at(nodes_));
  for (std::int32_t v = nodes_ - 1; v >= 0; --v) {
    auto head = at(edges_[at(tree_[at(v)])].head + 1);
    sibling_[at(v)] = first_child_[head];
    first_child_[head] = v;
  }
  place_.resize(at(nodes_));
  end_.resize(at(nodes_));
  std::int32_t place = 0;
  std::int32_t v = first_child_[0];
  while (v != kNone) {
    place_[at(v)] = place++;
    if (first_child_[at(v + 1)] != kNone) {
      v = first_child_[at(v + 1)];
      continue;
    }
    while (v != kRoot) {
      end_[at(v)] = place;
      if (sibling_[at(v)] != kNone) break;
      v = edges_[at(tree_[at(v)])].head;
    }
    v = v == kRoot ? kNone : sibling_[at(v)];
  }
}

// Every component an interval of numbers of nodes, and the sums of y outwards. The component that
// the open root edge entered counts 0: no other edge enters it.
template <class W>
void ListSolver<W>::number_components() {
  auto components = parent_.size();
  above_.resize(components);
  for (std::size_t c = components; c-- > 0;) {
    bool open = open_root_edge_ != kNone && at(open_component_) == c;
    above_[c] = open ? W{} : y_[c];
    if (parent_[c] != kNone) above_[c] += above_[at(parent_[c])];
  }
  last_.assign(components, 0);
  std::fill_n(last_.begin(), nodes_, 1);
  for (std::size_t c = 0; c < components; ++c)
    if (parent_[c] != kNone) last_[at(parent_[c])] += last_[c];
  first_.resize(components);
  from_.resize(components);
  std::int32_t outside = 0;
  for (std::size_t c = components; c-- > 0;) {
    std::int32_t& from = parent_[c] == kNone ? outside : from_[at(parent_[c])];
    first_[c] = from_[c] = from;
    from += last_[c];
    last_[c] = from;
  }
}

template <class W>
bool ListSolver<W>::swaps(W limit, std::size_t most, std::vector<Swap>& swaps) {
  number_descendants();
  swaps.clear();
  swap_nodes(limit, swaps);
  if (parent_.size() > at(nodes_)) {
    number_components();
    swap_components(limit, swaps);
  }
  auto cheaper = [](const Swap& a, const Swap& b) {
    return a.cost < b.cost || (!(b.cost < a.cost) && a.edge < b.edge);
  };
  bool too_many = swaps.size() > most;
  if (too_many) {
    std::nth_element(swaps.begin(), swaps.begin() + static_cast<std::ptrdiff_t>(most), swaps.end(),
                     cheaper);
    swaps.resize(most);
  }
  std::sort(swaps.begin(), swaps.end(), cheaper);
  return too_many;
}

// Edges that were picked by a node alone.
template <class W>
void ListSolver<W>::swap_nodes(W limit, std::vector<Swap>& swaps) const {
  for (std::int32_t v = 0; v < nodes_; ++v) {
    if (level_[at(v)] != v || required_[at(v)] != kNone || tree_[at(v)] == open_root_edge_)
      continue;
    for (Edge e = begin_[at(v)]; e < begin_[at(v) + 1]; ++e) {  // heaviest first
      if (e == tree_[at(v)] || !allowed(e) || is_below(edges_[at(e)].head, v)) continue;
      W cost = y_[at(v)] - edges_[at(e)].weight;
      if (!(limit < cost)) swaps.push_back({cost, tree_[at(v)]});
      break;
    }
  }
}

// Edges that were picked by a component. What edge f into t costs at the level of a component c
// around t is key(f) less a constant of c, so the cheapest keys come first and every component
// takes the first that fits. Going outwards from t the components that f enters come first; and
// what hangs from their entries grows, so that the walk may end where f comes from below.
template <class W>
void ListSolver<W>::swap_components(W limit, std::vector<Swap>& swaps) {
  auto components = parent_.size();
  entry_.assign(components, kNone);
  for (std::int32_t v = 0; v < nodes_; ++v)
    if (level_[at(v)] >= nodes_ && tree_[at(v)] != open_root_edge_) entry_[at(level_[at(v)])] = v;
  next_open_.resize(components);
  for (std::size_t c = 0; c < components; ++c)
    next_open_[c] = entry_[c] != kNone ? static_cast<Component>(c) : parent_[c];
  auto nearest = [&](Component c) {
    while (c != kNone && next_open_[at(c)] != c) {
      Component out = next_open_[at(c)];
      if (out != kNone) next_open_[at(c)] = next_open_[at(out)];
      c = out;
    }
    return c;
  };
  entering_.clear();
  for (std::int32_t t = 0; t < nodes_; ++t) {
    if (parent_[at(t)] == kNone || required_[at(t)] != kNone) continue;
    for (Edge e = begin_[at(t)]; e < begin_[at(t) + 1]; ++e) {
      W key = above_[at(t)] - edges_[at(e)].weight;
      if (limit < key) break;  // heaviest first; at any level it costs no less
      if (e != tree_[at(t)] && allowed(e)) entering_.push_back({key, e});
    }
  }
  std::sort(entering_.begin(), entering_.end(), [](const Entering& a, const Entering& b) {
    return a.key < b.key || (!(b.key < a.key) && a.edge < b.edge);
  });
  for (const Entering& entering : entering_) {
    const Input& edge = edges_[at(entering.edge)];
    Component c = nearest(parent_[at(edge.node)]);
    while (c != kNone && !contains(c, edge.head) && !is_below(edge.head, entry_[at(c)])) {
      W cost = entering.key;
      if (parent_[at(c)] != kNone) cost -= above_[at(parent_[at(c)])];
      if (!(limit < cost)) swaps.push_back({cost, tree_[at(entry_[at(c)])]});
      next_open_[at(c)] = parent_[at(c)];
      c = nearest(c);
    }
  }
}

template class ListSolver<double>;
template class ListSolver<std::int64_t>;

}  // namespace coppice::engine
