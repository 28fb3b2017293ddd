#include "engine/partition/legality.hpp"

#include <algorithm>
#include <coppice/error.hpp>
#include <string>

namespace coppice::engine {

void Legality::prepare(Graph graph, const std::vector<Rule>& rules) {
  rules_ = &rules;
  judges_.clear();
  clauses_.clear();
  budget = {};
  only_projective_ = std::any_of(rules.begin(), rules.end(), [](const Rule& rule) {
    return rule.shape() == Rule::Shape::projective;
  });
  for (const Rule& rule : rules) judges_.push_back(rule.prepare(graph));
}

bool Legality::breaks_rule(const TreeRef& tree) {
  for (std::size_t i = 0; i < judges_.size(); ++i) {
    if (!judges_[i](tree, broken_)) continue;
    check((*rules_)[i], tree);
    clauses_.push_back(broken_);
    return true;
  }
  return false;
}

bool Legality::allows(const CertifiedTree& best, std::span<const Edit> edits) {
  heads_.assign(best.head.begin(), best.head.end());
  edges_.assign(best.edge.begin(), best.edge.end());
  for (const Edit& edit : edits) {
    heads_[place_of(edit.node)] = edit.head;
    if (!edges_.empty()) edges_[place_of(edit.node)] = edit.edge;
  }
  const TreeRef tree{heads_, edges_};
  if (all_projective()) return !judges_[0](tree, broken_);  // no search will ask for clauses
  for (const Clause& clause : clauses_)
    if (breaks(tree, clause)) return false;
  return !breaks_rule(tree);
}

void Legality::keep_legal(const CertifiedTree& best, TreeEdits& trees) {
  if (empty()) return;
  trees.keep_if([&](std::span<const Edit> edits, double) { return allows(best, edits); });
}

// A clause that the tree does not break would be asked for again without end.
void Legality::check(const Rule& rule, const TreeRef& tree) const {
  auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::bad_constraint, "rule " + rule.name() + ": " + why);
  };
  const auto nodes = static_cast<Node>(tree.heads.size());
  for (const auto* edges : {&broken_.without, &broken_.with})
    for (const ClauseEdge& edge : *edges) {
      if (tree.edges.empty() && edge.edge != kNoEdge)
        fail("the clause names edge " + std::to_string(edge.edge) + " of a matrix, which has none");
      if (edge.head < 0 || edge.head >= nodes || edge.dependent < 1 || edge.dependent >= nodes)
        fail("the clause names an edge " + std::to_string(edge.head) + " -> " +
             std::to_string(edge.dependent) + " among the nodes 0.." + std::to_string(nodes - 1));
    }
  if (!breaks(tree, broken_)) fail("the clause it returned is not broken by the tree");
}

}  // namespace coppice::engine
