#include "engine/legal_tree_queue.hpp"

#include <algorithm>

namespace coppice::engine {

template <class W>
void LegalTreeQueueOf<W>::start(const Kernel& kernel, const Candidates& candidates, double limit,
                                const Rounding& rounding) {
  rounding_ = rounding;
  exact_ = std::numeric_limits<W>::is_exact || rounding.exact(limit);
  load<W>(kernel, candidates, edges_, solver_);
  const Solution& solution = candidates.solution();
  arcs_.clear();
  for (Node v = 1; v < solver_.nodes(); ++v) {
    const Node ground = kernel.ground(KernelNode(v - 1));
    for (auto e = solver_.begin(v); e < solver_.end(v); ++e) {
      const CandidateId id(solver_.id(e));
      if (id == kNoCandidate)
        arcs_.push_back({solution.head[ground], ground, solution.edge_into(ground)});
      else
        arcs_.push_back({candidates.list()[id].head, ground, candidates.list()[id].edge});
    }
  }
  queue_.start({.solver = solver_,
                .legality = legality_,
                .arcs = arcs_,
                .base = {{solution.head.data(), solution.head.size()},
                         {solution.edge.data(), solution.edge.size()}},
                .limit = limit});
}

template <class W>
bool LegalTreeQueueOf<W>::next(double up_to, FoundTrees& found) {
  if (!queue_.next(up_to)) {
    Legality::Budget& budget = legality_.budget;
    budget.spent = queue_.stopped();
    const double ahead = queue_.gap_ahead();
    budget.gap_ahead = std::max(budget.gap_ahead, ahead - 2.0 * rounding_.slack(ahead));
    return false;
  }
  for (Node v = 1; v < solver_.nodes(); ++v)
    if (const CandidateId candidate(solver_.id(queue_.tree(v))); candidate != kNoCandidate)
      found.replace(candidate);
  return true;
}

template class LegalTreeQueueOf<double>;
template class LegalTreeQueueOf<std::int64_t>;

}  // namespace coppice::engine
