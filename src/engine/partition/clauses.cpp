#include "engine/partition/clauses.hpp"

#include <algorithm>

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
  known_.clear();
  all_ways_.clear();
  named_.clear();
  learn();
}

// Puts the clauses that are new in terms of the lists.
template <class W>
void Clauses<W>::learn() {
  while (known_.size() < legality_->clauses().size()) {
    const Clause& clause = legality_->clauses()[known_.size()];
    const auto begin = static_cast<std::uint32_t>(all_ways_.size());
    const bool alive = name_edges(clause.without, false) && name_edges(clause.with, true);
    known_.push_back({begin, static_cast<std::uint32_t>(all_ways_.size()), alive});
  }
}

// Notes the words and edges of one part of a clause. False where the words that the lists do not
// know obey it.
template <class W>
bool Clauses<W>::name_edges(const std::vector<ClauseEdge>& edges, bool take) {
  const std::size_t first = all_ways_.size();
  bool obeyed = false;
  for (const ClauseEdge& named : edges) {
    const Node v = node_of_[place_of(named.dependent)];
    auto names = [&](const ClauseEdge& arc) {
      return std::ranges::any_of(edges, [&](const ClauseEdge& other) {
        return other.dependent == arc.dependent && other.head == arc.head &&
               (other.edge == kNoEdge || other.edge == arc.edge);
      });
    };
    if (v == 0) {
      const auto word = place_of(named.dependent);
      const bool taken = names(
          {graph_->heads[word], named.dependent, edges_.empty() ? kNoEdge : graph_->edges[word]});
      obeyed = obeyed || taken == take;
      continue;
    }
    if (marked_[place_of(v)] != 0) continue;
    marked_[place_of(v)] = 1;
    const auto begin = static_cast<std::uint32_t>(named_.size());
    for (Slot e = lists().begin(v); e < lists().end(v); ++e)
      if (names(graph_->arc(e))) named_.push_back(e);
    all_ways_.push_back({v, take, begin, static_cast<std::uint32_t>(named_.size())});
  }
  for (std::size_t i = first; i < all_ways_.size(); ++i) marked_[place_of(all_ways_[i].node)] = 0;
  return !obeyed;
}

template <class W>
bool Clauses<W>::is_named(const Way& way, Slot edge) const {
  const auto named = std::span(named_).subspan(way.begin, way.end - way.begin);
  return std::ranges::find(named, edge) != named.end();
}

// Does the tree of the lists break it?
template <class W>
bool Clauses<W>::breaks(const Known& clause) const {
  return clause.alive && std::ranges::none_of(ways_of(clause), [&](const Way& way) {
    return is_named(way, lists().tree(way.node)) == way.take;
  });
}

template <class W>
std::optional<W> Clauses<W>::cost(const Way& way) {
  std::optional<W> least;
  if (lists().is_required(way.node)) return least;
  for (Slot e = lists().begin(way.node); e < lists().end(way.node); ++e) {
    if (!lists().may_take(e) || is_named(way, e) != way.take) continue;
    const W reduced = lists().reduced_cost(e, way.node);
    if (!least || reduced < *least) least = reduced;
  }
  return least;
}

template <class W>
std::optional<W> Clauses<W>::cost(const Known& clause) {
  std::optional<W> least;
  for (const Way& way : ways_of(clause))
    if (const auto one = cost(way); one && (!least || *one < *least)) least = one;
  return least;
}

template <class W>
bool Clauses<W>::look() {
  broken_.clear();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (!breaks(known_[i])) continue;
    const auto least = cost(known_[i]);
    if (!least) return false;
    broken_.push_back({*least, i});
  }
  // The dearest first.
  std::ranges::sort(broken_, [](const Broken& a, const Broken& b) {
    return b.cost < a.cost || (!(a.cost < b.cost) && a.clause < b.clause);
  });
  return true;
}

template <class W>
W Clauses<W>::cost_of_all() {
  W sum{};
  for (const Broken& broken : broken_) {
    const auto ways = ways_of(known_[broken.clause]);
    if (std::ranges::any_of(ways, [&](const Way& way) { return marked_[place_of(way.node)] != 0; }))
      continue;
    sum += broken.cost;
    for (const Way& way : ways) marked_[place_of(way.node)] = 1;
  }
  std::ranges::fill(marked_, 0);
  return sum;
}

template <class W>
bool Clauses<W>::is_legal() {
  std::size_t clause = 0;
  if (broken_.empty()) {
    for (Node v = 1; v < lists().nodes(); ++v) {
      const ClauseEdge& arc = graph_->arc(lists().tree(v));
      heads_[place_of(arc.dependent)] = arc.head;
      if (!edges_.empty()) edges_[place_of(arc.dependent)] = arc.edge;
    }
    if (!legality_->breaks_rule({heads_, edges_})) return true;
    clause = known_.size();
    learn();
  } else {
    clause = broken_.front().clause;
  }
  const auto ways = ways_of(known_[clause]);
  ways_.assign(ways.begin(), ways.end());
  return false;
}

template class Clauses<double>;
template class Clauses<Wide128>;
template class Clauses<WideAny>;

}  // namespace coppice::engine
