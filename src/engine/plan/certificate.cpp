// Proofs for callers (verify.hpp): the certificate of a best tree, and why no legal tree is better.
#include <coppice/verify.hpp>

#include "engine/partition/legality.hpp"
#include "engine/plan/planner.hpp"
#include "engine/solve/tree_solver.hpp"
#include "graph/best_projective.hpp"
#include "graph/clause_parts.hpp"
#include "graph/poll.hpp"
#include "graph/proof.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {
namespace {

// Certificates of larger graphs are not checked here: that takes longer than the tree.
constexpr Node kMostChecked = 512;

// Of a tree whose numbers are multiples of this unit.
Certificate in_weights(const engine::CertifiedTree& tree, double unit) {
  Certificate certificate;
  for (engine::Component parent : tree.parent) certificate.parent.push_back(parent.value());
  for (double y : tree.y) certificate.y.push_back(y * unit);
  certificate.root_price = tree.root_price * unit;
  return certificate;
}

Certificate unscaled(const engine::TreeSolver& solver, Graph graph, Objective objective) {
  const engine::CertifiedTree& tree = solver.tree();
  Certificate certificate = in_weights(tree, solver.scale().unit);
  // Nodes lost the weight of the best edge into them.
  for (Node v = 1; v < tree.nodes(); ++v) {
    const double given = graph.dense() != nullptr ? graph.dense()->weight(tree.head[v], v)
                                                  : graph.multigraph()->weight(tree.edge[v]);
    const double price = tree.head[v] == 0 ? certificate.root_price : 0.0;
    const double weight = objective == Objective::minimize ? -given : given;
    certificate.y[place_of(v)] += weight - price - tree.gain[v] * solver.scale().unit;
  }
  return certificate;
}

}  // namespace

std::optional<CertifiedTree> certified_best(Graph graph, const Problem& problem) {
  Problem free = problem;
  free.rules.clear();
  engine::Planner planner;
  if (!planner.solve(graph, free, true)) return std::nullopt;
  TreeList trees;
  TreeBuilder(trees).reset(graph);
  planner.best(trees);
  CertifiedTree found{trees[0].copy(), {}};
  if (!planner.is_exact()) {
    found.certificate = unscaled(planner.solver(), graph, problem.objective);
    // Weights of very different sizes may have lost digits that a proof needs.
    if (graph.nodes() > kMostChecked ||
        check_certificate(graph, free, found.tree, found.certificate).empty())
      return found;
  }
  engine::ExactTree exact;
  engine::solve_exactly(graph, free, exact);
  found.certificate = in_weights(exact.tree, 1.0);
  return found;
}

// The whole is split by clauses until the best tree of every part, legal or not, is no better.
std::optional<Proof> prove_best(Graph graph, const Problem& problem, const Tree& tree) {
  engine::Legality legality;
  legality.prepare(graph, problem.rules);
  const bool projective = by_spans(graph, problem);
  auto best_of = [&](const Problem& part) -> std::optional<CertifiedTree> {
    if (!projective) return certified_best(graph, part);
    auto best = best_projective(graph, part);
    if (!best) return std::nullopt;
    return CertifiedTree{std::move(*best), {}};
  };
  std::vector<Problem> open{by_forbidding(graph, problem)};
  Proof proof;
  while (!open.empty()) {
    poll();
    const Problem part = std::move(open.back());
    open.pop_back();
    Proof::Part& step = proof.parts.emplace_back(Proof::Part{best_of(part), std::nullopt});
    if (!step.best || !is_better(graph, problem, step.best->tree, tree)) continue;
    if (!legality.breaks_rule({step.best->tree.heads, step.best->tree.edges}))
      return std::nullopt;  // a better legal tree
    step.clause = legality.clauses().back();
    std::vector<Problem> parts = parts_of(graph, part, *step.clause);
    open.insert(open.end(), parts.rbegin(), parts.rend());
  }
  return proof;
}

}  // namespace coppice
