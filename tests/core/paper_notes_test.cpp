// The graphs of docs/paper-notes.md: what is said of them there is so.
#include <gtest/gtest.h>

#include <coppice/paper.hpp>

#include "support/engines.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

const double kNo = kNoWeight;

template <class Algorithm>
std::vector<double> scores_of(Graph graph) {
  std::vector<double> scores;
  Algorithm trees(graph);
  while (auto tree = trees.next()) scores.push_back(tree->score);
  return scores;
}

TEST(PaperNotes, DroppedRootEdgesComeBack) {
  auto three = testing::matrix_of({{-5, -2, -8}, {kNo, -11, -12}, {-9, kNo, -3}, {-10, -4, kNo}});
  EXPECT_EQ(paper::opt_dep(three.view())->heads, (std::vector<Node>{-1, 2, 0, 2}));
  EXPECT_EQ(paper::opt_dep(three.view())->score, -14);
  testing::expect_brute_force(three.view(), "three words");
  auto four = testing::matrix_of({{-1, -9, -5, -7},
                                  {kNo, -8, -9, -8},
                                  {-6, kNo, -4, -5},
                                  {-5, -3, kNo, -2},
                                  {-2, -4, -9, kNo}});
  EXPECT_EQ(paper::opt_dep(four.view())->score, -12);
}

TEST(PaperNotes, EntryNodeIsNotConsideredAgain) {
  auto graph =
      testing::matrix_of({{-37, -40, -40}, {kNo, -32, -30}, {-38, kNo, -16}, {-7, -10, kNo}});
  auto next = paper::next(graph.view());
  EXPECT_EQ(next->best.heads, (std::vector<Node>{-1, 3, 3, 0}));
  EXPECT_EQ(next->best.score, -57);
  EXPECT_EQ(next->second->score, -63);
}

TEST(PaperNotes, ReplacementFromOutsideTheCycle) {
  auto graph = testing::matrix_of({{1, kNo, kNo}, {kNo, 10, 5}, {10, kNo, kNo}, {kNo, 9, kNo}});
  auto next = paper::next(graph.view());
  EXPECT_EQ(next->best.heads, (std::vector<Node>{-1, 0, 1, 1}));
  EXPECT_EQ(next->second->arc, (Arc{1, 2}));
  EXPECT_EQ(scores_of<paper::KBest>(graph.view()), (std::vector<double>{16, 15}));
}

TEST(PaperNotes, ParallelEdgesAreSwaps) {
  Multigraph graph(2);
  for (double weight : {1.0, 3.0, 3.0, 2.0}) graph.add_edge(0, 1, weight);
  EXPECT_EQ(scores_of<paper::KBest>(graph), (std::vector<double>{3, 3, 2, 1}));
  EXPECT_EQ(scores_of<paper::KBestDep>(graph), (std::vector<double>{3, 3, 2, 1}));
}

// Trees given twice or lost where all weights are equal: 2 words have 3 trees, 3 have 16, 4 have
// 125 (Cayley), of which 2, 9 and 64 have one root edge.
TEST(PaperNotes, TiesLoseNothing) {
  const std::size_t trees[] = {3, 16, 125}, dependency_trees[] = {2, 9, 64};
  for (Node words = 2; words <= 4; ++words) {
    auto graph = testing::random_matrix(words, testing::Weights::equal, 1.0, 1);
    auto row = static_cast<std::size_t>(words) - 2;
    EXPECT_EQ(scores_of<paper::KBest>(graph.view()).size(), trees[row]);
    EXPECT_EQ(scores_of<paper::KBestDep>(graph.view()).size(), dependency_trees[row]);
  }
  auto cycles = testing::matrix_of(
      {{0, 0, 1, 1}, {kNo, 1, 1, 0}, {1, kNo, 1, 1}, {1, 0, kNo, 0}, {1, 1, 1, kNo}});
  testing::expect_brute_force(cycles.view(),
                              "a graph whose cycles can be merged in several orders");
}

}  // namespace
}  // namespace coppice
