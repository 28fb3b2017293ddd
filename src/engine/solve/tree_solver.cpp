#include "engine/solve/tree_solver.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/solve/read_edges.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// Of lists that are solved, their numbers as value() says. Those of a matrix have no ids of edges.
template <class W, class Value>
void take_certificate(const Sparse<W>& lists, bool dense, Value value, CertifiedTree& tree) {
  tree.reset(lists.nodes());
  if (!dense) tree.edge.assign(tree.head.size(), kNoEdge);
  tree.root_price = value(lists.price());
  for (Node v = 1; v < lists.nodes(); ++v) {
    const auto& edge = lists.edge(lists.tree(v));
    tree.head[v] = edge.source;
    tree.gain[v] = value(edge.gain) - (edge.source == 0 ? tree.root_price : 0.0);
    if (!dense) tree.edge[v] = edge.id;
  }
  tree.parent = lists.parents();
  tree.y.resize(lists.y().size());
  std::transform(lists.y().begin(), lists.y().end(), tree.y.begin(), value);
}

}  // namespace

TreeSolver::Answer TreeSolver::solve(Graph graph, const Problem& problem, bool certificate) {
  constraints_.load(graph, problem);
  graph_ = graph;
  objective_ = problem.objective;
  hides_digits_.reset();
  rule_ = problem.root;
  dense_graph_ = graph.dense() != nullptr;
  is_whole_ = false;
  tree_.edge.clear();
  bool solved = false;
  if (dense_graph_) {
    dense_.load(*graph_->dense(), constraints_, problem);
    if (!certificate && dense_.take_greedy_heads(tree_.head)) return Answer::heads;
    if (!dense_.choose_scale()) return Answer::none;
    scale_ = dense_.scale();
    if (scale_.wide) return Answer::wide;
    solved = dense_.solve(tree_);
  } else {
    if (!read_edges(*graph.multigraph(), constraints_, problem, lists_, scale_))
      return Answer::none;
    if (scale_.wide) return Answer::wide;
    solved = lists_.solve();
    if (solved) take_certificate(lists_, false, std::identity(), tree_);
  }
  if (!solved) return scale_.leaves_out ? Answer::wide : Answer::none;
  return reach() >= 0.0 ? Answer::tree : Answer::wide;
}

double TreeSolver::reach() const {
  if (!scale_.leaves_out) return kInfinity;
  // Every loss was rounded.
  return std::floor(scale_.hopeless - tree_.loss() - 2.0 * tree_.nodes()) - 1.0;
}

bool TreeSolver::hides_digits() {
  if (!hides_digits_)
    hides_digits_ = !(dense_graph_ && dense_.hides_no_digits()) && some_loss(engine::hides_digits);
  return *hides_digits_;
}

bool TreeSolver::some_loss(LossTest* test) const {
  return graph_->scalar() != Scalar::int64 &&
         engine::some_loss(*graph_, constraints_, objective_, scale_, test);
}

bool TreeSolver::collect(const ReducedCost& reduced, double limit, std::size_t most,
                         CandidateList& candidates) const {
  if (dense_graph_) return dense_.collect(tree_, reduced, limit, most, candidates);
  for (Node t = 1; t < tree_.nodes(); ++t) {
    poll_at(t);
    if (candidates.size() > most) return false;
    const double threshold = reduced.least(t) - limit;
    // No other edge gains as much as the second best.
    const auto& best = lists_.best(t);
    if (best.second < threshold && best.root_edge == kNoSlot && best.edge == lists_.tree(t))
      continue;
    for (Slot e = lists_.begin(t); e < lists_.end(t); ++e) {
      const auto& edge = lists_.edge(e);
      const double gain = edge.source == 0 ? edge.gain - tree_.root_price : edge.gain;
      if (gain < threshold || edge.id == tree_.edge[t]) continue;
      if (const double cost = reduced(edge.source, t, gain); cost <= limit)
        candidates.push_back({cost, tree_.gain[t] - gain, edge.source, t, edge.id});
    }
  }
  return candidates.size() <= most;
}

double TreeSolver::gain(Node head, Node dependent, EdgeId edge) const {
  if (dense_graph_) return dense_.column(dependent)[head];
  for (Slot e = lists_.begin(dependent); e < lists_.end(dependent); ++e)
    if (lists_.edge(e).id == edge) return lists_.edge(e).gain;
  return kNoWeight;
}

std::int64_t TreeSolver::edges() const {
  const auto nodes = static_cast<std::int64_t>(tree_.nodes());
  return dense_graph_ ? nodes * nodes
                      : static_cast<std::int64_t>(lists_.end(tree_.nodes() - 1).value());
}

Sparse<double>& TreeSolver::whole() {
  if (is_whole_) return lists_;
  is_whole_ = true;
  if (dense_graph_) read_edges(dense_, rule_, lists_);
  lists_.start_subproblems();
  lists_.solve();
  return lists_;
}

bool solve_exactly(Graph graph, const Problem& problem, ExactTree& found) {
  return in_wide_numbers(
      graph, problem, [&]<class W>(W, const Constraints& constraints, int shift) {
        const bool dense = graph.dense() != nullptr;
        Sparse<W> lists;
        read_exactly(graph, constraints, problem, shift, lists);
        if (!lists.solve()) return false;
        take_certificate(
            lists, dense, [=](const W& x) { return x.value(shift); }, found.tree);
        for (Node v = 1; v < graph.nodes(); ++v)
          for (Slot e = lists.begin(v); e < lists.end(v); ++e)
            if (e != lists.tree(v) && lists.reduced_cost(e, v) == W{})
              found.tight.push_back({lists.edge(e).source, v, dense ? kNoEdge : lists.edge(e).id});
        return true;
      });
}

}  // namespace coppice::engine
