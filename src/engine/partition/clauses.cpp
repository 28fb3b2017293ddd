#include "engine/partition/clauses.hpp"

#include <algorithm>
#include <utility>

namespace coppice::engine {

template <class W>
void Clauses<W>::start(const ListedGraph<W>& graph, Legality& legality) {
  graph_ = &graph;
  legality_ = &legality;
  heads_ = graph.heads;
  edges_ = graph.edges;
  node_of_.assign(heads_.size(), 0);
  for (Node v = 1; v < lists().nodes(); ++v)
    node_of_[place_of(graph.arc(lists().begin(v)).dependent)] = v;
  marked_.assign(place_of(lists().nodes()), 0);
  learnt_ = 0;
  clauses_.clear();
  learn();
}

// Puts the clauses that are new in terms of the lists.
template <class W>
void Clauses<W>::learn() {
  for (; learnt_ < legality_->clauses().size(); ++learnt_) {
    const Clause& clause = legality_->clauses()[learnt_];
    std::vector<Way> ways;
    if (list_ways(clause.without, false, ways) && list_ways(clause.with, true, ways))
      clauses_.push_back(std::move(ways));
  }
}

// Notes the words and edges of one part of a clause. False where the words that the lists do not
// know obey it.
template <class W>
bool Clauses<W>::list_ways(const std::vector<ClauseEdge>& edges, bool take,
                           std::vector<Way>& ways) const {
  auto names = [&](const ClauseEdge& arc) {
    return std::ranges::any_of(edges, [&](const ClauseEdge& other) {
      return other.dependent == arc.dependent && other.head == arc.head &&
             (other.edge == kNoEdge || other.edge == arc.edge);
    });
  };
  for (const ClauseEdge& named : edges) {
    const auto word = place_of(named.dependent);
    const Node v = node_of_[word];
    if (v == 0) {
      const EdgeId edge = edges_.empty() ? kNoEdge : graph_->edges[word];
      if (names({graph_->heads[word], named.dependent, edge}) == take) return false;
      continue;
    }
    auto is_known = [&](const Way& way) { return way.node == v && way.take == take; };
    if (std::ranges::any_of(ways, is_known)) continue;
    ways.push_back({v, take, {}});
    for (Slot e = lists().begin(v); e < lists().end(v); ++e)
      if (names(graph_->arc(e))) ways.back().edges.push_back(e);
  }
  return true;
}

// Does the tree of the lists break a clause?
template <class W>
bool Clauses<W>::is_broken(const std::vector<Way>& ways) const {
  return std::ranges::none_of(
      ways, [&](const Way& way) { return way.names(lists().tree(way.node)) == way.take; });
}

template <class W>
std::optional<W> Clauses<W>::cost(const Way& way) {
  std::optional<W> least;
  if (lists().is_required(way.node)) return least;
  for (Slot e = lists().begin(way.node); e < lists().end(way.node); ++e) {
    if (!lists().may_take(e) || way.names(e) != way.take) continue;
    const W reduced = lists().reduced_cost(e, way.node);
    if (!least || reduced < *least) least = reduced;
  }
  return least;
}

template <class W>
bool Clauses<W>::look() {
  broken_.clear();
  for (const std::vector<Way>& ways : clauses_) {
    if (!is_broken(ways)) continue;
    std::optional<W> least;
    for (const Way& way : ways)
      if (const auto one = cost(way); one && (!least || *one < *least)) least = one;
    if (!least) return false;
    broken_.push_back({*least, &ways});
  }
  // The dearest first, and of those the oldest.
  std::stable_sort(broken_.begin(), broken_.end(),
                   [](const Broken& a, const Broken& b) { return b.cost < a.cost; });
  return true;
}

template <class W>
W Clauses<W>::cost_of_all() {
  W sum{};
  for (const auto& [cost, ways] : broken_) {
    if (std::ranges::any_of(*ways,
                            [&](const Way& way) { return marked_[place_of(way.node)] != 0; }))
      continue;
    sum += cost;
    for (const Way& way : *ways) marked_[place_of(way.node)] = 1;
  }
  std::ranges::fill(marked_, 0);
  return sum;
}

template <class W>
bool Clauses<W>::is_legal() {
  if (broken_.empty()) {
    for (Node v = 1; v < lists().nodes(); ++v) {
      const ClauseEdge& arc = graph_->arc(lists().tree(v));
      heads_[place_of(arc.dependent)] = arc.head;
      if (!edges_.empty()) edges_[place_of(arc.dependent)] = arc.edge;
    }
    if (!legality_->breaks_rule({heads_, edges_})) return true;
    learn();
    ways_ = &clauses_.back();
  } else {
    ways_ = broken_.front().ways;
  }
  return false;
}

template class Clauses<double>;
template class Clauses<Wide128>;
template class Clauses<WideAny>;

}  // namespace coppice::engine
