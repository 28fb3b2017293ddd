// The certificate of a best tree, for callers (verify.hpp).
#include <coppice/verify.hpp>

#include "engine/plan/planner.hpp"
#include "engine/solve/exact_solver.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {

namespace {

// Certificates of larger graphs are not checked here: that takes longer than the tree.
constexpr Node kMostChecked = 512;

Certificate exact(Graph graph, const Problem& problem) {
  engine::ExactTree found;
  engine::solve_exactly(graph, problem, found);
  Certificate certificate;
  for (engine::Component parent : found.tree.parent) certificate.parent.push_back(parent.value());
  certificate.y.assign(found.tree.y.begin(), found.tree.y.end());
  certificate.root_price = found.tree.root_price;
  return certificate;
}

// Of whole numbers, in the weights.
Certificate unscaled(const engine::TreeSolver& solver, Graph graph, Objective objective) {
  const engine::CertifiedTree& tree = solver.tree();
  Certificate certificate;
  for (engine::Component parent : tree.parent) certificate.parent.push_back(parent.value());
  for (double y : tree.y) certificate.y.push_back(y * solver.scale().unit);
  certificate.root_price = tree.root_price * solver.scale().unit;
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
  found.certificate = exact(graph, free);
  return found;
}

}  // namespace coppice
