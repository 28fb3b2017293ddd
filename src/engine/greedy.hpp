// The K best trees in the greedy case, where the best edge into every node is in the best tree
// (docs/engine.md, section 10): no bound, no kernel, and gaps are sums of losses.
#pragma once

#include <cstdint>

#include "engine/best_first.hpp"
#include "engine/candidate.hpp"
#include "engine/combinations.hpp"
#include "engine/found.hpp"
#include "engine/greedy_case.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Greedy {
 public:
  explicit Greedy(const Tuning& tuning)
      : tuning_(tuning), combinations_(tuning), best_first_(tuning) {}

  // The k best trees of a gap up to max_gap, and others that rounding might make as good. False:
  // combinations of edges are too often cyclic, or too many of int64 weights tie within rounding.
  bool run(const GreedyCase& graph, std::int64_t k, double max_gap, FoundTrees& found);
  // The same of legal trees; max_gap is still from the best one, legal or not. False where too many
  // others come before them.
  bool run_legal(const GreedyCase& graph, std::int64_t k, double max_gap, Legality& legality,
                 FoundTrees& found);
  // What the trees are made of.
  const CandidateList& candidates() const { return *candidates_; }

 private:
  bool run_best_first(const GreedyCase& graph, std::int64_t k, double max_gap, Legality* legality,
                      FoundTrees& found);

  Tuning tuning_;
  Combinations combinations_;
  BestFirst best_first_;
  const CandidateList* candidates_ = nullptr;
};

}  // namespace coppice::engine
