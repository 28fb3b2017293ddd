// The reduced graph alone: it keeps every edge that a tree within the limit may use.
#include "engine/prune/reduced_graph.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/brute_force.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

bool has_option(const ReducedGraph& reduced, const CandidateList& candidates, Node head,
                Node dependent, EdgeId edge) {
  for (KernelNode v(0); v < reduced.end(); ++v)
    if (reduced.ground(v) == dependent)
      for (const ReducedGraph::Option& option : reduced.options(v)) {
        const Candidate& candidate = candidates[option.candidate];
        if (candidate.head == head && candidate.edge == edge) return true;
      }
  return false;
}

TEST(ReducedGraph, KeepsWhatTreesWithinTheLimitUse) {
  int dropped = 0;
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    const auto words = static_cast<Node>(2 + seed % 4);
    const auto graph =
        testing::random_multigraph(words, 5 * words, testing::kAllWeights[seed % 6], seed);
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      const Tuning tuning;
      SCOPED_TRACE("seed " + std::to_string(seed));
      const auto trees = testing::brute_force(graph, {.root = rule});
      if (trees.empty()) continue;
      TreeSolver solver;
      if (solver.solve(graph, {.root = rule}, true) != TreeSolver::Answer::tree) continue;
      Candidates candidates(tuning);
      candidates.start(solver);
      // So that about half of the trees are within it.
      const double gap = trees.front().score - trees[trees.size() / 2].score;
      const double limit = std::ceil(
          (gap + 2 * (testing::rounding_of(graph) + testing::rounding_of_plain_sums(graph))) *
          solver.scale().per_unit);
      if (limit >= solver.reach()) continue;  // trees with edges that were left out
      candidates.allow_all();
      ASSERT_TRUE(candidates.collect(limit));
      ReducedGraph reduced(tuning);
      reduced.build(candidates, limit);
      std::size_t options = 0;
      for (KernelNode v(0); v < reduced.end(); ++v) {
        EXPECT_FALSE(reduced.options(v).empty());
        EXPECT_TRUE(reduced.parent(v) < v);
        options += reduced.options(v).size();
        for (const ReducedGraph::Option& option : reduced.options(v))
          EXPECT_LE(option.reduced_cost, limit);
      }
      dropped += options < static_cast<std::size_t>(graph.edges()) ? 1 : 0;
      for (const Tree& tree : trees) {
        if (trees.front().score - tree.score > gap) break;
        for (Node v = 1; v <= words; ++v) {
          const auto place = static_cast<std::size_t>(v);
          if (tree.edges[place] == solver.tree().edge_into(v)) continue;
          EXPECT_TRUE(
              has_option(reduced, candidates.list(), tree.heads[place], v, tree.edges[place]))
              << tree.heads[place] << " -> " << v;
        }
      }
    }
  }
  EXPECT_GT(dropped, 100);
}

}  // namespace
}  // namespace coppice::engine
