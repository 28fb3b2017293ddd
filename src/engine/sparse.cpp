#include "engine/sparse.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/input.hpp"
#include "graph/large_arrays.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// So many edges ahead is far enough for memory to answer.
constexpr EdgeId kAhead = 16;

}  // namespace

void Sparse::load(const Multigraph& graph, const Constraints& constraints, Objective objective) {
  nodes_ = graph.nodes();
  graph_ = &graph;
  objective_ = objective;
  price_ = 0.0;
  contracted_ = false;
  words_ = kNoComponent;
  const double largest = graph.scalar() == Scalar::int64
                             ? sort_by_target(graph.integer_weights(), constraints)
                             : sort_by_target(graph.weights(), constraints);
  if (graph.scalar() == Scalar::int64)
    check_magnitude(static_cast<std::uint64_t>(largest), nodes_);
  else
    check_magnitude(largest, nodes_);
  base_.clear();
  if (graph.scalar() == Scalar::int64 && need_base(largest, nodes_)) subtract_base();
}

// By counting. Returns the largest magnitude of a weight.
template <class Weight>
double Sparse::sort_by_target(std::span<const Weight> weights, const Constraints& constraints) {
  const std::span<const Node> sources = graph_->sources(), targets = graph_->targets();
  const auto edges = static_cast<EdgeId>(weights.size());
  const bool all = constraints.empty();
  auto usable = [&](EdgeId e) {
    const Node s = sources[place_of(e)], t = targets[place_of(e)];
    return t != 0 && s != t && (all || constraints.allows(s, t, e));
  };
  begin_.assign(place_of(nodes_) + 1, Slot(0));
  for (EdgeId e = 0; e < edges; ++e) {
    poll_at(e);
    if (usable(e)) ++begin_[targets[place_of(e)] + 1];
  }
  for (Node t = 0; t < nodes_; ++t) begin_[t + 1] = Slot(begin_[t].value() + begin_[t + 1].value());
  resize_large(edges_, place_of(begin_.back()));
  next_.assign(begin_.begin(), begin_.end() - 1);
  root_edges_.clear();
  const double sign = objective_ == Objective::minimize ? -1.0 : 1.0;
  double largest = 0.0;
  for (EdgeId e = 0; e < edges; ++e) {
    poll_at(e);
    // The places are all over the memory: they are asked for before they are needed.
    if (e + kAhead < edges)
      hwy::Prefetch(edges_.data() + place_of(next_[targets[place_of(e + kAhead)]]));
    if (!usable(e)) continue;
    const Node source = sources[place_of(e)];
    const Slot slot = next_[targets[place_of(e)]];
    ++next_[targets[place_of(e)]];
    const auto weight = static_cast<double>(weights[place_of(e)]);
    if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
    edges_[slot] = {weight == kNoWeight ? kNoWeight : sign * weight, source, e};
    if (source == 0 && weight != kNoWeight) root_edges_.push_back(slot);
  }
  return largest;
}

void Sparse::subtract_base() {
  base_.assign(place_of(nodes_), 0.0);
  for (Node t = 1; t < nodes_; ++t) {
    poll_at(t);
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    for (Slot e = begin(t); e < end(t); ++e)
      best = std::max(best, integer_weight(edges_[e].source, t, edges_[e].id));
    base_[t] = static_cast<double>(best);
    for (Slot e = begin(t); e < end(t); ++e)
      edges_[e].weight =
          static_cast<double>(integer_weight(edges_[e].source, t, edges_[e].id) - best);
  }
}

bool Sparse::find_best_edges(Solution& solution) {
  solution.reset(nodes_);
  best_.assign(place_of(nodes_), Picked{});
  second_.assign(place_of(nodes_), kNoWeight);
  for (Node t = 1; t < nodes_; ++t) {
    poll_at(t);
    double best = kNoWeight, second = kNoWeight;
    Slot best_edge;
    for (Slot e = begin(t); e < end(t); ++e) {
      const double weight = edges_[e].weight;
      second = std::max(second, std::min(weight, best));
      if (weight > best) best = weight, best_edge = e;
    }
    if (best_edge == kNoSlot) return false;
    best_[t] = picked(best_edge);
    second_[t] = second;
    solution.y[Component(t)] = best;
  }
  root_edge_.assign(place_of(nodes_), kNoSlot);
  for (Slot e : root_edges_) {
    Slot& best = root_edge_[target(e)];
    if (best == kNoSlot || edges_[e].weight > edges_[best].weight) best = e;
  }
  return true;
}

