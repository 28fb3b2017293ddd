#include "engine/list_solver.hpp"

#include <algorithm>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
void ListSolver<W>::load(Node nodes, std::vector<Input>& edges, RootRule rule) {
  nodes_ = nodes;
  rule_ = rule;
  auto by_node = [](const Input& a, const Input& b) { return a.node < b.node; };
  if (!std::is_sorted(edges.begin(), edges.end(), by_node))
    sort_polling(edges.begin(), edges.end(), by_node);
  begin_.assign(place_of(nodes) + 1, Edge(0));
  for (const Input& edge : edges) ++begin_[edge.node + 1];
  for (Node v = 0; v < nodes; ++v) {
    begin_[v + 1] = Edge(begin_[v + 1].value() + begin_[v].value());
    poll();
    sort_polling(edges.begin() + begin_[v].value(), edges.begin() + begin_[v + 1].value(),
                 [](const Input& a, const Input& b) {
                   return b.weight < a.weight || (!(a.weight < b.weight) && a.id < b.id);
                 });
  }
  edges_.swap(edges);
  required_.assign(place_of(nodes), kNone);
  excluded_.assign(edges_.size(), 0);
  required_list_.clear();
  excluded_list_.clear();
  open_ = rule == RootRule::single;
  adopted_ = may_keep_ = false;
}

template <class W>
void ListSolver<W>::adopt(const Indexed<Node, Edge>& tree,
                          const Indexed<Component, Component>& parents,
                          const Indexed<Component, W>& y, const Indexed<Node, Component>& entered) {
  adopted_ = true;
  numbered_ = may_keep_ = false;
  forest_.take(parents);
  y_ = y;
  level_.assign(y.size(), kNoComponent);
  tree_.assign(place_of(nodes_), kNone);
  price_ = W{};
  open_root_edge_ = kNone;
  for (Node v = 1; v < nodes_; ++v) {
    take_edge(v, tree[v], entered[v]);
    if (open_ && edges_[tree[v]].head == 0) open_root_edge_ = tree[v];
  }
  sum_up();
}

template <class W>
void ListSolver<W>::clear() {
  for (Edge e : excluded_list_) excluded_[e] = 0;
  for (Edge e : required_list_) required_[edges_[e].node] = kNone;
  excluded_list_.clear();
  required_list_.clear();
  open_ = rule_ == RootRule::single;
}

template <class W>
void ListSolver<W>::require(Edge e) {
  required_[edges_[e].node] = e;
  required_list_.push_back(e);
  if (edges_[e].head == 0) open_ = false;
}

template <class W>
void ListSolver<W>::exclude(Edge e) {
  excluded_[e] = 1;
  excluded_list_.push_back(e);
}

// The first edge from e on into the same node that may be used and comes from outside c.
template <class W>
typename ListSolver<W>::Edge ListSolver<W>::advance(Edge e, Component c) {
  const Edge end = begin_[(is_node(c) ? c.value() : edges_[e].node) + 1];
  for (; e < end; ++e)
    if (allowed(e) && forest_.top(Component(edges_[e].head)) != c) return e;
  return kNone;
}

// Heavier first; of equals the first in the order of edges_, so that the outcome depends on the
// edges alone.
template <class W>
bool ListSolver<W>::before(Node a, Node b) const {
  const W key_a = key(a), key_b = key(b);
  return key_b < key_a || (!(key_a < key_b) && cursor_[a] < cursor_[b]);
}

template <class W>
void ListSolver<W>::settle(Node cell) {
  Cell& here = cell_[cell];
  if (here.owed == W{}) return;
  for (Node below : {here.left, here.right}) {
    if (below == kNoNode) continue;
    cell_[below].taken += here.owed;
    cell_[below].owed += here.owed;
  }
  here.owed = W{};
}

// Skew heaps.
template <class W>
Node ListSolver<W>::meld(Node a, Node b) {
  Node root = kNoNode;
  Node* slot = &root;
  while (a != kNoNode && b != kNoNode) {
    if (before(b, a)) std::swap(a, b);
    settle(a);
    *slot = a;
    Cell& here = cell_[a];
    a = here.right;
    here.right = here.left;
    slot = &here.left;
  }
  *slot = a != kNoNode ? a : b;
  return root;
}

