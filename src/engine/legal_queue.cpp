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
  marked_.assign(place_of(solver_->nodes()), 0);
  known_.clear();
  mends_.clear();
  named_.clear();
  learn_clauses();
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
void LegalQueue<W>::push(W weight, std::int32_t steps, std::int32_t tree, std::int32_t clause) {
  queue_.push_back({weight, sequence_++, steps, tree, clause});
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
  solver_->begin_anew();  // split() asks once more for the tree that was stored
  return solver_->solve();
}

// A subproblem that the solver has just solved.
template <class W>
void LegalQueue<W>::push_solved(std::int32_t steps) {
  if (!within_limit(solver_->weight()) || !list_broken()) return;
  const std::int32_t clause = broken_.empty() ? kNone : broken_.front().clause;
  const W weight = solver_->weight() - cost_of_all();
  if (within_limit(weight)) push(weight, steps, store(), clause);
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
bool LegalQueue<W>::legal() {
  for (Node v = 1; v < solver_->nodes(); ++v) {
    const ClauseEdge& arc = arcs_[place_of(tree(v))];
    heads_[place_of(arc.dependent)] = arc.head;
    if (!edges_.empty()) edges_[place_of(arc.dependent)] = arc.edge;
  }
  return !legality_->breaks_rule({heads_, edges_});
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
    if (entry.clause == kNone && !legal()) {
      entry.clause = static_cast<std::int32_t>(known_.size());
      learn_clauses();
    }
    if (entry.clause == kNone) {
      split(entry);
      return true;
    }
    mend(entry);
  }
  return false;
}

// --- Clauses -----------------------------------------------------------------------------------

// Puts the clauses that are new in terms of the solver.
template <class W>
void LegalQueue<W>::learn_clauses() {
  while (known_.size() < legality_->clauses().size()) {
    const Clause& clause = legality_->clauses()[known_.size()];
    const auto begin = static_cast<std::uint32_t>(mends_.size());
    const bool alive = name_edges(clause.without, false) && name_edges(clause.with, true);
    known_.push_back({begin, static_cast<std::uint32_t>(mends_.size()), alive});
  }
}

// Notes the words and edges of one part of a clause. False where the words that the solver does not
// know obey it.
template <class W>
bool LegalQueue<W>::name_edges(const std::vector<ClauseEdge>& edges, bool take) {
  const auto first = static_cast<std::ptrdiff_t>(mends_.size());
  bool obeyed = false;
  for (const ClauseEdge& named : edges) {
    const Node v = node_of_[place_of(named.dependent)];
    auto names = [&](const ClauseEdge& arc) {
      return std::any_of(edges.begin(), edges.end(), [&](const ClauseEdge& other) {
        return other.dependent == arc.dependent && other.head == arc.head &&
               (other.edge == kNoEdge || other.edge == arc.edge);
      });
    };
    if (v == 0) {
      const auto word = place_of(named.dependent);
      const bool taken =
          names({heads_[word], named.dependent, edges_.empty() ? kNoEdge : edges_[word]});
      obeyed = obeyed || taken == take;
      continue;
    }
    if (marked_[place_of(v)] != 0) continue;
    marked_[place_of(v)] = 1;
    const auto begin = static_cast<std::uint32_t>(named_.size());
    for (Edge e = solver_->begin(v); e < solver_->end(v); ++e)
      if (names(arcs_[place_of(e)])) named_.push_back(e);
    mends_.push_back({v, take, begin, static_cast<std::uint32_t>(named_.size())});
  }
  for (auto mend = mends_.begin() + first; mend != mends_.end(); ++mend)
    marked_[place_of(mend->node)] = 0;
  return !obeyed;
}

template <class W>
bool LegalQueue<W>::is_named(const Mend& mend, Edge edge) const {
  return std::find(named_.begin() + mend.begin, named_.begin() + mend.end, edge) !=
         named_.begin() + mend.end;
}

// Does the solver's tree break it?
template <class W>
bool LegalQueue<W>::breaks(const Known& clause) const {
  if (!clause.alive) return false;
  for (std::uint32_t i = clause.begin; i < clause.end; ++i)
    if (is_named(mends_[i], solver_->tree(mends_[i].node)) == mends_[i].take) return false;
  return true;
}

// What every tree of the solver's subproblem that mends in this way costs at least; nothing where
// there is none.
template <class W>
std::optional<W> LegalQueue<W>::cost(const Mend& mend) {
  std::optional<W> least;
  if (solver_->is_required(mend.node)) return least;
  for (Edge e = solver_->begin(mend.node); e < solver_->end(mend.node); ++e) {
    if (!solver_->may_take(e) || is_named(mend, e) != mend.take) continue;
    const W reduced = solver_->reduced_cost(e);
    if (!least || reduced < *least) least = reduced;
  }
  return least;
}

template <class W>
std::optional<W> LegalQueue<W>::cost(const Known& clause) {
  std::optional<W> least;
  for (std::uint32_t i = clause.begin; i < clause.end; ++i)
    if (const auto one = cost(mends_[i]); one && (!least || *one < *least)) least = one;
  return least;
}

// The clauses that the solver's tree breaks, the most expensive first. False where one cannot be
// mended: then the subproblem has no legal tree.
template <class W>
bool LegalQueue<W>::list_broken() {
  broken_.clear();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (!breaks(known_[i])) continue;
    const auto least = cost(known_[i]);
    if (!least) return false;
    broken_.push_back({*least, static_cast<std::int32_t>(i)});
  }
  std::sort(broken_.begin(), broken_.end(), [](const Broken& a, const Broken& b) {
    return b.cost < a.cost || (!(a.cost < b.cost) && a.clause < b.clause);
  });
  return true;
}

template <class W>
W LegalQueue<W>::cost_of_all() {
  W sum{};
  for (const Broken& broken : broken_) {
    const Known& clause = known_[place_of(broken.clause)];
    bool apart = true;
    for (std::uint32_t i = clause.begin; i < clause.end; ++i)
      apart = apart && marked_[place_of(mends_[i].node)] == 0;
    if (!apart) continue;
    sum += broken.cost;
    for (std::uint32_t i = clause.begin; i < clause.end; ++i) marked_[place_of(mends_[i].node)] = 1;
  }
  std::fill(marked_.begin(), marked_.end(), 0);
  return sum;
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
void LegalQueue<W>::mend(const Entry& entry) {
  const Known clause = known_[place_of(entry.clause)];
  std::int32_t steps = entry.steps;  // with the ways so far ruled out
  apply(steps);
  for (std::uint32_t i = clause.begin; i < clause.end; ++i) {
    const Mend& way = mends_[i];
    if (solver_->is_required(way.node)) continue;  // as in all parts of the subproblem
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
