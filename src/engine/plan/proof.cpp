// Why no legal tree is better (verify.hpp): the whole is split by clauses until the best tree of
// every part, legal or not, is no better.
#include <coppice/verify.hpp>

#include "engine/partition/legality.hpp"
#include "graph/best_projective.hpp"
#include "graph/clause_parts.hpp"
#include "graph/poll.hpp"
#include "graph/proof.hpp"

namespace coppice {

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