// The component picks its heaviest entering edge; false if there is none.
template <class W>
bool ListSolver<W>::pick(Component c) {
  Entering best = best_other_edge(c);
  if (open_) {
    if (is_node(c)) from_root_[c] = root_edge_into(c.value());
    const Entering& root = from_root_[c];
    if (root.edge != kNone && (best.edge == kNone || best.key < root.key)) best = root;
  }
  take(c, best);
  return best.edge != kNone;
}

template <class W>
void ListSolver<W>::take(Component c, const Entering& edge) {
  picked_[c] = edge.edge;
  y_[c] = edge.key;
}

// The heaviest edge into the component; under the single-root rule, of those that do not come from
// the root unless they are required.
template <class W>
typename ListSolver<W>::Entering ListSolver<W>::best_other_edge(Component c) {
  if (is_node(c)) {
    const Node v = c.value();
    const Edge e = required_[v] != kNone ? required_[v] : advance(begin_[v], c);
    if (e == kNone) return {W{}, kNone};
    cursor_[v] = e;
    return {edges_[e].weight, e};
  }
  Node best = kNoNode;
  heap_[c] = heaps_of(c);
  Node* link = &heap_[c];
  while (*link != kNoNode) {
    const Node behind = next_heap_[*link];
    const Node top = drop_inside(*link, c);
    if (top == kNoNode) {
      *link = behind;
      continue;
    }
    if (best == kNoNode || before(top, best)) best = top;
    *link = top;
    link = &next_heap_[top];
    *link = behind;
  }
  return best == kNoNode ? Entering{W{}, kNone} : Entering{key(best), cursor_[best]};
}

// The heaviest one that the tree may have, besides the open root edge.
template <class W>
typename ListSolver<W>::Entering ListSolver<W>::root_edge_into(Node v) const {
  if (required_[v] == kNone)
    for (Edge e = begin_[v]; e < begin_[v + 1]; ++e)
      if (edges_[e].head == 0 && excluded_[e] == 0 && e != open_root_edge_)
        return {edges_[e].weight, e};
  return {W{}, kNone};
}

// Takes edges that come from inside the component off the top of the heap. Returns its top.
template <class W>
Node ListSolver<W>::drop_inside(Node heap, Component c) {
  while (heap != kNoNode && forest_.top(Component(edges_[cursor_[heap]].head)) == c) {
    const Node v = heap;
    settle(v);
    heap = meld(cell_[v].left, cell_[v].right);
    const Edge e = edge_behind(v, c);
    if (e == kNone) continue;
    cursor_[v] = e;
    cell_[v].weight = edges_[e].weight;
    cell_[v].left = cell_[v].right = kNoNode;
    heap = meld(heap, v);
  }
  return heap;
}

template <class W>
struct ListSolver<W>::Picks {
  ListSolver& solver;

  Component source(Component c) const { return Component(solver.edges_[solver.picked_[c]].head); }
  W highest_price(Component c) const {
    const Entering other = solver.best_other_edge(c);
    return other.edge == kNone ? RootChildren<W>::kNever : solver.from_root_[c].key - other.key;
  }
  void pick_other_edge(Component c) const {
    solver.priced_.push_back(c);
    solver.take(c, solver.best_other_edge(c));
  }
  Component merge(std::span<const Component> cycle) const { return solver.merge(cycle); }
};

template <class W>
bool ListSolver<W>::leave_one_root_edge() {
  const Component child = root_children_.leave_one(forest_, Picks{*this}, price_);
  if (child == kNoComponent) return false;
  const Entering& root = from_root_[child];
  priced_.push_back(child);
  take(child, {root.key - price_, root.edge});
  open_root_edge_ = root.edge;
  return true;
}