bool Sparse::breaks_all_cycles(Node root_child) {
  return is_tree_(nodes_, [&](Node v) { return v == root_child ? 0 : best_[v].source; });
}

void Sparse::set_price(double price) {
  if (price_ == 0.0) {
    root_weights_.clear();
    for (Slot e : root_edges_) root_weights_.push_back(edges_[e].weight);
  }
  price_ = price;
  for (std::size_t i = 0; i < root_edges_.size(); ++i)
    edges_[root_edges_[i]].weight = root_weights_[i] - price;
}

TwoLargest Sparse::root_gains(const Solution& /*solution*/) {
  TwoLargest gains;
  for (Node v = 1; v < nodes_; ++v) {
    if (root_edge_[v] == kNoSlot) continue;
    const double inner =
        best_[v].source == 0 ? best_inner(Component(v)).key : edges_[best_[v].edge].weight;
    gains.add(Component(v), edges_[root_edge_[v]].weight - inner);
  }
  return gains;
}

void Sparse::find_best_edge(Node v, bool from_root, double /*old_price*/, Solution& solution) {
  if (root_edge_[v] == kNoSlot) return;
  Slot best;
  if (from_root) best = root_edge_[v];
  second_[v] = kNoWeight;
  for (Slot e = begin(v); e < end(v); ++e) {
    const bool other = edges_[e].source == 0 || from_root;
    if (!other && edges_[e].weight != kNoWeight &&
        (best == kNoSlot || edges_[e].weight > edges_[best].weight)) {
      if (best != kNoSlot) second_[v] = std::max(second_[v], edges_[best].weight);
      best = e;
    } else if (e != best) {
      second_[v] = std::max(second_[v], edges_[e].weight);
    }
  }
  best_[v] = picked(best);
  solution.y[Component(v)] = best == kNoSlot ? kNoWeight : edges_[best].weight;
}

bool Sparse::collect(const Solution& solution, const ReducedCost& reduced, double limit,
                     std::size_t most, CandidateList& candidates) {
  for (Node t = 1; t < nodes_; ++t) {
    poll_at(t);
    if (candidates.size() > most) return false;
    const double threshold = reduced.least(t) - limit;
    // Where the tree has the best edge, no other one is better than the second best.
    if (second_[t] < threshold && solution.weight[t] == solution.y[Component(t)]) continue;
    for (Slot e = begin(t); e < end(t); ++e) {
      poll_at(e.value());
      if (edges_[e].weight < threshold || edges_[e].weight == kNoWeight ||
          edges_[e].id == solution.edge[t])
        continue;
      add_if_cheap(solution, reduced, limit, edges_[e].source, t, edges_[e].weight, edges_[e].id,
                   candidates);
    }
  }
  return candidates.size() <= most;
}

std::int64_t Sparse::edges() const { return static_cast<std::int64_t>(edges_.size()); }

Solver::Numbered Sparse::edge(std::int64_t number) const {
  const Slot e(static_cast<std::int32_t>(number));
  return {edges_[e].source, target(e), edges_[e].weight, edges_[e].id};
}

Exactness Sparse::exactness() const {
  Exactness exactness(graph_->scalar() == Scalar::int64);
  for (const Edge& edge : edges_)
    if (edge.weight != kNoWeight) exactness.see(edge.weight);
  if (price_ != 0.0) exactness.see(root_weights_.data(), root_weights_.size());
  return exactness;
}

double Sparse::unpriced(Node /*dependent*/, EdgeId edge) const {
  const double weight = graph_->weight(edge);
  return objective_ == Objective::minimize ? -weight : weight;
}

std::int64_t Sparse::integer_weight(Node /*head*/, Node /*dependent*/, EdgeId edge) const {
  const std::int64_t weight = graph_->integer_weight(edge);
  return objective_ == Objective::minimize ? -weight : weight;
}

void Sparse::take_tree(Solution& solution) const {
  solution.edge.assign(place_of(nodes_), kNoEdge);
  for (Node v = 1; v < nodes_; ++v) {
    const Slot e = tree_[v];
    solution.head[v] = edges_[e].source;
    solution.weight[v] = edges_[e].weight;
    solution.edge[v] = edges_[e].id;
  }
}

bool Sparse::greedy(Solution& solution) {
  if (!is_tree_(nodes_, [&](Node v) { return best_[v].source; })) return false;
  tree_.resize(place_of(nodes_));
  for (Node v = 1; v < nodes_; ++v) tree_[v] = best_[v].edge;
  take_tree(solution);
  return true;
}

