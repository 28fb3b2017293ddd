#include "engine/partition/partition_queue.hpp"

#include <algorithm>
#include <numeric>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
void PartitionQueue<W>::start(const ListedGraph<W>& graph, const W& limit, Legality* legality) {
  graph_ = &graph;
  legality_ = legality;
  if (legality != nullptr) clauses_.start(graph, *legality);
  limit_ = limit;
  best_gain_.reset();
  undivided_.reset();
  queue_.clear();
  steps_.clear();
  // Families keep their memory.
  free_families_.resize(families_.size());
  std::iota(free_families_.rbegin(), free_families_.rend(), 0);
  first_tree_.clear();
  sequence_ = 0;
  solves_ = 0;
  stopped_ = false;
  push(highest<W>(), kNone);
}

template <class W>
void PartitionQueue<W>::list_edits(TreeEdits& trees) const {
  for (Node v = 1; v < lists().nodes(); ++v) graph_->add_edit(graph_->arc(lists().tree(v)), trees);
}

template <class W>
std::int32_t PartitionQueue<W>::add_step(std::int32_t before, Slot edge, bool include) {
  steps_.push_back({before, include, edge});
  return static_cast<std::int32_t>(steps_.size() - 1);
}

template <class W>
void PartitionQueue<W>::push(const W& gain, std::int32_t steps, std::int32_t family) {
  if (!is_within(gain, limit_)) return;
  queue_.push_back({gain, sequence_++, steps, family});
  std::push_heap(queue_.begin(), queue_.end());
}

template <class W>
bool PartitionQueue<W>::solve(std::int32_t steps) {
  poll();
  lists().clear();
  for (; steps != kNone; steps = steps_[place_of(steps)].before) {
    const Step& step = steps_[place_of(steps)];
    if (step.include)
      lists().require(step.edge);
    else
      lists().exclude(step.edge);
  }
  ++solves_;
  if (legality_ != nullptr) --legality_->budget.solves;
  return lists().solve();
}

// True: the lists hold a tree that is as good as the entry says. False: there is none; or it is
// worse, and waits in the queue.
template <class W>
bool PartitionQueue<W>::solve_legal(const Entry& entry) {
  if (!solve(entry.steps)) return false;
  W gain = lists().gain();
  const W expected = best_gain_ ? entry.gain : gain;
  if (!best_gain_) best_gain_ = gain;
  if (legality_ != nullptr) {
    if (!clauses_.look()) return false;
    gain -= clauses_.cost_of_all();
  }
  if (!(gain < expected)) return true;
  push(gain, entry.steps);
  return false;
}

template <class W>
bool PartitionQueue<W>::next(const W& up_to) {
  if (undivided_) {
    split(*undivided_);
    undivided_.reset();
  }
  while (!queue_.empty() && is_within(queue_.front().gain, up_to)) {
    if ((stopped_ = out_of_budget())) return false;
    std::pop_heap(queue_.begin(), queue_.end());
    const Entry entry = queue_.back();
    queue_.pop_back();
    if (entry.steps == kRest) {
      renew(entry.family);
      continue;
    }
    if (!solve_legal(entry)) {
      if (entry.family != kNone) renew(entry.family);
      continue;
    }
    if (entry.family != kNone) push_part(entry.family);
    if (legality_ != nullptr && !clauses_.is_legal()) {
      mend(entry.steps);
      continue;
    }
    undivided_ = entry.steps;
    return true;
  }
  return false;
}

// The parts of the subproblem whose best tree the lists hold, without that tree.
template <class W>
void PartitionQueue<W>::split(std::int32_t steps) {
  const W gain = lists().gain();
  if (const Slot root = lists().open_root_edge(); root != kNoSlot) {
    if (const auto cost = lists().root_swap()) push(gain - *cost, add_step(steps, root, false));
    steps = add_step(steps, root, true);
  }
  const std::int32_t family = new_family();
  Family& parts = families_[place_of(family)];
  parts.steps = steps;
  parts.gain = gain;
  note_changes(parts);
  list_parts(parts);
  push_part(family);
}

// The parts of the subproblem whose best tree the lists hold and breaks a clause.
template <class W>
void PartitionQueue<W>::mend(std::int32_t steps) {
  for (const auto& way : clauses_.ways()) {
    if (lists().is_required(way.node)) continue;  // as in all parts of the subproblem
    const auto cost = clauses_.cost(way);
    std::int32_t mended = steps;
    clauses_.keep(way, true, [&](Slot e) { mended = add_step(mended, e, false); });
    if (cost) push(lists().gain() - *cost, mended);
    clauses_.keep(way, false, [&](Slot e) { steps = add_step(steps, e, false); });
  }
}

template <class W>
std::int32_t PartitionQueue<W>::new_family() {
  if (free_families_.empty()) {
    families_.emplace_back();
    return static_cast<std::int32_t>(families_.size() - 1);
  }
  const std::int32_t family = free_families_.back();
  free_families_.pop_back();
  return family;
}

// The tree in the lists is the one that the family begins with.
template <class W>
void PartitionQueue<W>::note_changes(Family& family) {
  family.changes.clear();
  const bool first = first_tree_.empty();
  if (first) first_tree_.assign(1, kNoSlot);
  for (Node v = 1; v < lists().nodes(); ++v) {
    const Slot edge = lists().tree(v);
    if (first)
      first_tree_.push_back(edge);
    else if (edge != first_tree_[v])
      family.changes.push_back(edge);
  }
}

// An edge of the tree that the family began with that the tree in the lists lacks, or kNoSlot.
template <class W>
Slot PartitionQueue<W>::lacking(const Family& family) const {
  auto change = family.changes.begin();  // by node
  for (Node v = 1; v < lists().nodes(); ++v) {
    Slot edge = first_tree_[v];
    if (change != family.changes.end() && lists().target(*change) == v) edge = *change++;
    if (edge != lists().tree(v)) return edge;
  }
  return kNoSlot;
}

template <class W>
void PartitionQueue<W>::list_parts(Family& family) {
  family.more = lists().swaps(room(), most_parts_, family.swaps);
  family.next = 0;
}

// The next part of the family goes to the queue, if there is one.
template <class W>
void PartitionQueue<W>::push_part(std::int32_t family) {
  Family& parts = families_[place_of(family)];
  if (parts.next == parts.swaps.size()) {
    if (!parts.more) return free_families_.push_back(family);
    // The tree in the lists is still wanted; so what is left waits at the gain of its last part.
    return push(parts.gain - parts.swaps.back().cost, kRest, family);
  }
  const Swap<W> swap = parts.swaps[parts.next++];
  push(parts.gain - swap.cost, add_step(parts.steps, swap.edge, false), family);
  parts.steps = add_step(parts.steps, swap.edge, true);
}

// Lists what is left of a family by another solve.
template <class W>
void PartitionQueue<W>::renew(std::int32_t family) {
  Family& parts = families_[place_of(family)];
  while (solve(parts.steps)) {
    const Slot edge = lacking(parts);
    if (edge == kNoSlot) {
      list_parts(parts);
      return push_part(family);
    }
    // A tree that ties with the one the family began with, and has not been given.
    push(lists().gain(), add_step(parts.steps, edge, false));
    parts.steps = add_step(parts.steps, edge, true);
  }
}

template class PartitionQueue<double>;
template class PartitionQueue<Wide128>;
template class PartitionQueue<WideAny>;

}  // namespace coppice::engine
