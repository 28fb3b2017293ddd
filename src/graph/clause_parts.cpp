#include "graph/clause_parts.hpp"

#include <algorithm>

#include "graph/constraints.hpp"

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

// Forbids the edges into the word that are named, or those that are not.
void forbid(Graph graph, const Named& named, bool those_named, Problem& problem) {
  if (const Multigraph* edges = graph.multigraph()) {
    for (EdgeId e = 0; e < edges->edges(); ++e)
      if (edges->target(e) == named.dependent && named.has(edges->source(e), e) == those_named)
        problem.forbidden_edges.push_back(e);
    return;
  }
  for (Node head = 0; head < graph.nodes(); ++head)
    if (head != named.dependent && named.has(head, kNoEdge) == those_named)
      problem.forbidden.push_back({head, named.dependent});
}

}  // namespace

Problem by_forbidding(Graph graph, const Problem& problem) {
  Constraints().load(graph, problem);
  Problem same = problem;
  same.required.clear();
  same.required_edges.clear();
  same.rules.clear();
  auto require = [&](const ClauseEdge& edge) {
    forbid(graph, {edge.dependent, {edge}}, false, same);
  };
  for (Arc arc : problem.required) require({arc.head, arc.dependent});
  for (EdgeId e : problem.required_edges)
    require({graph.multigraph()->source(e), graph.multigraph()->target(e), e});
  return same;
}

std::vector<Problem> parts_of(Graph graph, const Problem& problem, const Clause& clause) {
  std::vector<Problem> parts;
  Problem rest = problem;
  for (const Named& named : by_word(clause.without)) {
    forbid(graph, named, true, parts.emplace_back(rest));
    forbid(graph, named, false, rest);
  }
  for (const Named& named : by_word(clause.with)) {
    forbid(graph, named, false, parts.emplace_back(rest));
    forbid(graph, named, true, rest);
  }
  return parts;
}

}  // namespace coppice
