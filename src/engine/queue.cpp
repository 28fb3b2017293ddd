#include "engine/queue.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

#include "engine/dense_solver.hpp"
#include "engine/list_solver.hpp"

namespace coppice::engine {
namespace {

// What a swap may cost at most.
template <class W>
W room(double limit, double gap) {
  double left = limit - gap;
  if constexpr (std::is_floating_point_v<W>) {
    return left;
  } else {
    constexpr W kMost = std::numeric_limits<W>::max() / 2;
    return left < static_cast<double>(kMost) ? static_cast<W>(left) : kMost;
  }
}

}  // namespace

template <class Solver>
void Queue<Solver>::start(Solver& solver, double limit, double slack) {
  solver_ = &solver;
  limit_ = limit;
  slack_ = slack;
  best_weight_.reset();
  undivided_.reset();
  queue_.clear();
  steps_.clear();
  // Families keep their memory.
  free_families_.resize(families_.size());
  std::iota(free_families_.rbegin(), free_families_.rend(), 0);
  first_tree_.clear();
  sequence_ = 0;
  wanted_ = std::numeric_limits<std::int64_t>::max();
  given_ = 0;
  solves_ = 0;
  push({std::numeric_limits<W>::max(), 0, kNone, kNone, Kind::exact});
}

template <class Solver>
std::int32_t Queue<Solver>::add_step(std::int32_t before, Edge edge, bool include) {
  steps_.push_back({before, include, edge});
  return static_cast<std::int32_t>(steps_.size() - 1);
}

template <class Solver>
void Queue<Solver>::push(const Entry& entry) {
  queue_.push_back(entry);
  queue_.back().sequence = sequence_++;
  std::push_heap(queue_.begin(), queue_.end());
}

template <class Solver>
typename Queue<Solver>::Entry Queue<Solver>::pop() {
  std::pop_heap(queue_.begin(), queue_.end());
  Entry entry = queue_.back();
  queue_.pop_back();
  return entry;
}

template <class Solver>
bool Queue<Solver>::solve(std::int32_t steps) {
  solver_->clear();
  for (; steps != kNone; steps = steps_[place_of(steps)].before) {
    const Step& step = steps_[place_of(steps)];
    if (step.include)
      solver_->require(step.edge);
    else
      solver_->exclude(step.edge);
  }
  ++solves_;
  return solver_->solve();
}

template <class Solver>
bool Queue<Solver>::attains(const Entry& entry) const {
  return entry.kind == Kind::exact ||
         !(static_cast<double>(entry.weight - solver_->weight()) > slack_);
}

// Can a subproblem whose best tree weighs this, or less, have a tree of such a gap?
template <class Solver>
bool Queue<Solver>::within(W weight, double up_to) const {
  return !best_weight_ || !(static_cast<double>(*best_weight_ - weight) > up_to + slack_);
}

template <class Solver>
bool Queue<Solver>::next(double up_to) {
  if (undivided_) {
    split(*undivided_);
    undivided_.reset();
  }
  while (!queue_.empty() && within(queue_.front().weight, up_to)) {
    Entry entry = pop();
    if (entry.kind == Kind::rest) {
      renew(entry.family);
      continue;
    }
    bool found = solve(entry.steps);
    if (found && attains(entry)) {
      if (!best_weight_) best_weight_ = solver_->weight();
      if (entry.family != kNone) push_part(entry.family);
      undivided_ = entry;
      ++given_;
      return true;
    }
    if (found) push({solver_->weight(), 0, entry.steps, kNone, Kind::exact});
    if (entry.family != kNone) renew(entry.family);
  }
  return false;
}

// The parts of the subproblem whose best tree the solver holds, without that tree.
template <class Solver>
void Queue<Solver>::split(const Entry& entry) {
  W weight = solver_->weight();
  std::int32_t steps = entry.steps;
  if (Edge root = solver_->open_root_edge(); root != Solver::kNone) {
    if (auto cost = solver_->root_swap(); cost && !(room<W>(limit_, gap()) < *cost))
      push({static_cast<W>(weight - *cost), 0, add_step(steps, root, false), kNone, Kind::part});
    steps = add_step(steps, root, true);
  }
  std::int32_t family = new_family();
  Family& parts = families_[place_of(family)];
  parts.steps = steps;
  parts.weight = weight;
  note_changes(parts);
  list_parts(parts);
  push_part(family);
}

template <class Solver>
std::int32_t Queue<Solver>::new_family() {
  if (free_families_.empty()) {
    families_.emplace_back();
    return static_cast<std::int32_t>(families_.size() - 1);
  }
  std::int32_t family = free_families_.back();
  free_families_.pop_back();
  return family;
}

// The tree in the solver is the one that the family begins with.
template <class Solver>
void Queue<Solver>::note_changes(Family& family) {
  family.changes.clear();
  bool first = first_tree_.empty();
  if (first) first_tree_.assign(1, Solver::kNone);
  for (Node v = 1; v < solver_->nodes(); ++v) {
    const Edge edge = solver_->tree(v);
    if (first)
      first_tree_.push_back(edge);
    else if (edge != first_tree_[v])
      family.changes.push_back(edge);
  }
}

// An edge of the tree that the family began with that the tree in the solver lacks, or kNone.
template <class Solver>
typename Solver::Edge Queue<Solver>::lacking(const Family& family) const {
  auto change = family.changes.begin();  // by node
  for (Node v = 1; v < solver_->nodes(); ++v) {
    Edge edge = first_tree_[v];
    if (change != family.changes.end() && solver_->node(*change) == v) edge = *change++;
    if (edge != solver_->tree(v)) return edge;
  }
  return Solver::kNone;
}

template <class Solver>
void Queue<Solver>::list_parts(Family& family) {
  const double gap = static_cast<double>(*best_weight_ - family.weight);
  const auto most = std::clamp<std::int64_t>(wanted_ - given_, 1, most_parts_);
  family.more = solver_->swaps(room<W>(limit_, gap), static_cast<std::size_t>(most), family.swaps);
  family.next = 0;
}

// The next part of the family goes to the queue, if there is one.
template <class Solver>
void Queue<Solver>::push_part(std::int32_t family) {
  Family& parts = families_[place_of(family)];
  if (parts.next == parts.swaps.size()) {
    if (!parts.more) return leave(family);
    // The tree in the solver is still wanted; so what is left waits at the weight of its last part.
    push({static_cast<W>(parts.weight - parts.swaps.back().cost), 0, kNone, family, Kind::rest});
    return;
  }
  const Swap swap = parts.swaps[parts.next++];
  push({static_cast<W>(parts.weight - swap.cost), 0, add_step(parts.steps, swap.edge, false),
        family, Kind::part});
  parts.steps = add_step(parts.steps, swap.edge, true);
}

// Lists what is left of a family by another solve.
template <class Solver>
void Queue<Solver>::renew(std::int32_t family) {
  Family& parts = families_[place_of(family)];
  while (solve(parts.steps)) {
    Edge edge = lacking(parts);
    if (edge == Solver::kNone) {
      list_parts(parts);
      return push_part(family);
    }
    // A tree that ties with the one the family began with, and has not been given.
    push({solver_->weight(), 0, add_step(parts.steps, edge, false), kNone, Kind::exact});
    parts.steps = add_step(parts.steps, edge, true);
  }
}

template <class Solver>
void Queue<Solver>::leave(std::int32_t family) {
  families_[place_of(family)].swaps.clear();
  free_families_.push_back(family);
}

template class Queue<DenseSolver>;
template class Queue<ListSolver<double>>;
template class Queue<ListSolver<std::int64_t>>;

}  // namespace coppice::engine