// The best edge into a node that comes from outside the component, but not from the root; or
// kNoSlot. What is inside stays inside, so that in the order of their weights edges are passed over
// but once; of few edges the best one is found sooner than their order.
Slot Sparse::next_edge(Node v, Component around) {
  constexpr std::int32_t kFew = 16;
  auto [edge, place] = entering_[v];
  if (end(v).value() - begin(v).value() <= kFew) {
    Keyed best;
    for (Slot e = begin(v); e < end(v); ++e)
      if (const Edge& entering = edges_[e];
          entering.weight > best.key && entering.source != 0 && !is_inside(entering.source, around))
        best = {e, entering.weight};
    edge = best.edge;
  } else {
    if (place == kUnsorted) place = sort_edges(v);
    while (sorted_[place] != kNoSlot && is_inside(edges_[sorted_[place]].source, around)) ++place;
    edge = sorted_[place];
  }
  entering_[v] = {edge, place};
  return edge;
}

// All edges into a node but those from the root, the best first, and behind them kNoSlot. Returns
// where the first one stands.
std::size_t Sparse::sort_edges(Node v) {
  const std::size_t first = sorted_.size();
  for (Slot e = begin(v); e < end(v); ++e)
    if (edges_[e].source != 0 && edges_[e].weight != kNoWeight) sorted_.push_back(e);
  sort_polling(sorted_.begin() + static_cast<std::ptrdiff_t>(first), sorted_.end(),
               [&](Slot a, Slot b) {
                 return edges_[a].weight > edges_[b].weight ||
                        (edges_[a].weight == edges_[b].weight && a < b);
               });
  sorted_.push_back(kNoSlot);
  return first;
}

// The component picks its best entering edge. False: nothing enters it.
bool Sparse::pick(Component c, Solution& solution) {
  if (is_node(c)) {
    picked_[c] = best_[c.value()];  // whose weight is its y already
    return true;
  }
  const Keyed best = best_inner(c);
  const double root = from_root_[c].key - price_;
  picked_[c] = picked(root > best.key ? from_root_[c].edge : best.edge);
  solution.y[c] = std::max(root, best.key);
  return picked_[c].edge != kNoSlot;
}

double Sparse::highest_price(Component c, const Solution& /*solution*/) {
  return from_root_[c].key - best_inner(c).key;
}

void Sparse::pick_root_edge(Component c, Solution& solution) {
  picked_[c] = picked(from_root_[c].edge);
  solution.y[c] = from_root_[c].key - price_;
}

void Sparse::pick_other_edge(Component c, Solution& solution) {
  const Keyed best = best_inner(c);
  picked_[c] = picked(best.edge);
  solution.y[c] = best.key;
}

// What next_edge() is going to look at.
void Sparse::ask_for(Node v) const {
  constexpr std::int32_t kLine = 64 / sizeof(Edge);
  hwy::Prefetch(entering_.data() + place_of(v));
  const std::int32_t last = std::min(begin(v).value() + 3 * kLine, end(v).value());
  for (std::int32_t e = begin(v).value(); e < last; e += kLine)
    hwy::Prefetch(edges_.data() + place_of(e));
}

// The best edge into a component that does not come from the root.
Sparse::Keyed Sparse::best_inner(Component c) {
  Keyed best;
  if (is_node(c)) {
    for (Slot e = begin(c.value()); e < end(c.value()); ++e)
      if (edges_[e].source != 0 && edges_[e].weight > best.key) best = {e, edges_[e].weight};
    return best;
  }
  const Heap heap = heap_[c];
  if (heaps_.nodes(heap) == nodes_ - 1) return best;  // only the root is outside
  while (!heaps_.empty(heap)) {
    const Node v = heaps_.top(heap);
    const Slot known = entering_[v].edge;
    if (known != kNoSlot && !is_inside(edges_[known].source, c)) return {known, heaps_.key(heap)};
    const Slot next = next_edge(v, c);
    const Node near = next == kNoSlot ? heaps_.pop(heap) : heaps_.change(heap, edges_[next].weight);
    if (near != kNoNode) ask_for(near);
  }
  return best;
}

