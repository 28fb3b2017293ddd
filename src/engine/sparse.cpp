#include "engine/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/input.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// What is done for each of so many nodes or edges takes less than a millisecond.
void poll_at(std::int32_t i) {
  if (i % 1024 == 0) poll();
}

}  // namespace

void Sparse::load(const Multigraph& graph, const Constraints& constraints, Objective objective) {
  nodes_ = graph.nodes();
  graph_ = &graph;
  objective_ = objective;
  auto usable = [&](EdgeId e) {
    const Node s = graph.source(e), t = graph.target(e);
    return t != 0 && s != t && constraints.allows(s, t, e);
  };
  // Counting sort by target.
  begin_.assign(place_of(nodes_) + 1, Slot(0));
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    poll_at(e);
    if (usable(e)) ++begin_[graph.target(e) + 1];
  }
  for (Node t = 0; t < nodes_; ++t) begin_[t + 1] = Slot(begin_[t].value() + begin_[t + 1].value());
  const auto edges = place_of(begin_.back());
  source_.resize(edges);
  target_.resize(edges);
  weight_.resize(edges);
  id_.resize(edges);
  best_.assign(begin_.begin(), begin_.end() - 1);  // for now: the next free place
  const double sign = objective == Objective::minimize ? -1.0 : 1.0;
  double largest = 0.0;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    poll_at(e);
    if (!usable(e)) continue;
    const Slot slot = best_[graph.target(e)];
    ++best_[graph.target(e)];
    const double weight = graph.weight(e);
    if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
    source_[slot] = graph.source(e);
    target_[slot] = graph.target(e);
    weight_[slot] = weight == kNoWeight ? kNoWeight : sign * weight;
    id_[slot] = e;
  }
  if (graph.scalar() == Scalar::int64)
    check_magnitude(static_cast<std::uint64_t>(largest), nodes_);
  else
    check_magnitude(largest, nodes_);
  base_.clear();
  if (graph.scalar() == Scalar::int64 && need_base(largest, nodes_)) subtract_base();
}

void Sparse::subtract_base() {
  base_.assign(place_of(nodes_), 0.0);
  for (Node t = 1; t < nodes_; ++t) {
    poll_at(t);
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    for (Slot e = begin(t); e < end(t); ++e)
      best = std::max(best, integer_weight(source_[e], t, id_[e]));
    base_[t] = static_cast<double>(best);
    for (Slot e = begin(t); e < end(t); ++e)
      weight_[e] = static_cast<double>(integer_weight(source_[e], t, id_[e]) - best);
  }
}

bool Sparse::solve(RootRule rule, Solution& solution) {
  solution.reset(nodes_);
  best_.assign(place_of(nodes_), kNoSlot);
  second_.assign(place_of(nodes_), kNoWeight);
  for (Node t = 1; t < nodes_; ++t) {
    poll_at(t);
    double best = kNoWeight;
    for (Slot e = begin(t); e < end(t); ++e) {
      const double weight = weight_[e];
      second_[t] = std::max(second_[t], std::min(weight, best));
      if (weight > best) best = weight, best_[t] = e;
    }
    if (best_[t] == kNoSlot) return false;
    solution.y[Component(t)] = best;
  }
  const bool is_tree = greedy(solution);
  if (is_tree && (rule == RootRule::any || solution.root_edges() == 1)) return true;
  forest_.reset(nodes_);
  picked_.assign(place_of(nodes_), kNoSlot);
  heap_.assign(place_of(nodes_), kNoSlot);
  edges_into_.assign(place_of(nodes_), 0);
  popped_.assign(place_of(nodes_), 0);
  heaps_.reset(source_.size());
  if (!is_tree && !contract(false, solution)) return false;
  // What is contracted stays contracted: only the components that picked root edges pick again.
  const bool again = is_tree || (rule == RootRule::single && outer_root_edges() != 1);
  if (again && !contract(true, solution)) return false;
  expand();
  take_tree(solution);
  solution.parent = forest_.parents();
  return true;
}

bool Sparse::collect(const Solution& solution, const ReducedCost& reduced, double limit,
                     std::size_t most, CandidateList& candidates) {
  for (Node t = 1; t < nodes_; ++t) {
    poll_at(t);
    if (candidates.size() > most) return false;
    const double threshold = reduced.least(t) - limit;
    for (Slot e = begin(t); e < end(t); ++e) {
      if (weight_[e] < threshold || weight_[e] == kNoWeight || id_[e] == solution.edge[t]) continue;
      add_if_cheap(solution, reduced, limit, source_[e], t, weight_[e], id_[e], candidates);
    }
  }
  return candidates.size() <= most;
}

std::int64_t Sparse::edges() const { return static_cast<std::int64_t>(source_.size()); }

Solver::Numbered Sparse::edge(std::int64_t number) const {
  const Slot e(static_cast<std::int32_t>(number));
  return {source_[e], target_[e], weight_[e], id_[e]};
}

Exactness Sparse::exactness() const {
  Exactness exactness(graph_->scalar() == Scalar::int64);
  exactness.see(weight_.data(), weight_.size());
  return exactness;
}

std::int64_t Sparse::integer_weight(Node /*head*/, Node /*dependent*/, EdgeId edge) const {
  const std::int64_t weight = graph_->integer_weight(edge);
  return objective_ == Objective::minimize ? -weight : weight;
}

// The tree of the edges that the nodes picked.
void Sparse::take_tree(Solution& solution) const {
  solution.edge.assign(place_of(nodes_), kNoEdge);
  for (Node v = 1; v < nodes_; ++v) {
    const Slot e = picked_[Component(v)];
    solution.head[v] = source_[e];
    solution.weight[v] = weight_[e];
    solution.edge[v] = id_[e];
  }
}

