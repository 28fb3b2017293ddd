// The certificate of a best tree, for callers (verify.hpp).
#include <coppice/verify.hpp>

#include "engine/pipeline.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {

std::optional<CertifiedTree> certified_best(Graph graph, const Which& which) {
  Which free = which;
  free.rules.clear();
  engine::Pipeline pipeline;
  if (!pipeline.solve(graph, free)) return std::nullopt;
  const engine::Solution& solution = pipeline.solution();
  TreeList trees;
  TreeBuilder(trees).reset(graph);
  pipeline.best(trees);
  Certificate certificate;
  for (engine::Component parent : solution.parent) certificate.parent.push_back(parent.value());
  certificate.y.assign(solution.y.begin(), solution.y.end());
  for (Node v = 1; v < solution.nodes(); ++v) certificate.y[place_of(v)] += pipeline.base(v);
  certificate.root_price = solution.root_price;
  return CertifiedTree{trees[0].copy(), std::move(certificate)};
}

}  // namespace coppice
