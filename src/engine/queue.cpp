#include "engine/queue.hpp"

#include <algorithm>
#include <cstdint>

namespace coppice::engine {
namespace {

enum State : std::uint8_t { untouched, on_path, done };

}  // namespace

template <class W>
void Queue<W>::start(std::int32_t nodes, const std::vector<Edge>& edges, bool single, double limit,
                     double slack) {
  nodes_ = nodes;
  edges_ = edges;
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    if (a.node != b.node) return a.node < b.node;
    return b.weight < a.weight || (!(a.weight < b.weight) && a.candidate < b.candidate);
  });
  begin_.assign(at(nodes) + 1, 0);
  for (const Edge& edge : edges_) ++begin_[at(edge.node) + 1];
  for (std::size_t v = 0; v < at(nodes); ++v) begin_[v + 1] += begin_[v];
  single_ = single;
  limit_ = limit;
  slack_ = slack;
  best_weight_.reset();
  queue_.clear();
  steps_.clear();
  required_.assign(at(nodes), kNone);
  excluded_.assign(edges_.size(), 0);
  excluded_list_.clear();
  if (!single) {
    if (solve(kNone)) push(weight_, kNone);
    return;
  }
  for (EdgeIndex e = 0; e < static_cast<EdgeIndex>(edges_.size()); ++e) {
    if (edges_[at(e)].head != Kernel::kRoot) continue;
    // A root edge that is included at the very beginning is the only one.
    std::int32_t subproblem = add_step(kNone, e, true);
    if (solve(subproblem)) push(weight_, subproblem);
  }
}

template <class W>
std::int32_t Queue<W>::add_step(std::int32_t parent, EdgeIndex edge, bool include) {
  steps_.push_back({parent, edge, include});
  return static_cast<std::int32_t>(steps_.size() - 1);
}

template <class W>
void Queue<W>::push(W weight, std::int32_t subproblem) {
  queue_.push_back({weight, subproblem, sequence_++});
  std::push_heap(queue_.begin(), queue_.end());
}

template <class W>
bool Queue<W>::next(std::vector<std::uint32_t>& replacements) {
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    Entry entry = queue_.back();
    queue_.pop_back();
    if (!solve(entry.subproblem)) continue;
    bool outdone = !queue_.empty() &&
                   static_cast<double>(queue_.front().weight - weight_) > slack_ &&
                   weight_ < entry.weight;
    if (outdone) {
      push(weight_, entry.subproblem);
      continue;
    }
    if (!best_weight_) best_weight_ = weight_;
    for (EdgeIndex e : tree_)
      if (edges_[at(e)].candidate >= 0)
        replacements.push_back(static_cast<std::uint32_t>(edges_[at(e)].candidate));
    push_swaps(entry.subproblem);
    return true;
  }
  return false;
}

// The subproblems that follow the best tree of the one just solved. Any other tree lacks an edge
// whose swap costs no more than that tree (docs/engine.md, section 5). So with the edges that are
// cheaper to swap included, nothing without e is better than what the swap of e leaves.
template <class W>
void Queue<W>::push_swaps(std::int32_t subproblem) {
  number_descendants();
  swaps_.clear();
  for (std::int32_t v = 0; v < nodes_; ++v) {
    std::optional<W> cost = best_swap(v);
    if (!cost || static_cast<double>(*best_weight_ - (weight_ - *cost)) > limit_) continue;
    swaps_.push_back({*cost, tree_[at(v)]});
  }
  std::sort(swaps_.begin(), swaps_.end(), [](const Swap& a, const Swap& b) {
    return a.cost < b.cost || (!(b.cost < a.cost) && a.edge < b.edge);
  });
  for (const Swap& swap : swaps_) {
    push(weight_ - swap.cost, add_step(subproblem, swap.edge, false));
    subproblem = add_step(subproblem, swap.edge, true);
  }
}

