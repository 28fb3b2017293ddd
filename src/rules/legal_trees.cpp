#include "rules/legal_trees.hpp"

#include <algorithm>
#include <utility>

#include "graph/allowed_edges.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"
#include "rules/edges.hpp"

namespace coppice::rules {

LegalTrees::LegalTrees(Graph graph, const Problem& problem)
    : single_root_(problem.root == RootRule::single),
      heads_(at(graph.nodes()), kNoNode),
      edges_(graph.multigraph() == nullptr ? 0 : at(graph.nodes()), kNoEdge) {
  for (const Rule& rule : problem.rules) {
    auto growth = rule.grow(graph);
    if (growth)
      growths_.push_back(std::move(growth));
    else
      judges_.push_back(rule.prepare(graph));
  }
  list_choices(graph, problem);
  note_cycles();
}

// By word: those with few edges first. The edges of a word: the best first.
void LegalTrees::list_choices(Graph graph, const Problem& problem) {
  const double sign = problem.objective == Objective::minimize ? -1.0 : 1.0;
  std::vector<std::size_t> count(heads_.size(), 0);
  std::size_t offered = 0;
  for_each_allowed_edge(graph, problem, [&](Node head, Node v, EdgeId id, double weight) {
    if (++offered % 4096 == 0) poll();
    check_weight(head, v, weight);
    const ClauseEdge edge{head, v, id};
    const auto fits = [&](const auto& growth) { return growth->allows(edge); };
    if (!std::all_of(growths_.begin(), growths_.end(), fits)) return;
    choices_.push_back({edge, sign * weight});
    ++count[at(v)];
  });
  const auto few_first = [&](const Choice& a, const Choice& b) {
    const Node v = a.edge.dependent, w = b.edge.dependent;
    if (v != w) return count[at(v)] != count[at(w)] ? count[at(v)] < count[at(w)] : v < w;
    if (a.weight != b.weight) return a.weight > b.weight;
    return std::pair(a.edge.head, a.edge.edge) < std::pair(b.edge.head, b.edge.edge);
  };
  sort_polling(choices_.begin(), choices_.end(), few_first);
  for (std::size_t begin = 0; begin < choices_.size();) {
    const std::size_t end = begin + count[at(choices_[begin].edge.dependent)];
    levels_.push_back({begin, begin, end, false});
    begin = end;
  }
  const auto none = std::find(count.begin() + 1, count.end(), 0U);
  if (none != count.end()) blocked_ = static_cast<Node>(none - count.begin());
}

void LegalTrees::note_cycles() {
  std::vector<bool> may_be_head(heads_.size(), false);
  for (Level& level : levels_) {
    level.may_close = may_be_head[at(choices_[level.begin].edge.dependent)];
    for (std::size_t i = level.begin; i < level.end; ++i)
      may_be_head[at(choices_[i].edge.head)] = true;
  }
}

bool LegalTrees::closes_cycle(const ClauseEdge& edge) const {
  Node up = edge.head;
  while (up != kNoNode && up != edge.dependent) up = heads_[at(up)];
  return up == edge.dependent;
}

bool LegalTrees::allows(const Level& level, const ClauseEdge& edge) const {
  if (single_root_ && edge.head == 0 && root_edges_ > 0) return false;
  if (level.may_close && closes_cycle(edge)) return false;
  for (const auto& growth : growths_)
    if (!growth->allows(edge)) return false;
  return true;
}

// Nobody asks for the growth of a whole tree.
void LegalTrees::place(const ClauseEdge& edge) {
  heads_[at(edge.dependent)] = edge.head;
  if (!edges_.empty()) edges_[at(edge.dependent)] = edge.edge;
  if (is_last()) return;
  root_edges_ += edge.head == 0 ? 1 : 0;
  for (const auto& growth : growths_) growth->add(edge);
}

void LegalTrees::take_back(const ClauseEdge& edge) {
  heads_[at(edge.dependent)] = kNoNode;
  if (is_last()) return;
  root_edges_ -= edge.head == 0 ? 1 : 0;
  for (const auto& growth : growths_) growth->remove(edge);
}

bool LegalTrees::is_legal() {
  return std::none_of(judges_.begin(), judges_.end(),
                      [&](Rule::Judge& judge) { return judge(tree(), broken_); });
}

// The next edge of a word, and then the next word; or back to the word before. False at the end.
bool LegalTrees::step() {
  Level& level = levels_[depth_];
  if (placed_) take_back(choices_[level.next - 1].edge);
  while (level.next < level.end && !allows(level, choices_[level.next].edge)) ++level.next;
  placed_ = level.next < level.end;
  if (placed_) {
    place(choices_[level.next++].edge);
    if (is_last()) return true;
    ++depth_;
    placed_ = false;
    return true;
  }
  if (depth_ == 0) return false;
  level.next = level.begin;
  --depth_;
  return placed_ = true;
}

bool LegalTrees::next(std::int64_t most_steps) {
  constexpr std::int64_t kJudged = 10'000;
  if (blocked_ != kNoNode) return false;
  for (std::int64_t steps = 0; steps < most_steps; ++steps) {
    if (steps % 256 == 0) poll();
    if (!step()) return false;
    if (!placed_ || !is_last()) continue;
    if (is_legal()) return true;
    steps += kJudged;
  }
  return false;
}

std::optional<std::int64_t> LegalTrees::count(std::int64_t limit) {
  std::int64_t found = 0;
  if (blocked_ != kNoNode) return found;
  for (std::int64_t steps = 0;; ++steps) {
    if (steps % 256 == 0) poll();
    if (is_last() && judges_.empty()) {  // every edge that is allowed is a tree
      Level& level = levels_[depth_];
      for (; level.next < level.end; ++level.next)
        found += allows(level, choices_[level.next].edge) ? 1 : 0;
    }
    if (found > limit) return std::nullopt;
    if (!step()) return found;
    if (placed_ && is_last() && is_legal()) ++found;
  }
}

}  // namespace coppice::rules
