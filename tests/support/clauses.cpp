#include "support/clauses.hpp"

#include <algorithm>

namespace coppice::testing {

Rule clauses_rule(std::vector<Clause> clauses) {
  return Rule("clauses", [clauses = std::move(clauses)](Graph, const TreeRef& tree) {
    auto broken = std::find_if(clauses.begin(), clauses.end(),
                               [&](const Clause& clause) { return breaks(tree, clause); });
    return broken == clauses.end() ? std::nullopt : std::optional<Clause>(*broken);
  });
}

std::vector<Clause> random_clauses(Graph graph, std::mt19937_64& random) {
  auto any_edge = [&]() -> ClauseEdge {
    auto nodes = static_cast<std::uint64_t>(graph.nodes());
    if (const Multigraph* edges = graph.multigraph(); edges != nullptr && edges->edges() > 0) {
      auto e = static_cast<EdgeId>(random() % static_cast<std::uint64_t>(edges->edges()));
      if (edges->target(e) != 0)
        return {edges->source(e), edges->target(e), random() % 3 == 0 ? kNoEdge : e};
    }
    auto v = static_cast<Node>(1 + random() % (nodes - 1));
    return {static_cast<Node>(random() % nodes), v};
  };
  std::vector<Clause> clauses(1 + random() % 12);
  for (Clause& clause : clauses) {
    for (auto left = random() % 4; left > 0; --left) clause.without.push_back(any_edge());
    for (auto left = random() % 3; left > 0; --left) clause.with.push_back(any_edge());
    if (clause.without.empty() && clause.with.empty()) clause.without.push_back(any_edge());
  }
  return clauses;
}

}  // namespace coppice::testing
