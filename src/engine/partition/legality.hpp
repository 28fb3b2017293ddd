// The rules of one graph: is a tree legal, and if not, which clause does it break? Clauses hold for
// every tree, so those seen before are tested before a rule is asked again.
#pragma once

#include <coppice/rule.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/solve/certified_tree.hpp"
#include "engine/solve/tree_edits.hpp"
#include "graph/budget.hpp"

namespace coppice::engine {

class Legality {
 public:
  // The graph and the rules must stay where they are.
  void prepare(Graph graph, const std::vector<Rule>& rules);
  // No rules: all trees are legal.
  bool empty() const { return judges_.empty(); }
  // Are all legal trees projective? And all projective ones legal?
  bool only_projective() const { return only_projective_; }
  bool all_projective() const { return only_projective_ && judges_.size() == 1; }

  // Asks the rules. False where the tree is legal; else a clause that it breaks is added to
  // clauses().
  bool breaks_rule(const TreeRef& tree);
  const std::vector<Clause>& clauses() const { return clauses_; }
  void forget_clauses() { clauses_.clear(); }

  // Is the best tree with these edits legal?
  bool allows(const CertifiedTree& best, std::span<const Edit> edits);
  void keep_legal(const CertifiedTree& best, TreeEdits& trees);

  Budget budget;

 private:
  void check(const Rule& rule, const TreeRef& tree) const;

  const std::vector<Rule>* rules_ = nullptr;
  bool only_projective_ = false;
  std::vector<Rule::Judge> judges_;
  std::vector<Clause> clauses_;
  Clause broken_;
  std::vector<Node> heads_;
  std::vector<EdgeId> edges_;
};

}  // namespace coppice::engine