template <class W>
void Queue<W>::load(std::int32_t subproblem) {
  for (EdgeIndex e : excluded_list_) excluded_[at(e)] = 0;
  excluded_list_.clear();
  std::fill(required_.begin(), required_.end(), kNone);
  root_edge_ = kNone;
  for (; subproblem != kNone; subproblem = steps_[at(subproblem)].parent) {
    const Step& step = steps_[at(subproblem)];
    if (!step.include) {
      excluded_[at(step.edge)] = 1;
      excluded_list_.push_back(step.edge);
      continue;
    }
    required_[at(edges_[at(step.edge)].node)] = step.edge;
    if (step.parent == kNone && edges_[at(step.edge)].head == Kernel::kRoot && single_)
      root_edge_ = step.edge;
  }
}

template <class W>
bool Queue<W>::allowed(const Edge& edge, EdgeIndex index) const {
  if (excluded_[at(index)] != 0) return false;
  if (required_[at(edge.node)] != kNone && required_[at(edge.node)] != index) return false;
  return root_edge_ == kNone || edge.head != Kernel::kRoot || index == root_edge_;
}

template <class W>
std::int32_t Queue<W>::top(std::int32_t c) {
  while (top_[at(c)] != c) c = top_[at(c)] = top_[at(top_[at(c)])];
  return c;
}

// The heaviest edge into a component; of equals the first in the order of edges_, so that the
// outcome depends on the edges alone: a subproblem and the one that includes an edge of its best
// tree must have the same best tree, also under ties.
template <class W>
bool Queue<W>::pick(std::int32_t c) {
  picked_[at(c)] = kNone;
  if (c < nodes_) {
    for (EdgeIndex e = begin_[at(c)]; e < begin_[at(c) + 1]; ++e) {
      if (!allowed(edges_[at(e)], e)) continue;
      picked_[at(c)] = e;
      y_[at(c)] = edges_[at(e)].weight;
      return true;
    }
    return false;
  }
  auto c_list = at(c - nodes_);
  for (std::size_t i = list_begin_[c_list]; i < list_begin_[c_list + 1]; ++i) {
    const Entering& entering = lists_[i];
    bool better = picked_[at(c)] == kNone || y_[at(c)] < entering.weight ||
                  (!(entering.weight < y_[at(c)]) && entering.edge < picked_[at(c)]);
    if (!better) continue;
    picked_[at(c)] = entering.edge;
    y_[at(c)] = entering.weight;
  }
  return picked_[at(c)] != kNone;
}

// Contracts the part of path_ from `first` to its end.
template <class W>
std::int32_t Queue<W>::merge(std::int32_t first) {
  auto merged = static_cast<std::int32_t>(parent_.size());
  parent_.push_back(kNone);
  top_.push_back(merged);
  picked_.push_back(kNone);
  y_.push_back(W{});
  state_.push_back(untouched);
  cycle_.clear();
  do {
    cycle_.push_back(path_.back());
    parent_[at(path_.back())] = top_[at(path_.back())] = merged;
    path_.pop_back();
  } while (cycle_.back() != first);
  std::size_t begin = lists_.size();
  auto take = [&](EdgeIndex e, const W& weight) {
    std::int32_t head = edges_[at(e)].head;
    if (head == Kernel::kRoot || top(head) != merged) lists_.push_back({e, weight});
  };
  for (std::int32_t member : cycle_) {
    const W y = y_[at(member)];
    if (member < nodes_) {
      for (EdgeIndex e = begin_[at(member)]; e < begin_[at(member) + 1]; ++e)
        if (allowed(edges_[at(e)], e)) take(e, edges_[at(e)].weight - y);
    } else {
      auto list = at(member - nodes_);
      for (std::size_t i = list_begin_[list]; i < list_begin_[list + 1]; ++i)
        take(lists_[i].edge, lists_[i].weight - y);
    }
  }
  if (lists_.size() - begin > 2 * at(nodes_ + 1)) thin_out(begin);
  list_begin_.push_back(lists_.size());
  return merged;
}

