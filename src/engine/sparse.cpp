#include "engine/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/input.hpp"

namespace coppice::engine {
namespace {

enum State : std::uint8_t { untouched, on_path, done };

}  // namespace

void EdgeHeaps::settle(Cell cell) {
  Entry& entry = cells_[at(cell)];
  if (entry.owed == 0.0) return;
  for (Cell below : {entry.left, entry.right}) {
    if (below == kEmpty) continue;
    cells_[at(below)].key += entry.owed;
    cells_[at(below)].owed += entry.owed;
  }
  entry.owed = 0.0;
}

EdgeHeaps::Cell EdgeHeaps::merge(Cell a, Cell b) {
  Cell root = kEmpty;
  Cell* slot = &root;
  while (a != kEmpty && b != kEmpty) {
    if (cells_[at(b)].key > cells_[at(a)].key) std::swap(a, b);
    settle(a);
    *slot = a;
    Entry& entry = cells_[at(a)];
    a = entry.right;
    entry.right = entry.left;
    slot = &entry.left;
  }
  *slot = a != kEmpty ? a : b;
  return root;
}

EdgeHeaps::Cell EdgeHeaps::pop(Cell top) {
  settle(top);
  return merge(cells_[at(top)].left, cells_[at(top)].right);
}

void Sparse::load(const Multigraph& graph, const Constraints& constraints, Objective objective) {
  nodes_ = graph.nodes();
  auto usable = [&](EdgeId e) {
    Node s = graph.source(e), t = graph.target(e);
    return t != 0 && s != t && constraints.allows(s, t, e);
  };
  // Counting sort by target.
  begin_.assign(at(nodes_) + 1, 0);
  for (EdgeId e = 0; e < graph.edges(); ++e)
    if (usable(e)) ++begin_[at(graph.target(e)) + 1];
  for (std::size_t t = 0; t < at(nodes_); ++t) begin_[t + 1] += begin_[t];
  auto edges = at(begin_.back());
  source_.resize(edges);
  target_.resize(edges);
  weight_.resize(edges);
  id_.resize(edges);
  best_.assign(begin_.begin(), begin_.end() - 1);  // for now: the next free place
  double sign = objective == Objective::minimize ? -1.0 : 1.0, largest = 0.0;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (!usable(e)) continue;
    auto place = at(best_[at(graph.target(e))]++);
    double weight = graph.weight(e);
    if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
    source_[place] = graph.source(e);
    target_[place] = graph.target(e);
    weight_[place] = weight == kNoWeight ? kNoWeight : sign * weight;
    id_[place] = e;
  }
  if (graph.scalar() == Scalar::int64)
    check_magnitude(static_cast<std::uint64_t>(largest), nodes_);
  else
    check_magnitude(largest, nodes_);
}

double Sparse::loss_of_second(Node v, double weight) const {
  return std::max(0.0, weight - second_[at(v)]);
}

bool Sparse::solve(RootRule rule, Solution& solution) {
  solution.reset(nodes_);
  best_.assign(at(nodes_), -1);
  second_.assign(at(nodes_), kNoWeight);
  for (Node t = 1; t < nodes_; ++t) {
    double best = kNoWeight;
    for (Index e = begin_[at(t)]; e < begin_[at(t) + 1]; ++e) {
      double weight = weight_[at(e)];
      second_[at(t)] = std::max(second_[at(t)], std::min(weight, best));
      if (weight > best) best = weight, best_[at(t)] = e;
    }
    if (best_[at(t)] < 0) return false;
    solution.y[at(t)] = best;
  }
  if (!greedy(solution) && !contract(false, solution)) return false;
  if (rule == RootRule::single && solution.root_edges() != 1) {
    solution.reset(nodes_);
    if (!contract(true, solution)) return false;
  }
  return true;
}

void Sparse::take_tree(Solution& solution) const {
  solution.edge.assign(at(nodes_), kNoEdge);
  for (Node v = 1; v < nodes_; ++v) {
    auto e = at(picked_[at(v)]);
    solution.head[at(v)] = source_[e];
    solution.weight[at(v)] = weight_[e];
    solution.edge[at(v)] = id_[e];
  }
}

bool Sparse::greedy(Solution& solution) {
  state_.assign(at(nodes_), untouched);
  state_[0] = done;
  auto up = [&](Node v) { return source_[at(best_[at(v)])]; };
  for (Node start = 1; start < nodes_; ++start) {
    Node v = start;
    for (; state_[at(v)] == untouched; v = up(v)) state_[at(v)] = on_path;
    if (state_[at(v)] == on_path) return false;
    for (v = start; state_[at(v)] == on_path; v = up(v)) state_[at(v)] = done;
  }
  picked_ = best_;
  take_tree(solution);
  return true;
}

Component Sparse::top(Component c) {
  while (top_[at(c)] != c) c = top_[at(c)] = top_[at(top_[at(c)])];
  return c;
}

// The heap of a node is made when it first becomes part of a cycle: most nodes never do.
void Sparse::build_heap(Node v, bool root_last) {
  round_.clear();
  for (Index e = begin_[at(v)]; e < begin_[at(v) + 1]; ++e) {
    if (weight_[at(e)] == kNoWeight || (root_last && source_[at(e)] == 0)) continue;
    heaps_.make(e, weight_[at(e)]);
    round_.push_back(e);
  }
  for (std::size_t i = 0; i + 1 < round_.size(); i += 2)
    round_.push_back(heaps_.merge(round_[i], round_[i + 1]));
  heap_[at(v)] = round_.empty() ? EdgeHeaps::kEmpty : round_.back();
}

