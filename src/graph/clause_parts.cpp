#include "graph/clause_parts.hpp"

#include <algorithm>

namespace coppice {
namespace {

// A word and the edges into it that a clause names.
struct Named {
  Node dependent;
  std::vector<ClauseEdge> edges;

  bool has(Node head, EdgeId edge) const {
    return std::any_of(edges.begin(), edges.end(), [&](const ClauseEdge& named) {
      return named.head == head && (named.edge == kNoEdge || named.edge == edge);
    });
  }
};

std::vector<Named> by_word(const std::vector<ClauseEdge>& edges) {
  std::vector<Named> words;
  for (const ClauseEdge& edge : edges) {
    auto word = std::find_if(words.begin(), words.end(),
                             [&](const Named& named) { return named.dependent == edge.dependent; });
    if (word == words.end()) word = words.insert(words.end(), {edge.dependent, {}});
    word->edges.push_back(edge);
  }
  return words;
}

void leave(const Named& named, Which& which) {
  for (const ClauseEdge& edge : named.edges) {
    if (edge.edge == kNoEdge)
      which.forbidden.push_back({edge.head, edge.dependent});
    else
      which.forbidden_edges.push_back(edge.edge);
  }
}

void keep_to(Graph graph, const Named& named, Which& which) {
  if (const Multigraph* edges = graph.multigraph()) {
    for (EdgeId e = 0; e < edges->edges(); ++e)
      if (edges->target(e) == named.dependent && !named.has(edges->source(e), e))
        which.forbidden_edges.push_back(e);
    return;
  }
  for (Node head = 0; head < graph.nodes(); ++head)
    if (head != named.dependent && !named.has(head, kNoEdge))
      which.forbidden.push_back({head, named.dependent});
}

}  // namespace

std::vector<Which> parts_of(Graph graph, const Which& which, const Clause& clause) {
  std::vector<Which> parts;
  Which rest = which;
  for (const Named& named : by_word(clause.without)) {
    leave(named, parts.emplace_back(rest));
    keep_to(graph, named, rest);
  }
  for (const Named& named : by_word(clause.with)) {
    keep_to(graph, named, parts.emplace_back(rest));
    leave(named, rest);
  }
  return parts;
}

}  // namespace coppice
