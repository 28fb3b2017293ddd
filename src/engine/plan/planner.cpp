#include "engine/plan/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace coppice::engine {
Planner::Planner(const Tuning& tuning) : ways_(tuning), writer_(tuning), tuning_(tuning) {}

bool Planner::solve(Graph graph, const Problem& problem, bool certificate) {
  graph_ = graph;
  problem_ = &problem;
  exact_ = nullptr;
  legality_.prepare(graph, problem.rules);
  writer_.start(graph, problem.objective);
  ways_.start(graph, solver_, legality_);
  const auto answer = solver_.solve(graph, problem, certificate || !legality_.empty());
  if (answer == TreeSolver::Answer::none) return false;
  if (answer == TreeSolver::Answer::wide) {
    go_exact(-1.0);
    return exact_ != nullptr;
  }
  if (answer == TreeSolver::Answer::heads && graph.scalar() != Scalar::int64) {
    writer_.rebase(solver_.tree().head, solver_.weights_of_heads());
    return true;
  }
  writer_.rebase(solver_.tree().head, solver_.tree().edge);
  if (answer == TreeSolver::Answer::heads) return true;
  const double score =
      problem.objective == Objective::minimize ? -writer_.score_at(0.0) : writer_.score_at(0.0);
  const double faint = solver_.scale().faint(graph.nodes());
  faint_gap_ = score > faint ? std::floor((score - faint) * solver_.scale().per_unit) : kInfinity;
  if (std::abs(score) <= faint && solver_.hides_digits()) go_exact(-1.0);
  return true;
}

double Planner::units(double max_gap) const {
  return std::floor(max_gap * solver_.scale().per_unit);
}

double Planner::known(double gap) {
  gap = std::min(gap, solver_.reach());
  return gap > faint_gap_ && solver_.hides_digits() ? faint_gap_ : gap;
}

void Planner::best(TreeList& trees) {
  if (is_exact() || !legality_.empty()) return kbest({.k = 1}, trees);
  ways_.way = Way::best;
  writer_.write_best(trees);
}

void Planner::kbest(const Request& request, TreeList& trees) {
  const std::int64_t k = request.k.value_or(std::numeric_limits<std::int64_t>::max());
  const double max_gap = request.max_gap.value_or(kInfinity);
  if (!legality_.empty()) set_budget(request);
  if (!is_exact() && legality_.empty() && k == 1) return best(trees);
  trees_.clear();
  if (!is_exact()) {
    const double reach = solver_.reach();
    const Ways::Query query{k, units(max_gap), reach};
    if (legality_.empty())
      ways_.list(query, trees_);
    else
      ways_.list_legal(query, trees_);
    note_budget();
    const double last = trees_.empty() ? 0.0 : trees_.gap(trees_.size() - 1);
    const double up_to = known(last);
    const double end = trees_.empty() ? kInfinity : trees_.gap(0) + query.max_gap;
    if (up_to < last) {
      while (!trees_.empty() && trees_.gap(trees_.size() - 1) > up_to)
        trees_.shorten(trees_.size() - 1);
      go_exact(up_to);
    } else if (std::cmp_less(trees_.size(), k) && end > reach && !out_of_budget()) {
      go_exact(reach);
    }
  }
  if (is_exact()) {
    while (std::cmp_less(trees_.size(), k) && find_exactly(max_gap)) {
    }
  }
  writer_.write_next(trees_, trees);
  if (out_of_budget()) TreeBuilder(trees).stop_at(score_ahead());
}

// --- The exact way ---

void Planner::go_exact(double given_up_to) {
  given_up_to_ = given_up_to;
  exact_ = exact_trees(*graph_, *problem_, tuning_, legality_.empty() ? nullptr : &legality_);
  if (exact_ != nullptr && given_up_to < 0.0) writer_.rebase(exact_->heads(), exact_->edges());
}

// Adds the next tree to trees_, as edits of the tree that the writer starts from.
bool Planner::find_exactly(double max_gap) {
  do {
    found_.clear();
    if (!exact_->next(max_gap, found_)) {
      if (const auto loss = exact_->loss_ahead()) spend_budget(*loss);
      return false;
    }
    heads_.assign(exact_->heads().begin(), exact_->heads().end());
    edges_.assign(exact_->edges().begin(), exact_->edges().end());
    for (const Edit& edit : found_[0]) {
      heads_[edit.node] = edit.head;
      if (!edges_.empty()) edges_[edit.node] = edit.edge;
    }
  } while (was_given());
  for (Node v = 1; v < graph_->nodes(); ++v) {
    const Edit edit{v, heads_[v], edges_.empty() ? kNoEdge : edges_[v]};
    if (!writer_.starts_with(edit)) trees_.add(edit);
  }
  trees_.finish(found_.gap(0));
  return true;
}

// Has another way given the tree in heads_ and edges_?
bool Planner::was_given() const {
  if (given_up_to_ < 0.0) return false;
  double gain = 0.0;
  for (Node v = 1; v < graph_->nodes(); ++v)
    gain += solver_.gain(heads_[v], v, edges_.empty() ? kNoEdge : edges_[v]);
  return -gain - solver_.tree().loss() <= given_up_to_;
}

// --- Under rules ---

// The search for legal trees may have stopped.
void Planner::note_budget() {
  if (const auto gap = ways_.gap_ahead())
    spend_budget(std::min(*gap, solver_.reach()) * solver_.scale().unit);
}

// What was not given loses at least so much.
void Planner::spend_budget(double loss) {
  legality_.budget.spent = true;
  legality_.budget.score_ahead = writer_.score_at(loss);
}

// --- Streams ---

bool Planner::range(std::int64_t k, double above, double up_to, TreeList& trees) {
  if (!ways_.range(k, up_to, trees_)) return false;
  legality_.keep_legal(solver_.tree(), trees_);
  trees_.keep_if([=](std::span<const Edit>, double gap) { return gap > above; });
  writer_.write_next(trees_, trees);
  return true;
}

bool Planner::next(double above, double up_to, TreeList& trees) {
  TreeSource<double>& source = ways_.source();
  do {
    if (source.next(up_to)) continue;
    note_budget();
    return false;
  } while (source.gap() <= above);
  trees_.clear();
  source.list_edits(trees_);
  trees_.finish(source.gap());
  writer_.write_next(trees_, trees);
  return true;
}

bool Planner::next_exact(double max_gap, TreeList& trees) {
  trees_.clear();
  if (!find_exactly(max_gap)) return false;
  writer_.write_next(trees_, trees);
  return true;
}

}  // namespace coppice::engine
