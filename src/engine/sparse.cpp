#include "engine/sparse.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/input.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// So many edges ahead is far enough for memory to answer.
constexpr EdgeId kAhead = 16;

// What is done for each of so many nodes or edges takes less than a millisecond.
void poll_at(std::int32_t i) {
  if (i % 1024 == 0) poll();
}

}  // namespace

void Sparse::load(const Multigraph& graph, const Constraints& constraints, Objective objective) {
  nodes_ = graph.nodes();
  graph_ = &graph;
  objective_ = objective;
  price_ = 0.0;
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
  edges_.resize(place_of(begin_.back()));
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

TwoLargest Sparse::root_gains(const Solution& solution) {
  TwoLargest gains;
  for (Node v = 1; v < nodes_; ++v) {
    if (root_edge_[v] == kNoSlot) continue;
    const double inner = best_[v].source == 0 ? best_inner(Component(v), solution).key
                                              : edges_[best_[v].edge].weight;
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

// The tree of the edges that the nodes picked.
void Sparse::take_tree(Solution& solution) const {
  solution.edge.assign(place_of(nodes_), kNoEdge);
  for (Node v = 1; v < nodes_; ++v) {
    const Slot e = picked_[Component(v)].edge;
    solution.head[v] = edges_[e].source;
    solution.weight[v] = edges_[e].weight;
    solution.edge[v] = edges_[e].id;
  }
}

bool Sparse::greedy(Solution& solution) {
  if (!is_tree_(nodes_, [&](Node v) { return best_[v].source; })) return false;
  picked_.assign(best_.begin(), best_.end());
  take_tree(solution);
  return true;
}

// The heap of a node is made when it first becomes part of a cycle: most nodes never do.
void Sparse::build_heap(Node v) {
  own_.clear();
  for (Slot e = begin(v); e < end(v); ++e) {
    if (edges_[e].weight == kNoWeight || edges_[e].source == 0) continue;
    heaps_.make(e, edges_[e].weight);
    own_.push_back(e);
  }
  heap_[Component(v)] = merge_all(own_);
}

// One heap of several, by rounds of pairs: nearly all of them are small.
Slot Sparse::merge_all(std::vector<Slot>& heaps) {
  for (std::size_t i = 0; i + 1 < heaps.size(); i += 2)
    heaps.push_back(heaps_.merge(heaps[i], heaps[i + 1]));
  return heaps.empty() ? kNoSlot : heaps.back();
}

// The component picks its best entering edge. False: nothing enters it.
bool Sparse::pick(Component c, Solution& solution) {
  if (is_node(c)) {
    picked_[c] = best_[c.value()];  // whose weight is its y already
    return true;
  }
  const Keyed best = best_inner(c, solution);
  const double root = from_root_[c].key - price_;
  picked_[c] = picked(root > best.key ? from_root_[c].edge : best.edge);
  solution.y[c] = std::max(root, best.key);
  return picked_[c].edge != kNoSlot;
}

double Sparse::highest_price(Component c, const Solution& solution) {
  return from_root_[c].key - best_inner(c, solution).key;
}

void Sparse::pick_root_edge(Component c, Solution& solution) {
  picked_[c] = picked(from_root_[c].edge);
  solution.y[c] = from_root_[c].key - price_;
}

void Sparse::pick_other_edge(Component c, Solution& solution) {
  const Keyed best = best_inner(c, solution);
  picked_[c] = picked(best.edge);
  solution.y[c] = best.key;
}

// The best edge into a component that does not come from the root.
Sparse::Keyed Sparse::best_inner(Component c, const Solution& solution) {
  Keyed best;
  if (is_node(c)) {
    for (Slot e = begin(c.value()); e < end(c.value()); ++e)
      if (edges_[e].source != 0 && edges_[e].weight > best.key) best = {e, edges_[e].weight};
    return best;
  }
  Slot& heap = heap_[c];
  while (heap != kNoSlot && forest_.top(Component(edges_[heap].source)) == c) {
    // Where many edges come from inside, looking at all of them in order is cheaper than one pop
    // more.
    if (++popped_[c] <= edges_into_[c] / edges_per_pop_)
      heap = heaps_.pop(heap);
    else
      make_heap_anew(c, solution);
  }
  if (heap != kNoSlot) best = {heap, heaps_.key(heap)};
  return best;
}

// Of the edges that enter the component from outside, with their weight less what was picked below
// it.
void Sparse::make_heap_anew(Component c, const Solution& solution) {
  popped_[c] = 0;
  own_.clear();
  inside_.assign(1, {c, 0.0});
  while (!inside_.empty()) {
    poll();
    const auto [member, below] = inside_.back();
    inside_.pop_back();
    for (Component m = forest_.first_member(member); m != kNoComponent; m = forest_.next_member(m))
      inside_.push_back({m, below + solution.y[m]});
    if (!is_node(member)) continue;
    for (Slot e = begin(member.value()); e < end(member.value()); ++e) {
      if (edges_[e].source == 0 || edges_[e].weight == kNoWeight ||
          forest_.top(Component(edges_[e].source)) == c)
        continue;
      heaps_.make(e, edges_[e].weight - below);
      own_.push_back(e);
    }
  }
  heap_[c] = merge_all(own_);
}

Component Sparse::merge(std::span<const Component> cycle, Solution& solution) {
  const Component merged = forest_.merge(cycle);
  solution.add_component();
  picked_.push_back({});
  std::int64_t edges = 0, popped = 0;
  Keyed root;
  members_.clear();
  for (Component member : cycle) {
    poll();
    if (is_node(member)) {
      const Node v = member.value();
      build_heap(v);
      edges_into_[member] = place_of(end(v)) - place_of(begin(v));
    }
    edges += edges_into_[member];
    popped += popped_[member];
    if (const double key = from_root_[member].key - solution.y[member]; key > root.key)
      root = {from_root_[member].edge, key};
    if (heap_[member] == kNoSlot) continue;
    heaps_.subtract(heap_[member], solution.y[member]);
    members_.push_back(heap_[member]);
  }
  heap_.push_back(merge_all(members_));
  edges_into_.push_back(edges);
  popped_.push_back(popped);
  from_root_.push_back(root);
  return merged;
}

void Sparse::start_contraction() {
  forest_.reset(nodes_);
  picked_.assign(place_of(nodes_), Picked{});
  heap_.assign(place_of(nodes_), kNoSlot);
  edges_into_.assign(place_of(nodes_), 0);
  popped_.assign(place_of(nodes_), 0);
  from_root_.assign(place_of(nodes_), Keyed{});
  for (std::size_t i = 0; i < root_edges_.size(); ++i) {
    const Slot e = root_edges_[i];
    if (root_edge_[target(e)] == e)
      from_root_[Component(target(e))] = {e, price_ == 0.0 ? edges_[e].weight : root_weights_[i]};
  }
  heaps_.reset(edges_.size());
}

bool Sparse::contract(Solution& solution) {
  return forest_.contract([&](Component c) { return pick(c, solution); },
                          [&](Component c) { return Component(picked_[c].source); },
                          [&](std::span<const Component> cycle) { return merge(cycle, solution); });
}

// From the outside in: the edge that enters a component is the one of all members down to its
// target; the others keep what they picked.
void Sparse::expand(Solution& solution) {
  for (Component c = forest_.end(); --c >= Component(nodes_);) {
    const Picked entering = picked_[c];
    // A component entered by its parent's edge has been seen to already.
    const Component parent = forest_.parent(c);
    if (parent != kNoComponent && picked_[parent].edge == entering.edge) continue;
    for (Component inner(target(entering.edge)); inner != c; inner = forest_.parent(inner))
      picked_[inner] = entering;
  }
  take_tree(solution);
  solution.parent = forest_.parents();
}

}  // namespace coppice::engine
