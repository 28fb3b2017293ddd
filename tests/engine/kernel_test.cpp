// The kernel alone: it keeps every edge that a tree within the limit may use.
#include "engine/kernel.hpp"

#include <gtest/gtest.h>

#include "engine/best_tree.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

bool has_option(const Kernel& kernel, const CandidateList& candidates, Node head, Node dependent,
                EdgeId edge) {
  for (KernelNode v(0); v < kernel.end(); ++v)
    if (kernel.ground(v) == dependent)
      for (const Kernel::Option& option : kernel.options(v)) {
        const Candidate& candidate = candidates[option.candidate];
        if (candidate.head == head && candidate.edge == edge) return true;
      }
  return false;
}

TEST(Kernel, KeepsWhatTreesWithinTheLimitUse) {
  Tuning sorted;  // companies found by sorting, as in large kernels
  sorted.small_kernel = 0;
  int dropped = 0;
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    const auto words = static_cast<Node>(2 + seed % 4);
    const auto graph =
        testing::random_multigraph(words, 5 * words, testing::kAllWeights[seed % 6], seed);
    for (RootRule rule : {RootRule::any, RootRule::single})
      for (const Tuning& tuning : {Tuning{}, sorted}) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto trees = testing::brute_force(graph, {.root = rule});
        if (trees.empty()) continue;
        BestTree best(tuning);
        ASSERT_TRUE(best.solve(graph, {.root = rule}));
        const Solution& solution = best.solution();
        const Rounding rounding(solution, false);
        Candidates candidates(tuning);
        candidates.start(best.solver(), solution, rounding, rule);
        // So that about half of the trees are within it.
        const double limit = trees.front().score - trees[trees.size() / 2].score;
        const double with_slack = limit + rounding.slack(limit);
        candidates.allow_all();
        ASSERT_TRUE(candidates.collect(with_slack));
        Kernel kernel(tuning);
        kernel.build(candidates, with_slack);
        std::size_t options = 0;
        for (KernelNode v(0); v < kernel.end(); ++v) {
          EXPECT_FALSE(kernel.options(v).empty());
          EXPECT_TRUE(kernel.parent(v) < v);
          options += kernel.options(v).size();
          for (const Kernel::Option& option : kernel.options(v))
            EXPECT_LE(option.reduced_cost, with_slack);
        }
        dropped += options < static_cast<std::size_t>(graph.edges()) ? 1 : 0;
        for (const Tree& tree : trees) {
          if (trees.front().score - tree.score > limit) break;
          for (Node v = 1; v <= words; ++v) {
            const auto place = static_cast<std::size_t>(v);
            if (tree.edges[place] == solution.edge_into(v)) continue;
            EXPECT_TRUE(
                has_option(kernel, candidates.list(), tree.heads[place], v, tree.edges[place]))
                << tree.heads[place] << " -> " << v;
          }
        }
      }
  }
  EXPECT_GT(dropped, 100);
}

}  // namespace
}  // namespace coppice::engine
