// What is found becomes a list: scored, in order, cut, in the sign of the objective.
#include "engine/report.hpp"

#include <gtest/gtest.h>

#include "engine/best_tree.hpp"

namespace coppice::engine {
namespace {

// Two words that hang from the root by 5 and 4, or from each other by 3 and 1.
class ReportOfTwoWords : public ::testing::TestWithParam<Objective> {
 protected:
  ReportOfTwoWords() : report(Tuning{}) {
    const double sign = GetParam() == Objective::maximize ? 1.0 : -1.0;
    graph.add_edge(0, 1, sign * 5.0);
    graph.add_edge(0, 2, sign * 4.0);
    graph.add_edge(2, 1, sign * 3.0);
    graph.add_edge(1, 2, sign * 1.0);
    EXPECT_TRUE(best.solve(graph, {.root = RootRule::any, .objective = GetParam()}));
    report.start(best.solver(), best.solution(), false, GetParam());
    TreeBuilder(trees).reset(graph);
    candidates.push_back({2.0, 2.0, 3.0, 2, 1, 2});
    candidates.push_back({3.0, 3.0, 1.0, 1, 2, 3});
    // Not in order: 1 -> 2 instead, then the best, then 2 -> 1 instead.
    found.replace(CandidateId(1));
    found.finish();
    found.finish();
    found.replace(CandidateId(0));
    found.finish();
  }

  std::vector<double> scores(const Report::Range& range) {
    report.write(found, candidates, range, trees);
    std::vector<double> scores;
    for (std::size_t i = 0; i < trees.size(); ++i)
      scores.push_back(GetParam() == Objective::maximize ? trees.score(i) : -trees.score(i));
    return scores;
  }

  using List = std::vector<double>;
  Multigraph graph{3};
  BestTree best;
  Report report;
  CandidateList candidates;
  FoundTrees found;
  TreeList trees;
};
INSTANTIATE_TEST_SUITE_P(BothWays, ReportOfTwoWords,
                         ::testing::Values(Objective::maximize, Objective::minimize),
                         [](const auto& tested) {
                           return tested.param == Objective::maximize ? "maximize" : "minimize";
                         });

TEST_P(ReportOfTwoWords, InOrder) {
  EXPECT_EQ(scores({}), (List{9.0, 7.0, 6.0}));
  EXPECT_EQ(trees[0].copy().heads, (std::vector<Node>{kNoNode, 0, 0}));
  EXPECT_EQ(trees[1].copy().heads, (std::vector<Node>{kNoNode, 2, 0}));
  EXPECT_EQ(trees[1].copy().edges, (std::vector<EdgeId>{kNoEdge, 2, 1}));
  EXPECT_EQ(trees[2].copy().heads, (std::vector<Node>{kNoNode, 0, 1}));
}

TEST_P(ReportOfTwoWords, Cut) {
  EXPECT_EQ(scores({.k = 2}), (List{9.0, 7.0}));
  EXPECT_EQ(scores({.up_to = 2.0}), (List{9.0, 7.0}));
  EXPECT_EQ(scores({.above = 0.0, .up_to = 2.0}), (List{7.0}));
  EXPECT_EQ(scores({.k = 1, .above = 0.0}), (List{7.0}));
  EXPECT_EQ(scores({.above = 2.0}), (List{6.0}));
}

TEST_P(ReportOfTwoWords, TheBestAlone) {
  report.write_best(trees);
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_EQ(report.gap_of(trees.score(0)), 0.0);
  EXPECT_EQ(report.gap_of(report.score_at(1.5)), 1.5);
}

}  // namespace
}  // namespace coppice::engine