// The other root edge may enter the same outermost component as that of the tree; or another, and
// then the first one needs an edge from elsewhere.
template <class W>
std::optional<W> ListSolver<W>::root_swap() {
  if (open_root_edge_ == kNone) return std::nullopt;
  constexpr W kMost = RootChildren<W>::kNever;
  number_components();
  Component child(edges_[open_root_edge_].node);
  while (forest_.parent(child) != kNoComponent) child = forest_.parent(child);
  auto inside = [&](Node v) { return intervals_.contains(child, v); };
  W same = kMost, other = kMost, entry = kMost;
  for (Node v = 1; v < nodes_; ++v) {
    const W sum = above_[Component(v)];
    if (const Edge e = root_edge_into(v).edge; e != kNone) {
      W& least = inside(v) ? same : other;
      least = std::min(least, static_cast<W>(sum - priced(e)));
    }
    if (!inside(v) || required_[v] != kNone) continue;
    Edge e = begin_[v];
    while (e < begin_[v + 1] && !(allowed(e) && !inside(edges_[e].head))) ++e;
    if (e < begin_[v + 1]) entry = std::min(entry, static_cast<W>(sum - edges_[e].weight));
  }
  if (entry < kMost - other) same = std::min(same, static_cast<W>(other + entry));
  return same == kMost ? std::nullopt : std::optional<W>(std::max(W{}, same));
}

template <class W>
Component ListSolver<W>::merge(std::span<const Component> cycle) {
  const Component merged = forest_.merge(cycle);
  picked_.push_back(kNone);
  y_.push_back(W{});
  Node heaps = kNoNode;
  for (Component member : cycle) {
    const Node own =
        is_node(member) ? cell_of(member.value(), merged, W{}) : meld_all(heaps_of(member));
    if (own == kNoNode) continue;
    cell_[own].taken += y_[member];
    cell_[own].owed += y_[member];
    next_heap_[own] = heaps;
    heaps = own;
  }
  heap_.push_back(heaps);
  if (!open_) return merged;
  Entering root{W{}, kNone};
  for (Component member : cycle) pass_root_edge(member, root);
  from_root_.push_back(root);
  return merged;
}

// A heap of this node alone, or kNoNode if no edge enters it from outside the component.
template <class W>
Node ListSolver<W>::cell_of(Node v, Component component, W taken) {
  const Edge e = required_[v] != kNone ? kNone : advance(begin_[v], component);
  if (e == kNone) return kNoNode;
  cursor_[v] = e;
  cell_[v] = {edges_[e].weight, taken, W{}, kNoNode, kNoNode};
  return v;
}

// The next edge into v from outside the component, or kNone.
template <class W>
typename ListSolver<W>::Edge ListSolver<W>::edge_behind(Node v, Component component) {
  const Edge next = cursor_[v].next();
  return required_[v] != kNone || next == begin_[v + 1] ? kNone : advance(next, component);
}

// One heap of those in a list, by rounds of pairs: nearly all of them are small.
template <class W>
Node ListSolver<W>::meld_all(Node first) {
  heaps_.clear();
  for (; first != kNoNode; first = next_heap_[first]) heaps_.push_back(first);
  while (heaps_.size() > 1) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < heaps_.size(); i += 2)
      heaps_[kept++] = meld(heaps_[i], heaps_[i + 1]);
    if (heaps_.size() % 2 != 0) heaps_[kept++] = heaps_.back();
    heaps_.resize(kept);
  }
  return heaps_.empty() ? kNoNode : heaps_.front();
}

// The heaps of the component. Of one that was kept: each of its nodes alone.
template <class W>
Node ListSolver<W>::heaps_of(Component c) {
  if (heap_[c] != kUnknown) return heap_[c];
  const Component around = forest_.top(c);
  Node heaps = kNoNode;
  inside_.assign(1, {c, W{}});
  while (!inside_.empty()) {
    const auto [outer, taken] = inside_.back();
    inside_.pop_back();
    for (Component member = forest_.first_member(outer); member != kNoComponent;
         member = forest_.next_member(member)) {
      const W sum = taken + y_[member];
      if (!is_node(member)) {
        inside_.push_back({member, sum});
        continue;
      }
      const Node own = cell_of(member.value(), around, sum);
      if (own == kNoNode) continue;
      next_heap_[own] = heaps;
      heaps = own;
    }
  }
  return heaps;
}

