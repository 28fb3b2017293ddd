#include "engine/legal_queue.hpp"

#include <algorithm>
#include <limits>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
void LegalQueue<W>::start(const Task& task) {
  solver_ = &task.solver;
  legality_ = &task.legality;
  arcs_.assign(task.arcs.begin(), task.arcs.end());
  limit_ = task.limit;
  best_weight_.reset();
  queue_.clear();
  steps_.clear();
  trees_.clear();
  free_trees_.clear();
  sequence_ = 0;
  heads_.assign(task.base.heads.begin(), task.base.heads.end());
  edges_.assign(task.base.edges.begin(), task.base.edges.end());
  node_of_.assign(heads_.size(), 0);
  for (Node v = 1; v < solver_->nodes(); ++v)
    node_of_[place_of(arcs_[place_of(solver_->begin(v))].dependent)] = v;
  mentioned_.assign(place_of(solver_->nodes()), 0);
  if (!solve(kNone)) return;
  best_weight_ = solver_->weight();
  push_solved(kNone);
}

template <class W>
std::int32_t LegalQueue<W>::add_step(std::int32_t before, Edge edge, bool include) {
  steps_.push_back({before, include, edge});
  return static_cast<std::int32_t>(steps_.size() - 1);
}

template <class W>
void LegalQueue<W>::push(W weight, std::int32_t steps, std::int32_t tree) {
  queue_.push_back({weight, sequence_++, steps, tree});
  std::push_heap(queue_.begin(), queue_.end());
}

template <class W>
typename LegalQueue<W>::Entry LegalQueue<W>::pop() {
  std::pop_heap(queue_.begin(), queue_.end());
  Entry entry = queue_.back();
  queue_.pop_back();
  return entry;
}

template <class W>
double LegalQueue<W>::gap_ahead() const {
  if (queue_.empty()) return limit_;
  return static_cast<double>(*best_weight_ - queue_.front().weight);
}

template <class W>
void LegalQueue<W>::apply(std::int32_t steps) {
  solver_->clear();
  for (; steps != kNone; steps = steps_[place_of(steps)].before) {
    const Step& step = steps_[place_of(steps)];
    if (step.include)
      solver_->require(step.edge);
    else
      solver_->exclude(step.edge);
  }
}

template <class W>
bool LegalQueue<W>::solve(std::int32_t steps) {
  apply(steps);
  --legality_->budget.solves;
  return solver_->solve();
}

// A subproblem that the solver has just solved.
template <class W>
void LegalQueue<W>::push_solved(std::int32_t steps) {
  if (within_limit(solver_->weight())) push(solver_->weight(), steps, store());
}

template <class W>
std::int32_t LegalQueue<W>::store() {
  const auto nodes = place_of(solver_->nodes());
  if (free_trees_.empty()) {
    free_trees_.push_back(static_cast<std::int32_t>(trees_.size() / nodes));
    trees_.resize(trees_.size() + nodes);
  }
  const std::int32_t tree = free_trees_.back();
  free_trees_.pop_back();
  for (Node v = 1; v < solver_->nodes(); ++v)
    trees_[place_of(tree) * nodes + place_of(v)] = solver_->tree(v);
  return tree;
}

// The best tree of a subproblem becomes the tree under judgement.
template <class W>
void LegalQueue<W>::take(const Entry& entry) {
  const auto nodes = place_of(solver_->nodes());
  tree_.resize(nodes);
  weight_ = entry.weight;
  auto from = trees_.begin() + static_cast<std::ptrdiff_t>(place_of(entry.tree) * nodes);
  std::copy_n(from, nodes, tree_.begin());
  free_trees_.push_back(entry.tree);
}

template <class W>
const Clause* LegalQueue<W>::broken() {
  for (Node v = 1; v < solver_->nodes(); ++v) {
    const ClauseEdge& arc = arcs_[place_of(tree(v))];
    heads_[place_of(arc.dependent)] = arc.head;
    if (!edges_.empty()) edges_[place_of(arc.dependent)] = arc.edge;
  }
  return legality_->broken_by({heads_, edges_});
}