// Only the two heaviest edges of each head can matter: the best of every head, and beside an edge
// of the tree the best other one of its own head.
template <class W>
void Queue<W>::thin_out(std::size_t begin) {
  heaviest_.assign(at(nodes_) + 1, {kNone, W{}});
  second_.assign(at(nodes_) + 1, {kNone, W{}});
  auto heavier = [](const Entering& a, const Entering& b) {
    return b.edge == kNone || b.weight < a.weight || (!(a.weight < b.weight) && a.edge < b.edge);
  };
  for (std::size_t i = begin; i < lists_.size(); ++i) {
    auto head = at(edges_[at(lists_[i].edge)].head + 1);
    if (heavier(lists_[i], heaviest_[head])) {
      second_[head] = heaviest_[head];
      heaviest_[head] = lists_[i];
    } else if (heavier(lists_[i], second_[head])) {
      second_[head] = lists_[i];
    }
  }
  lists_.resize(begin);
  for (const auto* kept : {&heaviest_, &second_})
    for (const Entering& entering : *kept)
      if (entering.edge != kNone) lists_.push_back(entering);
}

template <class W>
bool Queue<W>::solve(std::int32_t subproblem) {
  load(subproblem);
  parent_.assign(at(nodes_), kNone);
  top_.resize(at(nodes_));
  for (std::int32_t v = 0; v < nodes_; ++v) top_[at(v)] = v;
  picked_.resize(at(nodes_));
  y_.resize(at(nodes_));
  state_.assign(at(nodes_), untouched);
  lists_.clear();
  list_begin_.assign(1, 0);
  for (std::int32_t start = 0; start < nodes_; ++start) {
    std::int32_t c = top(start);
    path_.clear();
    while (c != Kernel::kRoot && state_[at(c)] != done) {
      if (state_[at(c)] == on_path) c = merge(c);
      if (!pick(c)) return false;
      state_[at(c)] = on_path;
      path_.push_back(c);
      std::int32_t head = edges_[at(picked_[at(c)])].head;
      c = head == Kernel::kRoot ? head : top(head);
    }
    for (std::int32_t on : path_) state_[at(on)] = done;
  }
  expand();
  return true;
}

template <class W>
void Queue<W>::expand() {
  // From the outside in: an edge that enters a component enters its members down to one node; they
  // all have their edge from the level of that component.
  auto components = static_cast<std::int32_t>(parent_.size());
  level_.assign(at(components), kNone);
  tree_.assign(at(nodes_), kNone);
  for (std::int32_t c = components - 1; c >= 0; --c) {
    if (level_[at(c)] != kNone) continue;  // entered from further out
    EdgeIndex e = picked_[at(c)];
    std::int32_t v = edges_[at(e)].node;
    tree_[at(v)] = e;
    for (std::int32_t inner = v;; inner = parent_[at(inner)]) {
      level_[at(inner)] = c;
      if (inner == c) break;
    }
  }
  weight_ = W{};
  for (EdgeIndex e : tree_) weight_ += edges_[at(e)].weight;
}

template <class W>
void Queue<W>::number_descendants() {
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
    while (v != Kernel::kRoot) {
      end_[at(v)] = place;
      if (sibling_[at(v)] != kNone) break;
      v = edges_[at(tree_[at(v)])].head;
    }
    v = v == Kernel::kRoot ? kNone : sibling_[at(v)];
  }
}

// What it costs to replace the edge of v by the best other one at the level where it was picked,
// from a head that does not hang from v.
template <class W>
std::optional<W> Queue<W>::best_swap(std::int32_t v) const {
  EdgeIndex own = tree_[at(v)];
  std::int32_t c = level_[at(v)];
  if (c < nodes_) {
    for (EdgeIndex e = begin_[at(c)]; e < begin_[at(c) + 1]; ++e)  // heaviest first
      if (e != own && !is_below(edges_[at(e)].head, v) && allowed(edges_[at(e)], e))
        return y_[at(c)] - edges_[at(e)].weight;
    return std::nullopt;
  }
  std::optional<W> best;
  auto list = at(c - nodes_);
  for (std::size_t i = list_begin_[list]; i < list_begin_[list + 1]; ++i) {
    if (lists_[i].edge == own || is_below(edges_[at(lists_[i].edge)].head, v)) continue;
    if (!best || *best < lists_[i].weight) best = lists_[i].weight;
  }
  if (!best) return std::nullopt;
  return y_[at(c)] - *best;
}

template class Queue<double>;
template class Queue<std::int64_t>;

}  // namespace coppice::engine
