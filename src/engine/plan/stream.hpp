// The trees of a graph without a K in advance.
//
// Works in stages of growing gap. Each stage lists the trees that lose more than the last stage's
// gap, or gives them one by one where they are too many. Trees with edges that the scale left out
// come last, in the exact way.
#pragma once

#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <cstdint>
#include <optional>

#include "engine/plan/planner.hpp"
#include "engine/tuning.hpp"
#include "graph/owned_graph.hpp"

namespace coppice::engine {

class Stream {
 public:
  Stream(Graph graph, const Problem& problem, const Request& request, const Tuning& tuning = {});

  // The next tree, or nothing when all have been given.
  std::optional<Tree> next();

  // False once the budget has run out.
  bool complete() const { return !planner_.out_of_budget(); }
  double bound() const { return planner_.score_ahead(); }
  double bound_gap() const { return bound_gap_; }

 private:
  enum class State : std::uint8_t { stages, one_by_one, exact, done };

  bool find_next();
  void next_stage();
  void next_one();
  double gap_of_stage();
  void limit(double& gap);

  OwnedGraph graph_;
  Problem problem_;
  Request request_;
  Planner planner_;
  std::int64_t left_ = 0;
  double max_gap_ = kInfinity;  // in the weights
  State state_ = State::done;
  std::int64_t k_ = 4;  // of the last stage, and a fourth of the first
  double above_ = -1.0, up_to_ = -1.0;
  double most_ = kInfinity;   // the gap that ends it
  double known_ = kInfinity;  // and the gap that ends all stages
  bool first_ = true;         // nothing has been given
  double bound_gap_ = 0.0;
  TreeList stage_;
  std::size_t given_ = 0;
};

}  // namespace coppice::engine