template <class W>
bool LegalQueue<W>::next(double up_to) {
  while (!queue_.empty() && legality_->budget.solves > 0 && !(gap_ahead() > up_to)) {
    poll();
    Entry entry = pop();
    if (entry.tree == kNone) {
      // Its weight was a bound: as an exact one it may have to wait.
      if (solve(entry.steps)) push_solved(entry.steps);
      continue;
    }
    take(entry);
    if (const Clause* clause = broken()) {
      mend(entry, *clause);
      continue;
    }
    split(entry);
    return true;
  }
  return false;
}

// Notes the words and edges of one part of the clause.
template <class W>
void LegalQueue<W>::name_edges(const std::vector<ClauseEdge>& edges, bool take) {
  const auto first = static_cast<std::ptrdiff_t>(mends_.size());
  for (const ClauseEdge& named : edges) {
    const Node v = node_of_[place_of(named.dependent)];
    if (v == 0 || mentioned_[place_of(v)] != 0) continue;  // fixed, or seen
    mentioned_[place_of(v)] = 1;
    const auto begin = static_cast<std::uint32_t>(named_.size());
    for (Edge e = solver_->begin(v); e < solver_->end(v); ++e) {
      const ClauseEdge& arc = arcs_[place_of(e)];
      auto stands_for = [&](const ClauseEdge& other) {
        return other.dependent == arc.dependent && other.head == arc.head &&
               (other.edge == kNoEdge || other.edge == arc.edge);
      };
      if (std::any_of(edges.begin(), edges.end(), stands_for)) named_.push_back(e);
    }
    mends_.push_back({v, take, begin, static_cast<std::uint32_t>(named_.size())});
  }
  for (auto mend = mends_.begin() + first; mend != mends_.end(); ++mend)
    mentioned_[place_of(mend->node)] = 0;
}

// The ways to mend the clause that are open in the subproblem which the solver holds.
template <class W>
void LegalQueue<W>::list_mends(const Clause& clause) {
  mends_.clear();
  named_.clear();
  name_edges(clause.without, false);
  name_edges(clause.with, true);
  std::erase_if(mends_, [&](const Mend& mend) {
    return solver_->is_required(mend.node) || mend.begin == mend.end;
  });
}

// The word takes one of the edges named: it takes no other.
template <class W>
std::int32_t LegalQueue<W>::keep_to(std::int32_t steps, const Mend& mend) {
  auto named = named_.begin() + mend.begin;  // in order
  for (Edge e = solver_->begin(mend.node); e < solver_->end(mend.node); ++e) {
    if (named != named_.begin() + mend.end && *named == e)
      ++named;
    else
      steps = add_step(steps, e, false);
  }
  return steps;
}

template <class W>
std::int32_t LegalQueue<W>::keep_from(std::int32_t steps, const Mend& mend) {
  for (std::uint32_t i = mend.begin; i < mend.end; ++i) steps = add_step(steps, named_[i], false);
  return steps;
}

template <class W>
void LegalQueue<W>::mend(const Entry& entry, const Clause& clause) {
  apply(entry.steps);
  list_mends(clause);
  std::int32_t steps = entry.steps;  // with the ways so far ruled out
  for (const Mend& way : mends_) {
    const std::int32_t mended = way.take ? keep_to(steps, way) : keep_from(steps, way);
    if (solve(mended)) push_solved(mended);
    steps = way.take ? keep_from(steps, way) : keep_to(steps, way);
  }
}

// What is left of a subproblem whose best tree has been given. Solved once more, for the swaps.
template <class W>
void LegalQueue<W>::split(const Entry& entry) {
  solve(entry.steps);
  std::int32_t steps = entry.steps;
  if (Edge root = solver_->open_root_edge(); root != Solver::kNone) {
    if (auto cost = solver_->root_swap(); cost && within_limit(weight_ - *cost))
      push(weight_ - *cost, add_step(steps, root, false), kNone);
    steps = add_step(steps, root, true);
  }
  W most = std::numeric_limits<W>::max() / 2;
  if (const double left = limit_ - gap(); left < static_cast<double>(most))
    most = static_cast<W>(left);
  solver_->swaps(most, std::numeric_limits<std::size_t>::max(), swaps_);
  for (const auto& swap : swaps_) {
    push(weight_ - swap.cost, add_step(steps, swap.edge, false), kNone);
    steps = add_step(steps, swap.edge, true);
  }
}

template class LegalQueue<double>;
template class LegalQueue<std::int64_t>;

}  // namespace coppice::engine
