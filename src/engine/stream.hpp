// The trees of a graph without a K in advance (docs/engine.md, section 7).
//
// Works in stages of growing gap. Each stage lists the trees that are worse than the last stage's
// gap, or gives them one by one where they are too many.
#pragma once

#include <coppice/tree.hpp>
#include <coppice/which.hpp>
#include <cstdint>
#include <limits>
#include <optional>

#include "engine/owned_graph.hpp"
#include "engine/pipeline.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Stream {
 public:
  Stream(Graph graph, const Which& which, const HowMany& how_many, const Tuning& tuning = {});

  // The next tree, or nothing when all have been given.
  std::optional<Tree> next();

  // False once the budget has run out.
  bool complete() const { return !pipeline_.out_of_budget(); }
  double bound() const { return pipeline_.score_ahead(); }

 private:
  void reset_stage();
  void next_stage();
  double gap_of_stage();
  bool find_next();
  bool within_max_gap();

  OwnedGraph graph_;
  Which which_;
  HowMany how_many_;
  Pipeline pipeline_;
  std::int64_t left_ = 0;
  std::int64_t k_ = 4;  // of the last stage, and a fourth of the first
  double above_ = 0.0;
  double up_to_ = -std::numeric_limits<double>::infinity();
  double most_ = std::numeric_limits<double>::infinity();  // the gap that ends it
  std::optional<TreeRef> first_;  // the scores of the tree that was given first
  bool more_stages_ = false;
  bool one_by_one_ = false;
  TreeList stage_;
  std::size_t given_ = 0;
};

}  // namespace coppice::engine