bool Sparse::greedy(Solution& solution) {
  if (!is_tree_(nodes_, [&](Node v) { return source_[best_[v]]; })) return false;
  picked_.assign(best_.begin(), best_.end());
  take_tree(solution);
  return true;
}

// The heap of a node is made when it first becomes part of a cycle: most nodes never do.
void Sparse::build_heap(Node v, bool root_last) {
  own_.clear();
  for (Slot e = begin(v); e < end(v); ++e) {
    if (weight_[e] == kNoWeight || (root_last && source_[e] == 0)) continue;
    heaps_.make(e, weight_[e]);
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

// The component picks its best entering edge. With root_last, root edges only where there is no
// other. False: nothing enters it.
bool Sparse::pick(Component c, bool root_last, Solution& solution) {
  if (is_node(c)) {
    Slot best = best_[c.value()];
    if (root_last && source_[best] == 0) best = best_inner(c.value());
    if (best == kNoSlot) return pick_root_edge(c, solution);
    picked_[c] = best;
    solution.y[c] = weight_[best];
    return true;
  }
  Slot& heap = heap_[c];
  auto usable = [&](Slot e) {
    return forest_.top(Component(source_[e])) != c && !(root_last && source_[e] == 0);
  };
  // Where many edges come from inside, looking at all of them in order is cheaper than one pop
  // more.
  while (heap != kNoSlot && !usable(heap)) {
    if (++popped_[c] <= edges_into_[c] / edges_per_pop_) {
      heap = heaps_.pop(heap);
      continue;
    }
    popped_[c] = 0;
    own_.clear();
    for_each_edge_into(c, solution, [&](Slot e, double weight) {
      if (!usable(e) || weight == kNoWeight) return;
      heaps_.make(e, weight);
      own_.push_back(e);
    });
    heap = merge_all(own_);
  }
  if (heap == kNoSlot) return root_last && pick_root_edge(c, solution);
  picked_[c] = heap;
  solution.y[c] = heaps_.key(heap);
  return true;
}

// The best edge into v that does not come from the root.
Slot Sparse::best_inner(Node v) const {
  Slot best;
  for (Slot e = begin(v); e < end(v); ++e)
    if (source_[e] != 0 && weight_[e] != kNoWeight &&
        (best == kNoSlot || weight_[e] > weight_[best]))
      best = e;
  return best;
}

// Calls visit(e, weight) for all edges into nodes of c, with their weight less what was picked
// below c.
template <class Visit>
void Sparse::for_each_edge_into(Component c, const Solution& solution, Visit visit) {
  inside_.assign(1, {c, 0.0});
  while (!inside_.empty()) {
    poll();
    const auto [member, below] = inside_.back();
    inside_.pop_back();
    for (Component m = forest_.first_member(member); m != kNoComponent; m = forest_.next_member(m))
      inside_.push_back({m, below + solution.y[m]});
    if (!is_node(member)) continue;
    for (Slot e = begin(member.value()); e < end(member.value()); ++e) visit(e, weight_[e] - below);
  }
}

// The best root edge into a component that nothing else enters. At most once per graph.
bool Sparse::pick_root_edge(Component c, Solution& solution) {
  Slot best;
  double best_weight = kNoWeight;
  for_each_edge_into(c, solution, [&](Slot e, double weight) {
    if (source_[e] == 0 && weight > best_weight) best = e, best_weight = weight;
  });
  if (best == kNoSlot) return false;
  picked_[c] = best;
  solution.y[c] = best_weight;
  solution.root_part[c] = -1;
  return true;
}

Component Sparse::merge(std::span<const Component> cycle, Solution& solution) {
  const Component merged = forest_.merge(cycle);
  solution.add_component();
  picked_.push_back(kNoSlot);
  std::int64_t edges = 0, popped = 0;
  members_.clear();
  for (Component member : cycle) {
    poll();
    if (is_node(member)) {
      const Node v = member.value();
      build_heap(v, solution.root_last);
      edges_into_[member] = place_of(end(v)) - place_of(begin(v));
    }
    edges += edges_into_[member];
    popped += popped_[member];
    if (heap_[member] == kNoSlot) continue;
    heaps_.subtract(heap_[member], solution.y[member]);
    members_.push_back(heap_[member]);
  }
  heap_.push_back(merge_all(members_));
  edges_into_.push_back(edges);
  popped_.push_back(popped);
  return merged;
}

bool Sparse::contract(bool root_last, Solution& solution) {
  solution.root_last = root_last;
  int entered_from_root = 0;
  return forest_.contract(
      [&](Component c) {
        const bool stays = picked_[c] != kNoSlot && !(root_last && source_[picked_[c]] == 0);
        if (!stays && !pick(c, root_last, solution)) return false;
        return solution.root_part[c] == 0 || ++entered_from_root == 1;
      },
      [&](Component c) { return Component(source_[picked_[c]]); },
      [&](std::span<const Component> cycle) { return merge(cycle, solution); });
}

// How many components, each taken for one, hang from the root.
Node Sparse::outer_root_edges() const {
  Node count = 0;
  for (Component c(1); c < forest_.end(); ++c)
    if (forest_.parent(c) == kNoComponent && source_[picked_[c]] == 0) ++count;
  return count;
}

// From the outside in: the edge that enters a component is the one of all members down to its
// target; the others keep what they picked.
void Sparse::expand() {
  for (Component c = forest_.end(); --c >= Component(nodes_);) {
    const Slot e = picked_[c];
    // A component entered by its parent's edge has been seen to already.
    const Component parent = forest_.parent(c);
    if (parent != kNoComponent && picked_[parent] == e) continue;
    for (Component inner(target_[e]); inner != c; inner = forest_.parent(inner)) picked_[inner] = e;
  }
}

}  // namespace coppice::engine