template <class W>
bool ListSolver<W>::solve() {
  if (std::exchange(adopted_, false) && required_list_.empty() && excluded_list_.empty())
    return true;
  price_ = W{};
  open_root_edge_ = kNone;
  if (may_keep_ && (last_open_ || !open_))
    begin_with_last();
  else
    begin_afresh();
  numbered_ = may_keep_ = false;
  if (!forest_.contract([&](Component c) { return picked_[c] != kNone || pick(c); },
                        [&](Component c) { return Component(edges_[picked_[c]].head); },
                        [&](std::span<const Component> cycle) { return merge(cycle); }))
    return false;
  first_priced_ = forest_.end();
  priced_.clear();
  if (open_ && !leave_one_root_edge()) return false;
  expand();
  may_keep_ = true;
  last_open_ = open_;
  last_required_ = required_list_;
  last_excluded_ = excluded_list_;
  return true;
}

template <class W>
void ListSolver<W>::begin_afresh() {
  const auto nodes = place_of(nodes_);
  forest_.reset(nodes_);
  picked_.assign(nodes, kNone);
  y_.resize(nodes);
  heap_.resize(nodes);
  cursor_.resize(nodes);
  cell_.resize(nodes);
  next_heap_.resize(nodes);
  from_root_.resize(nodes);
}

// Most components of the subproblem before are components of this one as well, and most picks are
// the best still (section 5).
template <class W>
void ListSolver<W>::begin_with_last() {
  forget_price();
  if (first_priced_ > Component(nodes_)) number_components();
  checks_left_ = edges();
  for (Edge e : last_excluded_)
    if (excluded_[e] == 0) check_picks_around(edges_[e].node);
  for (Edge e : last_required_)
    if (required_[edges_[e].node] != e) check_picks_around(edges_[e].node);
  if (find_kept()) {
    for (Component c(nodes_); c < forest_.end(); ++c) {
      if (kept_[c] == kNoComponent) continue;
      picked_[kept_[c]] = picked_[c];
      y_[kept_[c]] = y_[c];
    }
    forest_.renumber(kept_);
  }
  picked_.resize(place_of(forest_.end()));
  y_.resize(place_of(forest_.end()));
  heap_.assign(place_of(forest_.end()), kUnknown);
  if (open_) find_root_edges();
}

template <class W>
void ListSolver<W>::forget_price() {
  for (Component c : priced_)
    if (c < first_priced_) take(c, from_root_[c]);
}

// The best one into every component, as merge() finds it.
template <class W>
void ListSolver<W>::find_root_edges() {
  from_root_.assign(place_of(forest_.end()), {W{}, kNone});
  for (Component c(1); c < forest_.end(); ++c) {
    if (is_node(c)) from_root_[c] = root_edge_into(c.value());
    if (forest_.parent(c) != kNoComponent) pass_root_edge(c, from_root_[forest_.parent(c)]);
  }
}

// To what a member is part of.
template <class W>
void ListSolver<W>::pass_root_edge(Component member, Entering& best) const {
  const auto [weight, edge] = from_root_[member];
  const W key = weight - y_[member];
  if (edge != kNone && (best.edge == kNone || best.key < key)) best = {key, edge};
}

// More edges into v may be used than before: a component around it that has a better one now has to
// pick again. So has any, where this has taken as long as a solve.
template <class W>
void ListSolver<W>::check_picks_around(Node v) {
  W sum{};
  Edge e = begin_[v];
  for (Component c(v); c != kNoComponent && c < first_priced_ && picked_[c] != kNone;
       c = forest_.parent(c)) {
    auto enters = [&] {
      return usable(e) && (is_node(c) || !intervals_.contains(c, edges_[e].head));
    };
    for (--checks_left_; e < begin_[v + 1] && !enters(); ++e) --checks_left_;
    if (e == begin_[v + 1]) return;
    if (checks_left_ < 0 || y_[c] < edges_[e].weight - sum) {
      picked_[c] = kNone;
      return;
    }
    sum += y_[c];
  }
}

