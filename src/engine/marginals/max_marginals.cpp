#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/max_marginals.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/marginals/cheapest_paths.hpp"
#include "engine/numbers/tree_score.hpp"
#include "engine/solve/read_edges.hpp"
#include "engine/solve/tree_solver.hpp"
#include "graph/poll.hpp"

namespace coppice {
namespace {

using engine::CheapestPaths;
using engine::TreeSolver;

template <class W>
void add_lists(const engine::Sparse<W>& lists, CheapestPaths<W>& paths) {
  for (Node v : paths.words()) {
    poll();
    for (engine::Slot e = lists.begin(v); e < lists.end(v); ++e)
      paths.add(lists.edge(e).source, v, lists.edge(e).gain, lists.edge(e).id);
    paths.end_word(v);
  }
}

// The id of an edge is its source.
void add_columns(const engine::Dense& dense, CheapestPaths<double>& paths) {
  for (Node v : paths.words()) {
    poll();
    const double* gains = dense.column(v);
    const auto add = [&](Node s) {
      if (gains[s] != kNoWeight) paths.add(s, v, gains[s], s);
    };
    add(0);
    for (const Node s : paths.words()) add(s);
    paths.end_word(v);
  }
}

class MaxMarginals {
 public:
  std::vector<double> find(Graph graph, const Problem& problem) {
    graph_ = graph;
    problem_ = &problem;
    sign_ = problem.objective == Objective::minimize ? -1.0 : 1.0;
    const auto nodes = place_of(graph.nodes());
    const Multigraph* edges = graph.multigraph();
    std::vector<double> result(edges == nullptr ? nodes * nodes : place_of(edges->edges()),
                               sign_ * kNoWeight);
    const auto answer = solver_.solve(graph, problem, true);
    if (answer != TreeSolver::Answer::none &&
        (answer == TreeSolver::Answer::wide || solver_.scale().leaves_out ||
         !find_in_units(result)))
      find_exactly(result);
    return result;
  }

 private:
  // False where the scale is too coarse for some trees.
  bool find_in_units(std::span<double> result) {
    const engine::Scale& scale = solver_.scale();
    const engine::CertifiedTree& tree = solver_.tree();
    const engine::TreeScore best(*graph_, tree.head, tree.edge);
    paths_.start(tree.head, tree.parent, tree.y, tree.root_price);
    if (solver_.dense() != nullptr)
      add_columns(*solver_.dense(), paths_);
    else
      add_lists(*solver_.lists(), paths_);
    const double best_score = sign_ * best.value();
    double nearest = engine::kInfinity;  // the score next to 0
    report(paths_, result, [&](double units) {
      const double loss = units * scale.unit;
      nearest = std::min(nearest, std::abs(best_score - loss));
      return best.value_plus(-sign_ * loss);
    });
    return nearest > scale.faint(tree.nodes()) || !solver_.hides_digits();
  }

  void find_exactly(std::span<double> result) {
    engine::in_wide_numbers(
        *graph_, *problem_, [&]<class W>(W, const Constraints& constraints, int shift) {
          engine::Sparse<W> lists;
          engine::read_exactly(*graph_, constraints, *problem_, shift, lists);
          if (!lists.solve()) return;
          Indexed<Node, Node> heads(place_of(lists.nodes()), kNoNode);
          for (Node v = 1; v < lists.nodes(); ++v) heads[v] = lists.edge(lists.tree(v)).source;
          CheapestPaths<W> paths;
          paths.start(heads, lists.parents(), lists.y(), lists.price());
          add_lists(lists, paths);
          report(paths, result,
                 [&](const W& loss) { return sign_ * (lists.gain() - loss).value(shift); });
        });
  }

  // score(loss): of a tree that loses so much more than the best one.
  template <class W, class Score>
  void report(CheapestPaths<W>& paths, std::span<double> result, Score score) {
    const bool dense = graph_->dense() != nullptr;
    const auto nodes = place_of(graph_->nodes());
    paths.find(problem_->root, [&](Node v, std::int32_t id, const W& loss) {
      result[dense ? place_of(id) * nodes + place_of(v) : place_of(id)] = score(loss);
    });
  }

  std::optional<Graph> graph_;
  const Problem* problem_ = nullptr;
  double sign_ = 1.0;  // times weights: to be maximised
  TreeSolver solver_;
  CheapestPaths<double> paths_;
};

}  // namespace

std::vector<double> max_marginals(Graph graph, const Problem& problem) {
  if (!problem.rules.empty())
    throw Error(ErrorCode::bad_argument, "there are no max-marginals of trees that obey rules");
  // What a short sentence takes is mostly memory, which is kept for the next one. (Nobody else has
  // it meanwhile: a question whether to stop may come back here.)
  constexpr Node kShort = 64;
  thread_local std::unique_ptr<MaxMarginals> kept;
  std::unique_ptr<MaxMarginals> own = std::move(kept);
  if (own == nullptr) own = std::make_unique<MaxMarginals>();
  std::vector<double> result = own->find(graph, problem);
  if (graph.nodes() <= kShort) kept = std::move(own);
  return result;
}

}  // namespace coppice
