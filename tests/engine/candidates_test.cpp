// Candidates, bound and kernel, alone: they may keep too much, never too little.
#include "engine/candidates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "engine/best_tree.hpp"
#include "engine/kernel.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Weights;

struct Prepared {
  Prepared(Graph graph, RootRule rule, const Tuning& tuning) : candidates(tuning), kernel(tuning) {
    found = tree.solve(graph, {.root = rule});
    if (!found) return;
    rounding = Rounding(tree.solution(), graph.scalar() == Scalar::int64);
    candidates.start(tree.solver(), tree.solution(), rounding, rule);
  }

  bool found = false;
  BestTree tree;
  Rounding rounding;
  Candidates candidates;
  Kernel kernel;
};

template <class Check>
void for_each_graph(Check check) {
  Tuning thorough;
  thorough.small_graph = 0;
  thorough.small_kernel = 0;
  for (const Tuning& tuning : {Tuning{}, thorough})
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
        EXPECT_EQ(bound, kNever);
      } else {
        EXPECT_GE(bound, truth[0].score - truth[k - 1].score - 1e-9);
        finite += bound < kNever ? 1 : 0;
      }
    }
  });
  EXPECT_GT(finite, 100);
}

TEST(Candidates, TheKernelHasEveryTreeWithinTheGap) {
  std::size_t dropped = 0;
  for_each_graph([&](Prepared& prepared, const std::vector<Tree>& truth) {
    for (double gap : {0.0, 0.3, 1.0}) {
      const double limit = gap + prepared.rounding.slack(gap);
      prepared.candidates.collect(limit);
      prepared.kernel.build(prepared.candidates, limit);
      std::set<std::pair<Node, Node>> kept;
      for (KernelNode v(0); v < prepared.kernel.end(); ++v)
        for (const Kernel::Option& option : prepared.kernel.options(v)) {
          const Candidate& edge = prepared.candidates.list()[option.candidate];
          kept.emplace(edge.head, edge.dependent);
          EXPECT_EQ(prepared.kernel.ground(v), edge.dependent);
        }
      dropped += prepared.candidates.list().size() - kept.size();
      for (const Tree& tree : truth) {
        if (truth[0].score - tree.score > gap) break;
        for (Node v = 1; v < prepared.tree.solution().nodes(); ++v) {
          const Node head = tree.heads[place_of(v)];
          EXPECT_TRUE(head == prepared.tree.solution().head[v] || kept.contains({head, v}));
        }
      }
    }
  });
  EXPECT_GT(dropped, 100u);
}

}  // namespace
}  // namespace coppice::engine
