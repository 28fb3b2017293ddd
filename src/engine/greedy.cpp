#include "engine/greedy.hpp"

namespace coppice::engine {

bool Greedy::run(const GreedyCase& graph, std::int64_t k, double max_gap, FoundTrees& found) {
  if (k > tuning_.most_greedy) return false;
  if (k > tuning_.few_trees && combinations_.run(graph, k, max_gap)) {
    combinations_.list(found);
    candidates_ = &combinations_.candidates();
    return true;
  }
  return run_best_first(graph, k, max_gap, nullptr, found);
}

bool Greedy::run_legal(const GreedyCase& graph, std::int64_t k, double max_gap, Legality& legality,
                       FoundTrees& found) {
  return k <= tuning_.most_greedy && run_best_first(graph, k, max_gap, &legality, found);
}

bool Greedy::run_best_first(const GreedyCase& graph, std::int64_t k, double max_gap,
                            Legality* legality, FoundTrees& found) {
  switch (best_first_.run(graph, k, max_gap, legality)) {
    case BestFirst::Outcome::abandoned:
      return false;
    case BestFirst::Outcome::tied:
      if (graph.integral()) return false;
      break;
    case BestFirst::Outcome::complete:
      break;
  }
  best_first_.list(found);
  candidates_ = &best_first_.candidates();
  return true;
}

}  // namespace coppice::engine
