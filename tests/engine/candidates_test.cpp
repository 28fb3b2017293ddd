// Candidates, bound and reduced graph, alone: they may keep too much, never too little.
#include "engine/prune/candidates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "engine/prune/reduced_graph.hpp"
#include "support/brute_force.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

struct Prepared {
  Prepared(Graph graph, RootRule rule, const Tuning& tuning)
      : candidates(tuning), reduced(tuning), rounding(2 * testing::rounding_of(graph)) {
    found = solver.solve(graph, {.root = rule}, true) == TreeSolver::Answer::tree;
    if (found) candidates.start(solver);
  }
  double units(double gap) const { return std::ceil((gap + rounding) * solver.scale().per_unit); }

  bool found = false;
  TreeSolver solver;
  Candidates candidates;
  ReducedGraph reduced;
  double rounding;
};

template <class Check>
void for_each_graph(Check check) {
  Tuning no_guesses;
  no_guesses.most_guesses = 0;
  for (const Tuning& tuning : {Tuning{}, no_guesses})
    for (Weights weights : {Weights::continuous, Weights::small_integers})
      for (std::uint64_t seed = 1; seed <= 40 && !::testing::Test::HasFailure(); ++seed) {
        const auto matrix = testing::random_matrix(static_cast<Node>(2 + seed % 4), weights,
                                                   seed % 3 ? 1.0 : 0.6, seed);
        for (RootRule rule : {RootRule::any, RootRule::single}) {
          SCOPED_TRACE(testing::name(weights) + ", seed " + std::to_string(seed));
          Prepared prepared(matrix.view(), rule, tuning);
          const auto truth = testing::brute_force(matrix.view(), {.root = rule});
          ASSERT_EQ(prepared.found, !truth.empty());
          if (prepared.found) check(prepared, truth);
        }
      }
}

TEST(Candidates, TheBoundIsNoneTooLow) {
  int finite = 0;
  for_each_graph([&](Prepared& prepared, const std::vector<Tree>& truth) {
    for (std::size_t k : {2, 3, 10, 100}) {
      const double bound = prepared.candidates.bound(static_cast<std::int64_t>(k));
      if (k > truth.size()) {
        EXPECT_TRUE(bound == kInfinity || prepared.solver.scale().leaves_out);
      } else {
        const double gap = truth[0].score - truth[k - 1].score;
        // Beyond that there are trees with edges that were left out.
        if (prepared.units(gap) >= prepared.solver.reach()) continue;
        EXPECT_GE(bound * prepared.solver.scale().unit, gap - prepared.rounding);
        EXPECT_GE(prepared.candidates.bound_by_swaps(static_cast<std::int64_t>(k)) *
                      prepared.solver.scale().unit,
                  gap - prepared.rounding);
        finite += bound < kInfinity ? 1 : 0;
      }
    }
  });
  EXPECT_GT(finite, 100);
}

TEST(Candidates, TheReducedGraphHasEveryTreeWithinTheGap) {
  std::size_t dropped = 0;
  for_each_graph([&](Prepared& prepared, const std::vector<Tree>& truth) {
    for (double gap : {0.0, 0.3, 1.0}) {
      const double limit = prepared.units(gap);
      prepared.candidates.collect(limit);
      prepared.reduced.build(prepared.candidates, limit);
      std::set<std::pair<Node, Node>> kept;
      for (KernelNode v(0); v < prepared.reduced.end(); ++v)
        for (const ReducedGraph::Option& option : prepared.reduced.options(v)) {
          const Candidate& edge = prepared.candidates.list()[option.candidate];
          kept.emplace(edge.head, edge.dependent);
          EXPECT_EQ(prepared.reduced.ground(v), edge.dependent);
        }
      dropped += prepared.candidates.list().size() - kept.size();
      for (const Tree& tree : truth) {
        if (truth[0].score - tree.score > gap) break;
        if (limit >= prepared.solver.reach()) break;  // edges were left out
        for (Node v = 1; v < prepared.solver.tree().nodes(); ++v) {
          const Node head = tree.heads[place_of(v)];
          EXPECT_TRUE(head == prepared.solver.tree().head[v] || kept.contains({head, v}));
        }
      }
    }
  });
  EXPECT_GT(dropped, 100u);
}

}  // namespace
}  // namespace coppice::engine