// Components stay where all that is inside keeps its picks, unless there was a price. False where
// all of them do.
template <class W>
bool ListSolver<W>::find_kept() {
  kept_.assign(place_of(forest_.end()), Component(0));
  Component next(0);
  for (Component c(0); c < forest_.end(); ++c) {
    if (c < first_priced_ && kept_[c] != kNoComponent) {
      kept_[c] = next;
      ++next;
      if (c == Component(0) || (picked_[c] != kNone && usable(picked_[c]))) continue;
      picked_[c] = kNone;
    } else {
      kept_[c] = kNoComponent;
    }
    if (const Component outer = forest_.parent(c); outer != kNoComponent)
      kept_[outer] = kNoComponent;
  }
  return next < forest_.end();
}

// From the outside in: an edge that enters a component enters its members down to one node; they
// all have their edge from the level of that component.
template <class W>
void ListSolver<W>::expand() {
  level_.assign(picked_.size(), kNoComponent);
  tree_.assign(place_of(nodes_), kNone);
  for (Component c = forest_.end(); --c > Component(0);) {
    if (level_[c] != kNoComponent) continue;  // entered from further out
    take_edge(edges_[picked_[c]].node, picked_[c], c);
  }
  sum_up();
}

template <class W>
void ListSolver<W>::take_edge(Node v, Edge edge, Component entered) {
  tree_[v] = edge;
  for (Component c(v);; c = forest_.parent(c)) {
    level_[c] = entered;
    if (c == entered) break;
  }
}

template <class W>
void ListSolver<W>::sum_up() {
  weight_ = W{};
  for (Node v = 1; v < nodes_; ++v) weight_ += edges_[tree_[v]].weight;
}

