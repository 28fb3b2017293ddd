#include "engine/tree_queue.hpp"

namespace coppice::engine {
namespace {

// The queue's number of a kernel node: the root comes first.
Node numbered(KernelNode v) { return v.next().value(); }

template <class W>
W weight_of(const Solver& solver, double weight, Node head, Node dependent, EdgeId edge) {
  if constexpr (std::numeric_limits<W>::is_exact)
    return solver.integer_weight(head, dependent, edge);
  else
    return weight;
}

}  // namespace

template <class W>
void load(const Kernel& kernel, const Candidates& candidates,
          std::vector<typename ListSolver<W>::Input>& edges, ListSolver<W>& solver) {
  const Solution& solution = candidates.solution();
  const Solver& weights = candidates.solver();
  edges.clear();
  for (KernelNode v(0); v < kernel.end(); ++v) {
    const Node ground = kernel.ground(v);
    edges.push_back({numbered(kernel.parent(v)), numbered(v), kNoCandidate.value(),
                     weight_of<W>(weights, solution.weight[ground], solution.head[ground], ground,
                                  solution.edge_into(ground))});
    for (const Kernel::Option& option : kernel.options(v)) {
      const Candidate& edge = candidates.list()[option.candidate];
      edges.push_back({numbered(option.head), numbered(v), option.candidate.value(),
                       weight_of<W>(weights, edge.weight, edge.head, edge.dependent, edge.edge)});
    }
  }
  const bool single = kernel.root_child() != kKernelRoot;
  solver.load(numbered(kernel.end()), edges, single ? RootRule::single : RootRule::any);
}

template void load<double>(const Kernel&, const Candidates&,
                           std::vector<ListSolver<double>::Input>&, ListSolver<double>&);
template void load<std::int64_t>(const Kernel&, const Candidates&,
                                 std::vector<ListSolver<std::int64_t>::Input>&,
                                 ListSolver<std::int64_t>&);

template <class W>
void TreeQueueOf<W>::start(const Kernel& kernel, const Candidates& candidates, double limit,
                           const Rounding& rounding) {
  load<W>(kernel, candidates, edges_, solver_);
  queue_.start(solver_, limit, exact() ? 0.0 : rounding.slack(0.0));
}

template <class W>
bool TreeQueueOf<W>::next(double, FoundTrees& found) {
  if (!queue_.next()) return false;
  for (Node v = 1; v < solver_.nodes(); ++v)
    if (const CandidateId candidate(solver_.id(solver_.tree(v))); candidate != kNoCandidate)
      found.replace(candidate);
  return true;
}

template class TreeQueueOf<double>;
template class TreeQueueOf<std::int64_t>;

}  // namespace coppice::engine
