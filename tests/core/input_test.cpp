// Bad input is an error that names the place and the value; "no tree" is an empty answer.
#include <gtest/gtest.h>

#include <coppice/paper.hpp>
#include <limits>

#include "graph/phrases.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Input, EmptyGraph) {
  double weight = 0.0;
  EXPECT_EQ(error_of([&] { DenseView::head_dependent(&weight, 1); }),
            "empty graph: 1 node, need the root and at least one word");
  EXPECT_EQ(error_of([&] { DenseView::head_dependent(&weight, 0); }),
            "empty graph: 0 nodes, need the root and at least one word");
  EXPECT_EQ(error_of([&] { Multigraph(1); }),
            "empty graph: 1 node, need the root and at least one word");
  EXPECT_EQ(error_of([&] { DenseView::head_dependent<float>(nullptr, 2); }),
            "score matrix: null pointer");
}

TEST(Input, NotANumber) {
  auto matrix = testing::random_matrix(3, testing::Weights::continuous, 1.0, 1);
  matrix.doubles[2 * 4 + 3] = std::nan("");
  EXPECT_EQ(error_of([&] { paper::opt(matrix.view()); }),
            "weight of 2 -> 3 is NaN; weights are finite, or -inf for a missing edge");
  matrix.doubles[2 * 4 + 3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of([&] { paper::KBestDep trees(matrix.view()); }),
            "weight of 2 -> 3 is +inf; weights are finite, or -inf for a missing edge");
}

TEST(Input, EdgeLists) {
  Multigraph graph(3);
  EXPECT_EQ(error_of([&] { graph.add_edge(0, 3, 1.0); }), "edge 0: target 3 is not a node 0..2");
  EXPECT_EQ(error_of([&] { graph.add_edge(-1, 1, 1.0); }), "edge 0: source -1 is not a node 0..2");
  EXPECT_EQ(error_of([&] { graph.add_edge(0, 1, std::nan("")); }),
            "edge 0 (0 -> 1): weight is NaN");
  EXPECT_EQ(error_of([&] { graph.add_edge(0, 1, std::int64_t{3}); }),
            "edge 0: weight is not of the graph's type (float64)");
  EXPECT_EQ(graph.edges(), 0);
  std::vector<Node> one{0}, two{1, 2};
  std::vector<double> weights{1.0};
  EXPECT_EQ(error_of([&] { Multigraph::from_edges(3, one, two, weights); }),
            "edge arrays differ in length: 1 source, 2 targets, 1 weight");
}

TEST(Input, SumsThatCouldOverflow) {
  std::vector<double> huge(4, 1e308);
  EXPECT_EQ(error_of([&] { paper::opt(DenseView::head_dependent(huge.data(), 2)); }),
            "a weight of magnitude 1e+308 is too large: the sum over a tree of 1 edge could "
            "overflow float64");
  std::vector<std::int64_t> integers(4, std::numeric_limits<std::int64_t>::min());
  EXPECT_NE(error_of([&] {
              paper::opt(DenseView::head_dependent(integers.data(), 2));
            }).find("could overflow int64"),
            std::string::npos);
}

TEST(Input, NumbersInMessagesReadBack) {
  EXPECT_EQ(shortest(1e308), "1e+308");
  EXPECT_EQ(shortest(-0.1), "-0.1");
  EXPECT_EQ(shortest(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(shortest(5e-324), "5e-324");
  EXPECT_EQ(shortest(0.0), "0");
  EXPECT_EQ(shortest(std::nan("")), "nan");
  EXPECT_EQ(counted(1, "entry", "entries") + counted(2, "entry", "entries"), "1 entry2 entries");
  EXPECT_EQ(counted(0, "word") + counted(1, "word"), "0 words1 word");
}

TEST(Input, NoTreeIsAnEmptyAnswer) {
  Multigraph graph(3);
  graph.add_edge(0, 1, 1.0);
  EXPECT_EQ(paper::opt(graph), std::nullopt);
  EXPECT_EQ(paper::opt_dep(graph), std::nullopt);
  EXPECT_FALSE(paper::next(graph));
  paper::KBest trees(graph);
  EXPECT_EQ(trees.next(), std::nullopt);
  EXPECT_EQ(trees.next(), std::nullopt);
}

}  // namespace
}  // namespace coppice