// The component picks its best entering edge. With root_last, root edges only where there is no
// other. False: nothing enters it.
bool Sparse::pick(Component c, bool root_last, Solution& solution) {
  if (c < nodes_) {
    Index best = best_[at(c)];
    if (root_last && source_[at(best)] == 0) {
      best = -1;
      for (Index e = begin_[at(c)]; e < begin_[at(c) + 1]; ++e)
        if (source_[at(e)] != 0 && weight_[at(e)] != kNoWeight &&
            (best < 0 || weight_[at(e)] > weight_[at(best)]))
          best = e;
      if (best < 0) return pick_root_edge(c, solution);
    }
    picked_[at(c)] = best;
    solution.y[at(c)] = weight_[at(best)];
    return true;
  }
  EdgeHeaps::Cell& heap = heap_[at(c)];
  while (heap != EdgeHeaps::kEmpty && top(source_[at(heap)]) == c) heap = heaps_.pop(heap);
  if (heap == EdgeHeaps::kEmpty) return root_last && pick_root_edge(c, solution);
  picked_[at(c)] = heap;
  solution.y[at(c)] = heaps_.key(heap);
  return true;
}

// The best root edge into a component that nothing else enters. At most once per graph.
bool Sparse::pick_root_edge(Component c, Solution& solution) {
  std::vector<std::pair<Component, double>> inside{{c, 0.0}};  // with what was picked below c
  Index best = -1;
  double best_weight = kNoWeight;
  while (!inside.empty()) {
    auto [member, below] = inside.back();
    inside.pop_back();
    for (Component m = child_[at(member)]; m != kNoNode; m = sibling_[at(m)])
      inside.push_back({m, below + solution.y[at(m)]});
    if (member >= nodes_) continue;
    for (Index e = begin_[at(member)]; e < begin_[at(member) + 1]; ++e)
      if (source_[at(e)] == 0 && weight_[at(e)] - below > best_weight)
        best = e, best_weight = weight_[at(e)] - below;
  }
  if (best < 0) return false;
  picked_[at(c)] = best;
  solution.y[at(c)] = best_weight;
  solution.root_part[at(c)] = -1;
  return true;
}

// The part of path_ from `first` to its end is a cycle: make it one component.
Component Sparse::merge(Component first, Solution& solution) {
  Component merged = solution.add_component();
  top_.push_back(merged);
  child_.push_back(kNoNode);
  sibling_.push_back(kNoNode);
  picked_.push_back(-1);
  state_.push_back(untouched);
  EdgeHeaps::Cell heap = EdgeHeaps::kEmpty;
  Component member = kNoNode;
  do {
    member = path_.back();
    path_.pop_back();
    if (member < nodes_) build_heap(member, solution.root_last);
    if (heap_[at(member)] != EdgeHeaps::kEmpty) {
      heaps_.subtract(heap_[at(member)], solution.y[at(member)]);
      heap = heaps_.merge(heap, heap_[at(member)]);
    }
    top_[at(member)] = solution.parent[at(member)] = merged;
    sibling_[at(member)] = child_[at(merged)];
    child_[at(merged)] = member;
  } while (member != first);
  heap_.push_back(heap);
  return merged;
}

bool Sparse::contract(bool root_last, Solution& solution) {
  solution.root_last = root_last;
  top_.resize(at(nodes_));
  for (Node v = 0; v < nodes_; ++v) top_[at(v)] = v;
  child_.assign(at(nodes_), kNoNode);
  sibling_.assign(at(nodes_), kNoNode);
  picked_.assign(at(nodes_), -1);
  heap_.assign(at(nodes_), EdgeHeaps::kEmpty);
  heaps_.reset(source_.size());
  state_.assign(at(nodes_), untouched);
  state_[0] = done;
  int entered_from_root = 0;
  for (Node start = 1; start < nodes_; ++start) {
    Component c = top(start);
    path_.clear();
    while (state_[at(c)] != done) {
      if (state_[at(c)] == on_path) c = merge(c, solution);
      if (!pick(c, root_last, solution)) return false;
      if (solution.root_part[at(c)] != 0 && ++entered_from_root > 1) return false;
      state_[at(c)] = on_path;
      path_.push_back(c);
      c = top(source_[at(picked_[at(c)])]);
    }
    for (Component on : path_) state_[at(on)] = done;
  }
  expand(solution);
  take_tree(solution);
  return true;
}

// From the outside in: the edge that enters a component is the one of all members down to its
// target; the others keep what they picked.
void Sparse::expand(const Solution& solution) {
  for (Component c = solution.components() - 1; c >= nodes_; --c) {
    Index e = picked_[at(c)];
    // A component entered by its parent's edge has been seen to already.
    Component parent = solution.parent[at(c)];
    if (parent != kNoNode && picked_[at(parent)] == e) continue;
    for (Component inner = target_[at(e)]; inner != c; inner = solution.parent[at(inner)])
      picked_[at(inner)] = e;
  }
}

}  // namespace coppice::engine