// The sums of y outwards.
template <class W>
void ListSolver<W>::number_components() {
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
W ListSolver<W>::reduced_cost(Edge e) {
  const Node t = edges_[e].node, s = edges_[e].head;
  W sum = y_[Component(t)];
  if (forest_.parent(Component(t)) != kNoComponent) {
    number_components();
    for (Component c = forest_.parent(Component(t));
         c != kNoComponent && !intervals_.contains(c, s); c = forest_.parent(c))
      sum += y_[c];
  }
  return std::max(W{}, static_cast<W>(sum - priced(e)));
}

template <class W>
bool ListSolver<W>::swaps(W limit, std::size_t most, std::vector<Swap>& swaps) {
  preorder_.build(nodes_, [&](Node v) { return edges_[tree_[v]].head; });
  Cheapest cheapest(limit, most, swaps);
  swap_nodes(cheapest);
  if (forest_.end() > Component(nodes_)) {
    number_components();
    swap_components(cheapest);
  }
  return cheapest.sort();
}

// Edges that were picked by a node alone.
template <class W>
void ListSolver<W>::swap_nodes(Cheapest& swaps) const {
  for (Node v = 1; v < nodes_; ++v) {
    const bool fixed = required_[v] != kNone || tree_[v] == open_root_edge_;
    if (level_[Component(v)] != Component(v) || fixed) continue;
    for (Edge e = begin_[v]; e < begin_[v + 1]; ++e) {  // heaviest first
      const auto cost = static_cast<W>(y_[Component(v)] - edges_[e].weight);
      if (swaps.limit() < cost) break;
      if (e == tree_[v] || !allowed(e) || preorder_.is_below(edges_[e].head, v)) continue;
      swaps.add({cost, tree_[v]});
      break;
    }
  }
}

// The edges into components that need a swap. The key of an edge is what it costs where no
// component is around it; inside others it costs no less.
template <class W>
void ListSolver<W>::list_entering(W limit) {
  entering_.clear();
  for (Node t = 1; t < nodes_; ++t) {
    const Component c = nearest_open(forest_.parent(Component(t)));
    if (c == kNoComponent || required_[t] != kNone) continue;
    for (Edge e = begin_[t]; e < begin_[t + 1]; ++e) {  // heaviest first
      const W key = above_[Component(t)] - edges_[e].weight;
      if (limit < key) break;
      if (e != tree_[t] && allowed(e) && !intervals_.contains(c, edges_[e].head))
        entering_.push_back({key, e});
    }
  }
}

// Puts the cheapest of those from `begin` on first, in order: some of them. Returns their end.
template <class W>
std::size_t ListSolver<W>::sort_entering(std::size_t begin) {
  auto cheaper = [](const Entering& a, const Entering& b) {
    return a.key < b.key || (!(b.key < a.key) && a.edge < b.edge);
  };
  // Most often a few are enough; if not, ever more.
  const std::size_t end = std::min(entering_.size(), std::max<std::size_t>(64, 4 * begin));
  const auto first = entering_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = entering_.begin() + static_cast<std::ptrdiff_t>(end);
  if (end < entering_.size()) std::nth_element(first, last, entering_.end(), cheaper);
  sort_polling(first, last, cheaper);
  return end;
}

template <class W>
Component ListSolver<W>::nearest_open(Component c) {
  while (c != kNoComponent && next_open_[c] != c) {
    const Component out = next_open_[c];
    if (out != kNoComponent) next_open_[c] = next_open_[out];
    c = out;
  }
  return c;
}

// Edges that were picked by a component. What an edge into t costs at the level of a component c
// around t is its key less a constant of c: so every component takes the first that fits. Going
// outwards from t the components that the edge enters come first; and what hangs from their entries
// grows, so that the walk may end where the edge comes from below.
template <class W>
void ListSolver<W>::swap_components(Cheapest& swaps) {
  entry_.assign(y_.size(), kNoNode);
  for (Node v = 1; v < nodes_; ++v)
    if (tree_[v] != open_root_edge_) entry_[level_[Component(v)]] = v;
  next_open_.resize(y_.size());
  for (Component c = forest_.end(); --c >= Component(0);) {
    const Component outer = forest_.parent(c);
    const bool is_open = entry_[c] != kNoNode && !is_node(c);
    next_open_[c] = is_open ? c : outer == kNoComponent ? kNoComponent : next_open_[outer];
  }
  swaps.tighten();
  if (!find_cheapest_entering(swaps.limit())) return swap_in_order(swaps);
  for (Component c(nodes_); c < forest_.end(); ++c) {
    if (cheapest_[c] == kNoKey) continue;
    const Component outer = forest_.parent(c);
    const W around = outer == kNoComponent ? W{} : above_[outer];
    swaps.add({static_cast<W>(cheapest_[c] - around), tree_[entry_[c]]});
  }
}

// Looks at all components that an edge enters. False if these are too many.
template <class W>
bool ListSolver<W>::find_cheapest_entering(W limit) {
  constexpr std::size_t kPerEdge = 4;
  cheapest_.assign(y_.size(), kNoKey);
  std::size_t left = kPerEdge * edges_.size();
  for (Node t = 1; t < nodes_; ++t) {
    const Component outer = forest_.parent(Component(t));
    if (outer == kNoComponent || next_open_[outer] == kNoComponent || required_[t] != kNone)
      continue;
    for (Edge e = begin_[t]; e < begin_[t + 1]; ++e) {  // heaviest first
      const W key = above_[Component(t)] - edges_[e].weight;
      if (limit < key) break;
      if (e == tree_[t] || !allowed(e)) continue;
      for (Component c = next_open_[outer]; c != kNoComponent && fits(edges_[e].head, c);) {
        if (left-- == 0) return false;
        cheapest_[c] = std::min(cheapest_[c], key);
        c = forest_.parent(c);
        if (c != kNoComponent) c = next_open_[c];
      }
    }
  }
  return true;
}

// The same with the cheapest keys first: a component that has its swap is passed over.
template <class W>
void ListSolver<W>::swap_in_order(Cheapest& swaps) {
  list_entering(swaps.limit());
  std::size_t sorted = 0;
  for (std::size_t i = 0; i < entering_.size(); ++i) {
    if (i == sorted) sorted = sort_entering(i);
    const auto [key, e] = entering_[i];
    if (swaps.limit() < key) return;
    Component c = nearest_open(forest_.parent(Component(edges_[e].node)));
    while (c != kNoComponent && fits(edges_[e].head, c)) {
      const Component outer = forest_.parent(c);
      const W around = outer == kNoComponent ? W{} : above_[outer];
      swaps.add({static_cast<W>(key - around), tree_[entry_[c]]});
      next_open_[c] = outer;
      c = nearest_open(c);
    }
  }
}

template class ListSolver<double>;
template class ListSolver<std::int64_t>;

}  // namespace coppice::engine
