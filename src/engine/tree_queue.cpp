#include "engine/tree_queue.hpp"

#include <type_traits>
#include <utility>

namespace coppice::engine {
namespace {

// The queue's number of a kernel node: the root comes first.
Node numbered(KernelNode v) { return v.next().value(); }

template <class W>
W weight_of(const Solver& solver, const Solver::Numbered& edge) {
  if constexpr (std::numeric_limits<W>::is_exact)
    return solver.integer_weight(edge.head, edge.dependent, edge.edge);
  else
    return edge.weight;
}

Solver::Numbered tree_edge(const Solution& solution, Node v) {
  return {solution.head[v], v, solution.weight[v], solution.edge_into(v)};
}

// Replaces the edge of the best tree into the same node by this one, unless it is the same.
void replace(const Solver::Numbered& edge, Candidates& candidates, FoundTrees& found) {
  const Solver::Numbered best = tree_edge(candidates.solution(), edge.dependent);
  if (edge.head == best.head && edge.edge == best.edge) return;
  const double loss = best.weight - edge.weight;
  found.replace(candidates.add({loss, loss, edge.weight, edge.head, edge.dependent, edge.edge}));
}

}  // namespace

template <class W>
void load(const Kernel& kernel, const Candidates& candidates,
          std::vector<typename ListSolver<W>::Input>& edges, ListSolver<W>& solver) {
  const Solver& weights = candidates.solver();
  edges.clear();
  for (KernelNode v(0); v < kernel.end(); ++v) {
    const Solver::Numbered best = tree_edge(candidates.solution(), kernel.ground(v));
    edges.push_back({numbered(kernel.parent(v)), numbered(v), kNoCandidate.value(),
                     weight_of<W>(weights, best)});
    for (const Kernel::Option& option : kernel.options(v)) {
      const Candidate& edge = candidates.list()[option.candidate];
      edges.push_back({numbered(option.head), numbered(v), option.candidate.value(),
                       weight_of<W>(weights, {edge.head, edge.dependent, edge.weight, edge.edge})});
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
void KernelQueueOf<W>::start(const Kernel& kernel, const Candidates& candidates, double limit,
                             const Rounding& rounding) {
  exact_ = std::numeric_limits<W>::is_exact || rounding.exact(limit);
  load<W>(kernel, candidates, edges_, solver_);
  queue_.start(solver_, limit, exact_ ? 0.0 : rounding.slack(limit));
}

template <class W>
bool KernelQueueOf<W>::next(double up_to, FoundTrees& found) {
  if (!queue_.next(up_to)) return false;
  for (Node v = 1; v < solver_.nodes(); ++v)
    if (const CandidateId candidate(solver_.id(solver_.tree(v))); candidate != kNoCandidate)
      found.replace(candidate);
  return true;
}

template <class W>
void ListQueue<W>::start(Candidates& candidates, double limit, const Rounding& rounding) {
  candidates_ = &candidates;
  const Solver& solver = candidates.solver();
  std::vector<typename ListSolver<W>::Input> edges;
  edges.reserve(static_cast<std::size_t>(solver.edges()));
  for (std::int64_t number = 0; number < solver.edges(); ++number) {
    const Solver::Numbered edge = solver.edge(number);
    if (edge.weight == kNoWeight) continue;
    edges.push_back(
        {edge.head, edge.dependent, static_cast<std::int32_t>(number), weight_of<W>(solver, edge)});
  }
  exact_ = std::numeric_limits<W>::is_exact || rounding.exact(limit);
  solver_.load(candidates.solution().nodes(), edges, candidates.rule());
  adopt();
  queue_.start(solver_, limit, exact_ ? 0.0 : rounding.slack(limit));
}

// The best tree; and what is known of it, for the first solve has been done: in float64, which is
// no proof for larger integers.
template <class W>
void ListQueue<W>::adopt() {
  const Solution& solution = candidates_->solution();
  best_.clear();
  for (Node v = 0; v < solution.nodes(); ++v) {
    auto edge = solver_.begin(v);
    auto is_best = [&] {
      const Solver::Numbered numbered = candidates_->solver().edge(solver_.id(edge));
      return numbered.head == solution.head[v] && numbered.edge == solution.edge_into(v);
    };
    while (edge < solver_.end(v) && !is_best()) ++edge;
    best_.push_back(edge);
  }
  if constexpr (std::is_same_v<W, double>) {
    const ReducedCost& reduced = candidates_->reduced();
    Indexed<Node, Component> entered;
    for (Node v = 0; v < solution.nodes(); ++v)
      entered.push_back(reduced.contracted() ? reduced.entered_by_tree(v) : Component(v));
    solver_.adopt(best_, solution.parent, solution.y, entered);
  }
}

template <class W>
bool ListQueue<W>::next(double up_to, FoundTrees& found) {
  if (!queue_.next(up_to)) return false;
  for (Node v = 1; v < solver_.nodes(); ++v)
    if (const auto edge = solver_.tree(v); edge != best_[v])
      replace(candidates_->solver().edge(solver_.id(edge)), *candidates_, found);
  return true;
}

double SwappedTrees::kth_gap(Sparse& sparse, Candidates& candidates, std::int64_t k) {
  sparse_ = &sparse;
  candidates_ = &candidates;
  swaps_.clear();
  if (k - 1 > sparse.edges()) return kNever;
  const auto most = static_cast<std::size_t>(k - 1);
  sparse.find_swaps(candidates.solution(), candidates.reduced(), candidates.whole_preorder(),
                    candidates.rule(), most, swaps_);
  return swaps_.size() < most ? kNever : swaps_.back().cost;
}

void SwappedTrees::add(double gap, std::size_t most, FoundTrees& found) {
  for (const Sparse::Swap& swap : swaps_) {
    if (swap.cost != gap || most == 0) continue;
    add_edges(swap, found);
    found.finish();
    --most;
  }
}

void SwappedTrees::add_edges(const Sparse::Swap& swap, FoundTrees& found) {
  sparse_->list_edges(swap, candidates_->solution(), edges_);
  for (const Solver::Numbered& edge : edges_) replace(edge, *candidates_, found);
}

void SparseQueue::start(Sparse& sparse, Candidates& candidates, double limit,
                        const Rounding& rounding) {
  sparse_ = &sparse;
  candidates_ = &candidates;
  rounding_ = &rounding;
  limit_ = limit;
  wanted_ = std::numeric_limits<std::int64_t>::max();
  given_ = 0;
  in_list_ = false;
}

bool SparseQueue::next(double up_to, FoundTrees& found) {
  constexpr std::int64_t kWithoutSolve = 2;
  if (given_++ == 0 && (wanted_ != kWithoutSolve || rounding_->imprecise())) {
    in_list_ = true;
    list_queue_.start(*candidates_, limit_, *rounding_);
    list_queue_.want(wanted_);
  }
  if (in_list_) return list_queue_.next(up_to, found);
  gap_ = 0.0;
  if (given_ == 1) return true;  // the best tree
  if (given_ > kWithoutSolve) return false;
  gap_ = swapped_.kth_gap(*sparse_, *candidates_, kWithoutSolve);
  if (gap_ == kNever) return false;
  swapped_.add_second(found);
  return true;
}

void ColumnQueue::start(Dense& dense, Candidates& candidates, double limit,
                        const Rounding& rounding) {
  candidates_ = &candidates;
  exact_ = rounding.exact(limit);
  solver_.load(dense, candidates.rule(), candidates.solution());
  queue_.start(solver_, limit, rounding.slack(limit));
  left_ = 0;
  gap_ = -1.0;
  looks_ = 0;
  all_tie_ = false;
}

void ColumnQueue::want(std::int64_t trees) {
  left_ = trees;
  queue_.want(trees);
}

bool ColumnQueue::next(double up_to, FoundTrees& found) {
  if (!(all_tie_ ? ties_.next() : next_of_queue(up_to))) return false;
  --left_;
  const Indexed<Node, Node>& heads = all_tie_ ? ties_.heads() : solver_.heads();
  for (Node v = 1; v < solver_.nodes(); ++v)
    replace(candidates_->solver().edge(solver_.edge_of(heads[v], v)), *candidates_, found);
  return true;
}

// Where no sum rounds, all better trees have been given: if enough others of its subproblem, none
// of which was given, are seen to have the gap of this one, they are the next.
bool ColumnQueue::next_of_queue(double up_to) {
  constexpr int kMostLooks = 8;  // at trees of one gap
  if (!queue_.next(up_to)) return false;
  if (queue_.gap() != std::exchange(gap_, queue_.gap())) looks_ = 0;
  all_tie_ = exact_ && left_ > 1 && ++looks_ <= kMostLooks && solver_.list_ties(left_ - 1, ties_);
  return true;
}

template class KernelQueueOf<double>;
template class KernelQueueOf<std::int64_t>;
template class ListQueue<double>;
template class ListQueue<std::int64_t>;

}  // namespace coppice::engine
