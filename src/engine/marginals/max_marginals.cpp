#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/max_marginals.hpp>
#include <limits>
#include <vector>

#include "engine/marginals/cyclic_paths.hpp"
#include "engine/marginals/greedy_paths.hpp"
#include "engine/numbers/tree_score.hpp"
#include "engine/solve/read_edges.hpp"
#include "engine/solve/tree_solver.hpp"
#include "graph/poll.hpp"

namespace coppice {
namespace {

using engine::TreeSolver;

// Calls visit(place in the result, head, dependent, gain) for every edge in the lists.
template <class W, class Visit>
void for_each_edge(const engine::EdgeLists<W>& lists, bool dense, Visit visit) {
  for (Node v = 1; v < lists.nodes(); ++v) {
    poll_at(v);
    for (engine::Slot e = lists.begin(v); e < lists.end(v); ++e) {
      const auto& edge = lists.edge(e);
      const std::size_t place =
          dense ? place_of(edge.source) * place_of(lists.nodes()) + place_of(v) : place_of(edge.id);
      visit(place, edge.source, v, edge.gain);
    }
  }
}

// Of parallel edges the best, [dependent][head].
template <class W>
std::vector<W> best_of_arcs(const engine::EdgeLists<W>& lists) {
  const auto nodes = place_of(lists.nodes());
  std::vector<W> best(nodes * nodes, engine::lowest<W>());
  for_each_edge(lists, true, [&](std::size_t, Node head, Node v, const W& gain) {
    W& arc = best[place_of(v) * nodes + place_of(head)];
    arc = std::max(arc, gain);
  });
  return best;
}

class MaxMarginals {
 public:
  MaxMarginals(Graph graph, const Which& which)
      : graph_(graph), which_(which), nodes_(place_of(graph.nodes())) {
    const bool minimize = which.objective == Objective::minimize;
    const std::size_t places = graph.dense() != nullptr
                                   ? nodes_ * nodes_
                                   : place_of(graph.multigraph()->edges());
    result_.assign(places, minimize ? -kNoWeight : kNoWeight);
  }

  std::vector<double> find() {
    TreeSolver solver;
    const auto answer = solver.solve(graph_, which_, true);
    if (answer == TreeSolver::Answer::none) return result_;
    if (answer == TreeSolver::Answer::wide || solver.scale().leaves_out || !find_in_units(solver))
      find_exactly();
    return result_;
  }

 private:
  // False where the scale is too coarse for some trees.
  bool find_in_units(TreeSolver& solver) {
    const engine::Scale scale = solver.scale();
    const engine::TreeScore best(graph_, solver.tree().head, solver.tree().edge);
    const engine::EdgeLists<double>& lists = solver.whole();
    const std::vector<double> gains = best_of_arcs(lists);
    std::vector<double> losses;
    engine::GreedyPaths greedy;
    if (!greedy.find(gains, graph_.nodes(), which_.root, losses)) {
      // In wider numbers there is room for the penalty: no tree of one root edge loses as much.
      using W = engine::Wide128;
      constexpr int kPenalty = 55;
      std::vector<W> wide;
      for (std::size_t i = 0; i < gains.size(); ++i) {
        const bool pays = which_.root == RootRule::single && i % nodes_ == 0;
        const W gain = gains[i] == kNoWeight ? engine::lowest<W>() : W(gains[i], 0);
        wide.push_back(pays && gains[i] != kNoWeight ? gain - W(1.0, kPenalty) : gain);
      }
      std::vector<W> wide_losses;
      engine::CyclicPaths<W>(std::move(wide), graph_.nodes()).find(wide_losses);
      losses.clear();
      for (const W& loss : wide_losses)
        losses.push_back(loss.value() >= std::ldexp(0.5, kPenalty)
                             ? std::numeric_limits<double>::infinity()
                             : loss.value());
    }
    const double sign = which_.objective == Objective::minimize ? 1.0 : -1.0;
    bool some_are_faint = false;
    for_each_edge(lists, graph_.dense() != nullptr,
                  [&](std::size_t place, Node head, Node v, double gain) {
                    const double units = losses[place_of(head) * nodes_ + place_of(v)] +
                                         gains[place_of(v) * nodes_ + place_of(head)] - gain;
                    if (units == std::numeric_limits<double>::infinity()) return;
                    const double loss = units * scale.unit;
                    result_[place] = best.value_plus(sign * loss);
                    some_are_faint = some_are_faint ||
                                     scale.is_faint(-sign * best.value(), loss, graph_.nodes());
                  });
    return !some_are_faint || !solver.rounds();
  }

  void find_exactly() {
    Constraints constraints;
    constraints.load(graph_, which_);
    const engine::Digits digits = engine::digits_of(graph_, constraints);
    if (digits.bits <= engine::Wide128::kBits)
      find_exactly<engine::Wide128>(constraints, digits);
    else
      find_exactly<engine::WideAny>(constraints, digits);
  }

  template <class W>
  void find_exactly(const Constraints& constraints, const engine::Digits& digits) {
    const bool single = which_.root == RootRule::single;
    const W penalty = single ? W(1.0, digits.penalty) : W{};
    engine::EdgeLists<W> lists;
    engine::read_exactly(graph_, constraints, which_, digits.shift, penalty, lists);
    std::vector<W> gains = best_of_arcs(lists), losses;
    engine::CyclicPaths<W> paths(gains, graph_.nodes());
    if (!paths.find(losses)) return;
    const W best = paths.best_gain() + penalty;  // every tree pays it once
    if (single && best + best < -penalty) return;  // but here the best one pays it again
    for_each_edge(lists, graph_.dense() != nullptr,
                  [&](std::size_t place, Node head, Node v, const W& gain) {
                    const W& loss = losses[place_of(head) * nodes_ + place_of(v)];
                    if (loss == engine::highest<W>()) return;
                    const W more = gains[place_of(v) * nodes_ + place_of(head)] - gain;
                    if (single && penalty < loss + loss) return;  // more root edges than one
                    const double score = (best - loss - more).value(digits.shift);
                    result_[place] = which_.objective == Objective::minimize ? -score : score;
                  });
  }

  Graph graph_;
  const Which& which_;
  std::size_t nodes_;
  std::vector<double> result_;
};

}  // namespace

std::vector<double> max_marginals(Graph graph, const Which& which) {
  if (!which.rules.empty())
    throw Error(ErrorCode::bad_argument, "there are no max-marginals of trees that obey rules");
  return MaxMarginals(graph, which).find();
}

}  // namespace coppice