Component Sparse::merge(std::span<const Component> cycle, Solution& solution) {
  const Component merged = forest_.merge(cycle);
  solution.add_component();
  picked_.push_back({});
  Keyed root;
  double other = kNoWeight;
  for (Component member : cycle)
    if (!is_node(member) || root_edge_[member.value()] != kNoSlot) {
      const double key = from_root_[member].key - solution.y[member];
      other = std::max(other, std::min(key, root.key));
      if (key > root.key) root = {from_root_[member].edge, key};
    }
  other_root_edge_ = other == kNoWeight ? kNever : root.key - other;
  from_root_.push_back(root);
  heap_.push_back(merge_heaps(cycle, solution));
  return merged;
}

// One heap of those of all members, each with what it picked on top. A node that has been alone is
// put there by a bound: no other edge weighs more than the second best of all, or than the one that
// it picked. Most nodes never come to the top.
Heap Sparse::merge_heaps(std::span<const Component> cycle, const Solution& solution) {
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
      const double y = solution.y[member], bound = std::min(y, second_[member.value()]);
      entering_[member.value()] = {};
      heaps_.add(merged, member.value(), bound, y);
    } else if (heap_[member] != merged) {
      heaps_.sink(heap_[member]);
      heaps_.move(heap_[member], merged);
    }
  }
  return merged;
}

void Sparse::start_contraction() {
  contracted_ = true;
  forest_.reset(nodes_);
  picked_.assign(place_of(nodes_), Picked{});
  heap_.assign(place_of(nodes_), kNoHeap);
  entering_.resize(place_of(nodes_));
  sorted_.clear();
  from_root_.assign(place_of(nodes_), Keyed{});
  for (std::size_t i = 0; i < root_edges_.size(); ++i) {
    const Slot e = root_edges_[i];
    if (root_edge_[target(e)] == e)
      from_root_[Component(target(e))] = {e, price_ == 0.0 ? edges_[e].weight : root_weights_[i]};
  }
  heaps_.reset(nodes_);
}

bool Sparse::contract(Solution& solution) {
  return forest_.contract([&](Component c) { return pick(c, solution); },
                          [&](Component c) { return Component(picked_[c].source); },
                          [&](std::span<const Component> cycle) { return merge(cycle, solution); });
}

// It does if nothing that hangs from it leads elsewhere at a smaller cost than the price may rise
// by until it has to.
bool Sparse::last_gives_up(RootChildren<double>& two, const Solution& solution) {
  if (edges() < few_edges_ || !base_.empty()) return false;
  const Component first = two.child_above(two.first()), last = two.child_above(two.last());
  auto child_above = [&](Node v) { return two.child_above(forest_.top(Component(v))); };
  for (Component c : {two.first(), two.last()})
    if (const Slot e = best_inner(c).edge; e == kNoSlot || child_above(edges_[e].source) != first)
      return false;
  const double y_of_first = best_inner(two.first()).key;  // at the price that it gives up at
  below_last_.resize(place_of(nodes_));
  below_last_[0] = 0;
  for (Node v = 1; v < nodes_; ++v) {
    poll_at(v);
    below_last_[v] = child_above(v) == last ? 1 : 0;
  }
  const std::span<const Node> sources = graph_->sources(), targets = graph_->targets();
  std::int64_t steps = nodes_;  // more take longer than a contraction
  for (EdgeId e = 0; e < static_cast<EdgeId>(sources.size()); ++e) {
    poll_at(e);
    const Node t = targets[place_of(e)];
    if (below_last_[sources[place_of(e)]] == 0 || t == 0 || below_last_[t] != 0) continue;
    double sum = 0.0;
    for (Component c(t); c != kNoComponent; c = forest_.parent(c)) {
      if (steps-- == 0) return false;
      sum += c == two.first() ? y_of_first : solution.y[c];
    }
    if (sum - unpriced(t, e) < two.distance()) return false;
  }
  return true;
}

void Sparse::expand(Solution& solution) {
  open(kNoComponent, kNoSlot);
  take_tree(solution);
  solution.parent = forest_.parents();
}

// The tree of what all components picked, or with another edge into one of them. From the outside
// in: the edge that enters a component is the one of all members down to its target; the others
// have what they picked.
void Sparse::open(Component entered, Slot edge) {
  tree_.resize(place_of(nodes_));
  opened_.assign(place_of(forest_.end()), 0);
  for (Component c = forest_.end(); --c > Component(0);) {
    if (opened_[c] != 0) continue;
    const Slot e = c == entered ? edge : picked_[c].edge;
    const Node t = is_node(c) ? c.value() : target(e);
    tree_[t] = e;
    for (Component inner(t); inner != c; inner = forest_.parent(inner)) opened_[inner] = 1;
  }
}

}  // namespace coppice::engine
