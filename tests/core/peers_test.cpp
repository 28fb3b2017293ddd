// Small graphs that broke other programs.
#include <gtest/gtest.h>

#include "support/brute_force.hpp"
#include "support/engines.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

const double kNo = kNoWeight;

struct Broken {
  const char* name;
  std::vector<std::vector<double>> rows;
};

const Broken kGraphs[] = {
    {"rank 9", {{-6, -9, -8}, {kNo, -5, -5}, {-4, kNo, -1}, {-2, -7, kNo}}},
    {"ties once", {{0, 1, 1}, {kNo, 0, 0}, {0, kNo, 0}, {0, 0, kNo}}},
    {"rank 13",
     {{-1, -9, -5, -7},
      {kNo, -8, -9, -8},
      {-6, kNo, -4, -5},
      {-5, -3, kNo, -2},
      {-2, -4, -9, kNo}}},
    {"no single-root tree", {{9, kNo, 8}, {kNo, 4, kNo}, {kNo, kNo, kNo}, {kNo, 3, kNo}}},
    {"no tree",
     {{3, kNo, kNo, kNo},
      {kNo, kNo, kNo, kNo},
      {kNo, kNo, 3, 3},
      {8, 3, kNo, 6},
      {kNo, 6, 3, kNo}}},
    {"two trees", {{1, 1}, {kNo, 2}, {1, kNo}}},
    {"not a dependency tree", {{-5, -5, -6}, {kNo, -6, -5}, {-7, kNo, -5}, {-5, -7, kNo}}},
    {"ties, no tree twice",
     {{1, 0, 0, 0}, {kNo, 1, 0, 0}, {1, kNo, 1, 0}, {1, 1, kNo, 1}, {1, 1, 1, kNo}}},
};

TEST(GraphsThatBrokeSomeone, AgreeWithBruteForce) {
  for (const Broken& graph : kGraphs)
    testing::expect_brute_force(testing::matrix_of(graph.rows).view(), graph.name);
}

// What is known of them, independently of our brute force.
TEST(GraphsThatBrokeSomeone, KnownFacts) {
  auto trees = [](const Broken& graph, RootRule rule) {
    return testing::brute_force(testing::matrix_of(graph.rows).view(), {.root = rule});
  };
  EXPECT_EQ(trees(kGraphs[0], RootRule::any)[8].score, -18);
  EXPECT_EQ(trees(kGraphs[2], RootRule::single)[12].score, -17);
  EXPECT_TRUE(trees(kGraphs[3], RootRule::single).empty());
  EXPECT_TRUE(trees(kGraphs[4], RootRule::any).empty());
  EXPECT_EQ(trees(kGraphs[5], RootRule::single).size(), 2u);
}

}  // namespace
}  // namespace coppice
