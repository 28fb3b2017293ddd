// The public face of the paper's algorithms: choosing the weight type, and single solves.
#include <coppice/paper.hpp>

#include "paper/enumeration.hpp"

namespace coppice::paper {

Enumeration::Enumeration(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Enumeration::Enumeration(Enumeration&&) noexcept = default;
Enumeration& Enumeration::operator=(Enumeration&&) noexcept = default;
Enumeration::~Enumeration() = default;

std::optional<Tree> Enumeration::next() { return impl_->next(); }
const Counts& Enumeration::counts() const { return impl_->counts; }
Arc Enumeration::deleted() const { return impl_->deleted; }

namespace {

template <class W>
using Solver = bool (*)(Contraction<W>&, const Subgraphs&, SubgraphId, Best<W>&);

template <class W>
std::optional<Tree> solve(Graph graph, Objective objective, Solver<W> solver) {
  EdgeTable<W> table(graph, objective);
  Contraction<W> contraction(table);
  Best<W> best;
  if (!solver(contraction, {}, kWholeGraph, best)) return std::nullopt;
  return table.tree(best.edge_into);
}

template <class W>
std::optional<Next> solve_next(Graph graph, Objective objective) {
  EdgeTable<W> table(graph, objective);
  Contraction<W> contraction(table);
  Best<W> best;
  std::optional<Swap<W>> second;
  if (!next(contraction, {}, kWholeGraph, best, second)) return std::nullopt;
  Next result{table.tree(best.edge_into), std::nullopt};
  if (second) {
    W weight = best.weight - second->cost;
    if (objective == Objective::minimize) weight = -weight;
    result.second = {static_cast<double>(weight),
                     {table.source(second->edge), contraction.target(second->edge)},
                     table.id(second->edge)};
  }
  return result;
}

}  // namespace

std::optional<Tree> opt(Graph graph, Objective objective) {
  if (graph.scalar() == Scalar::int64)
    return solve<std::int64_t>(graph, objective, &opt<std::int64_t>);
  return solve<double>(graph, objective, &opt<double>);
}

std::optional<Tree> opt_dep(Graph graph, Objective objective) {
  if (graph.scalar() == Scalar::int64)
    return solve<std::int64_t>(graph, objective, &opt_dep<std::int64_t>);
  return solve<double>(graph, objective, &opt_dep<double>);
}

std::optional<Next> next(Graph graph, Objective objective) {
  if (graph.scalar() == Scalar::int64) return solve_next<std::int64_t>(graph, objective);
  return solve_next<double>(graph, objective);
}

}  // namespace coppice::paper
