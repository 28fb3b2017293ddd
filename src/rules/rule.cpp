#include <algorithm>
#include <coppice/rule.hpp>
#include <utility>

namespace coppice {

void Clause::clear() {
  without.clear();
  with.clear();
}

bool takes(const TreeRef& tree, const ClauseEdge& edge) {
  auto v = static_cast<std::size_t>(edge.dependent);
  return tree.heads[v] == edge.head && (edge.edge == kNoEdge || tree.edges[v] == edge.edge);
}

bool breaks(const TreeRef& tree, const Clause& clause) {
  auto taken = [&](const ClauseEdge& edge) { return takes(tree, edge); };
  if (std::any_of(clause.with.begin(), clause.with.end(), taken)) return false;
  return std::all_of(clause.without.begin(), clause.without.end(), [&](const ClauseEdge& edge) {
    return taken(edge) ||
           std::any_of(clause.without.begin(), clause.without.end(), [&](const ClauseEdge& other) {
             return other.dependent == edge.dependent && taken(other);
           });
  });
}

Rule::Rule(std::string name, Prepare prepare, Shape shape, Grow grow)
    : impl_(std::make_shared<const Impl>(
          Impl{std::move(name), std::move(prepare), shape, std::move(grow)})) {}

Rule::Rule(std::string name, Function function)
    : Rule(std::move(name), Prepare([function = std::move(function)](Graph graph) {
             return Judge([function, graph](const TreeRef& tree, Clause& broken) {
               std::optional<Clause> clause = function(graph, tree);
               if (clause) broken = std::move(*clause);
               return clause.has_value();
             });
           })) {}

}  // namespace coppice
