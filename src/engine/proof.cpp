// Why no legal tree is better (verify.hpp): the whole is split by clauses until the best tree of
// every part, legal or not, is no better.
#include <coppice/error.hpp>
#include <coppice/verify.hpp>

#include "graph/clause_parts.hpp"
#include "graph/poll.hpp"

namespace coppice {
namespace {

std::optional<CertifiedTree> best_of(Graph graph, const Which& which) {
  try {
    return certified_best(graph, which);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_constraint) return std::nullopt;  // nothing is left
    throw;
  }
}

}  // namespace

std::optional<Proof> prove_best(Graph graph, const Which& which, const Tree& tree) {
  std::vector<Rule::Judge> judges;
  for (const Rule& rule : which.rules) judges.push_back(rule.prepare(graph));
  std::vector<Which> open{which};
  open.back().rules.clear();
  Proof proof;
  while (!open.empty()) {
    poll();
    const Which part = std::move(open.back());
    open.pop_back();
    proof.parts.push_back({best_of(graph, part), std::nullopt});
    Proof::Part& step = proof.parts.back();
    if (!step.best || !is_better(which, step.best->tree.score, tree.score)) continue;
    Clause clause;
    for (Rule::Judge& judge : judges) {
      if (step.clause || !judge({step.best->tree.heads, step.best->tree.edges}, clause)) continue;
      step.clause = clause;
    }
    if (!step.clause) return std::nullopt;  // a better legal tree
    std::vector<Which> parts = parts_of(graph, part, *step.clause);
    open.insert(open.end(), parts.rbegin(), parts.rend());
  }
  return proof;
}

}  // namespace coppice
