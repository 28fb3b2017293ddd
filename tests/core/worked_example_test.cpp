// The paper's worked example (its figures of the example graph, kbest and kbest_dep).
#include <gtest/gtest.h>

#include <coppice/paper.hpp>

#include "support/engines.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

const double kNo = kNoWeight;

testing::Matrix example() {
  return testing::matrix_of({{90, 40, kNo, kNo},
                             {0, kNo, 10, kNo},
                             {kNo, 0, 30, 60},
                             {kNo, 50, 0, kNo},
                             {20, kNo, 70, 0}});
}

TEST(WorkedExample, BestTrees) {
  auto matrix = example();
  EXPECT_EQ(paper::opt(matrix.view())->score, 260);
  EXPECT_EQ(paper::opt(matrix.view())->heads, (std::vector<Node>{-1, 0, 0, 4, 2}));
  EXPECT_EQ(paper::opt_dep(matrix.view())->score, 210);
  EXPECT_EQ(paper::opt_dep(matrix.view())->heads, (std::vector<Node>{-1, 0, 3, 1, 2}));
}

TEST(WorkedExample, Next) {
  auto matrix = example();
  auto next = paper::next(matrix.view());
  ASSERT_TRUE(next && next->second);
  EXPECT_EQ(next->best.score, 260);
  EXPECT_EQ(next->second->score, 220);
  EXPECT_EQ(next->second->arc, (Arc{4, 3}));
}

TEST(WorkedExample, EveryEngineGivesTheListsOfThePaper) {
  auto matrix = example();
  for (const auto& engine : testing::engines()) {
    std::vector<double> scores;
    for (const Tree& tree : engine.run(matrix.view(), Objective::maximize, 100))
      scores.push_back(tree.score);
    auto expected = engine.rule == RootRule::any
                        ? std::vector<double>{260, 220, 210, 200, 190, 150, 130}
                        : std::vector<double>{210, 190, 150, 130};
    EXPECT_EQ(scores, expected) << engine.name;
  }
}

template <class Algorithm>
std::vector<Arc> deleted_edges(Algorithm trees) {
  std::vector<Arc> deleted;
  while (trees.next()) deleted.push_back(trees.deleted());
  return deleted;
}

TEST(WorkedExample, EdgesDeletedOnTheWay) {
  auto matrix = example();
  EXPECT_EQ(deleted_edges(paper::KBest(matrix.view())),
            (std::vector<Arc>{{-1, -1}, {4, 3}, {0, 2}, {2, 3}, {0, 1}, {0, 1}, {0, 1}}));
  EXPECT_EQ(deleted_edges(paper::KBestDep(matrix.view())),
            (std::vector<Arc>{{-1, -1}, {0, 1}, {4, 3}, {2, 3}}));
}

}  // namespace
}  // namespace coppice
