// coppice.h from C++: the same trees as the interface that it stands on, and memory that runs out.
#include <coppice/coppice.h>
#include <gtest/gtest.h>

#include <coppice/batch.hpp>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Weights;

struct Free {
  void operator()(coppice_graph* graph) const { coppice_graph_free(graph); }
  void operator()(coppice_trees* trees) const { coppice_trees_free(trees); }
  void operator()(coppice_stream* stream) const { coppice_stream_free(stream); }
  void operator()(coppice_batch* batch) const { coppice_batch_free(batch); }
};
using GraphHandle = std::unique_ptr<coppice_graph, Free>;
using TreesHandle = std::unique_ptr<coppice_trees, Free>;

// A random graph in both interfaces.
struct Both {
  testing::Matrix matrix = {};
  std::optional<Multigraph> edges = std::nullopt;
  GraphHandle handle = nullptr;

  Graph graph() const { return edges ? Graph(*edges) : Graph(matrix.view()); }
};

Both dense(std::uint64_t seed) {
  Both both{.matrix = testing::random_matrix(
                static_cast<Node>(2 + seed % 5),
                testing::kAllWeights[seed % std::size(testing::kAllWeights)], 0.8, seed)};
  const DenseView view = both.matrix.view();
  coppice_graph* graph = nullptr;
  EXPECT_EQ(coppice_graph_matrix(
                view.scalar() == Scalar::float32 ? COPPICE_FLOAT32 : COPPICE_FLOAT64, view.data(),
                view.nodes(), view.head_stride(), view.dependent_stride(), &graph),
            COPPICE_OK)
      << coppice_error();
  both.handle.reset(graph);
  return both;
}

Both sparse(std::uint64_t seed) {
  const auto words = static_cast<Node>(2 + seed % 4);
  const Scalar scalar = seed % 2 == 0 ? Scalar::int64 : Scalar::float64;
  Both both{
      .edges = testing::random_multigraph(words, 4 * words, Weights::small_integers, seed, scalar)};
  const Multigraph& edges = *both.edges;
  const auto count = static_cast<std::size_t>(edges.edges());
  coppice_graph* graph = nullptr;
  const coppice_status status =
      scalar == Scalar::int64
          ? coppice_graph_integer_edges(edges.nodes(), count, edges.sources().data(),
                                        edges.targets().data(), edges.integer_weights().data(),
                                        &graph)
          : coppice_graph_edges(edges.nodes(), count, edges.sources().data(),
                                edges.targets().data(), edges.weights().data(), &graph);
  EXPECT_EQ(status, COPPICE_OK) << coppice_error();
  both.handle.reset(graph);
  return both;
}

Both graph_of(std::uint64_t seed) { return seed % 3 == 0 ? sparse(seed) : dense(seed); }

// The same wishes in both interfaces.
struct Wishes {
  Problem problem;
  Request request;
  std::vector<coppice_arc> required = {};
  std::vector<coppice_arc> forbidden = {};

  coppice_options options() const {
    coppice_options result = {};
    result.size = sizeof result;
    result.root = problem.root == RootRule::any ? COPPICE_ROOT_ANY : COPPICE_ROOT_SINGLE;
    result.objective =
        problem.objective == Objective::maximize ? COPPICE_MAXIMIZE : COPPICE_MINIMIZE;
    result.k = request.k.value_or(0);
    result.limit_gap = request.max_gap ? 1 : 0;
    result.max_gap = request.max_gap.value_or(0.0);
    result.required = required.data();
    result.required_count = required.size();
    result.forbidden = forbidden.data();
    result.forbidden_count = forbidden.size();
    result.required_edges = problem.required_edges.data();
    result.required_edges_count = problem.required_edges.size();
    result.forbidden_edges = problem.forbidden_edges.data();
    result.forbidden_edges_count = problem.forbidden_edges.size();
    return result;
  }
};

Wishes wishes_of(std::uint64_t seed, Graph graph) {
  Wishes wishes{.problem = {.root = seed % 2 == 0 ? RootRule::single : RootRule::any},
                .request = {}};
  if (seed % 5 == 0) wishes.problem.objective = Objective::minimize;
  if (seed % 7 != 0) wishes.request.k = static_cast<std::int64_t>(1 + seed % 20);
  if (seed % 7 == 0 || seed % 4 == 0) wishes.request.max_gap = 1.0;
  if (seed % 11 == 0) {
    wishes.problem.required = {{2, 1}};
    wishes.required = {{2, 1}};
  }
  if (seed % 2 == 0) {
    wishes.problem.forbidden = {{0, 2}};
    wishes.forbidden = {{0, 2}};
  }
  if (graph.multigraph() != nullptr && seed % 4 == 1) wishes.problem.forbidden_edges = {1, 3};
  return wishes;
}

Tree tree_of(const coppice_trees* trees, std::size_t rank) {
  const auto nodes = static_cast<std::size_t>(coppice_trees_nodes(trees));
  const std::int32_t* heads = coppice_trees_heads(trees, rank);
  const std::int32_t* edges = coppice_trees_edges(trees, rank);
  Tree tree{.heads = {heads, heads + nodes},
            .edges = {},
            .score = coppice_trees_score(trees, rank),
            .integer_score = coppice_trees_integer_score(trees, rank)};
  if (edges != nullptr) tree.edges.assign(edges, edges + nodes);
  return tree;
}

void expect_same(const coppice_trees* found, const TreeList& expected, std::uint64_t seed) {
  ASSERT_EQ(coppice_trees_count(found), expected.size()) << "seed " << seed;
  for (std::size_t rank = 0; rank < expected.size(); ++rank)
    ASSERT_EQ(tree_of(found, rank), expected.copy(rank)) << "seed " << seed << ", rank " << rank;
}

TEST(C, ListsOfRandomGraphs) {
  std::size_t trees_seen = 0;
  for (std::uint64_t seed = 1; seed <= 300 && !HasFatalFailure(); ++seed) {
    const Both both = graph_of(seed);
    const Wishes wishes = wishes_of(seed, both.graph());
    const coppice_options options = wishes.options();
    coppice_trees* trees = nullptr;
    TreeList expected;
    coppice_status code = COPPICE_OK;
    try {
      expected = kbest(both.graph(), wishes.problem, wishes.request);
    } catch (const Error& error) {
      code = static_cast<coppice_status>(error.code());
    }
    ASSERT_EQ(coppice_kbest(both.handle.get(), &options, &trees), code) << coppice_error();
    const TreesHandle list(trees);
    expect_same(trees, expected, seed);
    trees_seen += expected.size();
    if (code != COPPICE_OK) continue;

    ASSERT_EQ(coppice_best(both.handle.get(), &options, &trees), COPPICE_OK) << coppice_error();
    const TreesHandle one(trees);
    const auto expected_best = best(both.graph(), wishes.problem);
    ASSERT_EQ(coppice_trees_count(trees), expected_best ? 1U : 0U) << "seed " << seed;
    if (expected_best) {
      ASSERT_EQ(tree_of(trees, 0), *expected_best) << "seed " << seed;
    }
  }
  EXPECT_GT(trees_seen, 1'000U);
}

TEST(C, StreamsOfRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 100 && !HasFatalFailure(); ++seed) {
    const Both both = graph_of(seed);
    const Wishes wishes{.problem = {.root = RootRule::any}, .request = {}};
    const coppice_options options = wishes.options();
    coppice_stream* made = nullptr;
    ASSERT_EQ(coppice_stream_new(both.handle.get(), &options, &made), COPPICE_OK);
    const std::unique_ptr<coppice_stream, Free> stream(made);
    TreeStream expected(both.graph(), wishes.problem);
    int found = 0;
    do {
      ASSERT_EQ(coppice_stream_next(made, &found), COPPICE_OK) << coppice_error();
      const auto tree = expected.next();
      ASSERT_EQ(found != 0, tree.has_value()) << "seed " << seed;
      if (!tree) break;
      const std::int32_t* heads = coppice_stream_heads(made);
      const std::int32_t* edges = coppice_stream_edges(made);
      ASSERT_EQ(std::vector<Node>(heads, heads + tree->heads.size()), tree->heads);
      ASSERT_EQ(edges == nullptr, tree->edges.empty());
      if (edges != nullptr) {
        ASSERT_EQ(std::vector<EdgeId>(edges, edges + tree->edges.size()), tree->edges);
      }
      ASSERT_EQ(coppice_stream_score(made), tree->score);
      ASSERT_EQ(coppice_stream_integer_score(made), tree->integer_score);
    } while (found != 0);
    EXPECT_EQ(coppice_stream_heads(made), nullptr);
  }
}

TEST(C, BatchesOfRandomGraphs) {
  std::vector<Both> graphs;
  std::vector<const coppice_graph*> handles;
  std::vector<Graph> expected_graphs;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) graphs.push_back(graph_of(seed));
  for (const Both& both : graphs) {
    handles.push_back(both.handle.get());
    expected_graphs.push_back(both.graph());
  }
  const Wishes wishes{.problem = {.root = RootRule::single}, .request = {.k = 7}};
  const coppice_options options = wishes.options();
  coppice_batch* batch = nullptr;
  ASSERT_EQ(coppice_kbest_batch(handles.data(), handles.size(), &options, 3, &batch), COPPICE_OK);
  const std::unique_ptr<coppice_batch, Free> freed(batch);
  const auto expected = kbest_batch(expected_graphs, wishes.problem, wishes.request, 1);
  for (std::size_t i = 0; i < graphs.size(); ++i)
    expect_same(coppice_batch_trees(batch, i), expected[i].trees, i + 1);
}

TEST(C, TransposedAndReversedMatrices) {
  const std::vector<std::int64_t> weights = {0, 3, 1, 0, 0, 4, 0, 2, 0};
  std::vector<std::int64_t> transposed(9), reversed(9);
  for (std::size_t h = 0; h < 3; ++h)
    for (std::size_t d = 0; d < 3; ++d) {
      transposed[d * 3 + h] = weights[h * 3 + d];
      reversed[8 - (h * 3 + d)] = weights[h * 3 + d];
    }
  struct Stored {
    const std::int64_t* data;
    std::ptrdiff_t head_stride, dependent_stride;
  };
  for (const Stored& stored : {Stored{weights.data(), 3, 1}, Stored{transposed.data(), 1, 3},
                               Stored{reversed.data() + 8, -3, -1}}) {
    coppice_graph* graph = nullptr;
    ASSERT_EQ(coppice_graph_matrix(COPPICE_INT64, stored.data, 3, stored.head_stride,
                                   stored.dependent_stride, &graph),
              COPPICE_OK);
    const GraphHandle freed(graph);
    coppice_options options = {};
    options.size = sizeof options;
    options.root = COPPICE_ROOT_ANY;
    options.k = 10;
    coppice_trees* trees = nullptr;
    ASSERT_EQ(coppice_kbest(graph, &options, &trees), COPPICE_OK);
    const TreesHandle list(trees);
    expect_same(
        trees,
        kbest(DenseView::head_dependent(weights.data(), 3), {.root = RootRule::any}, {.k = 10}), 0);
    EXPECT_EQ(coppice_trees_integer_score(trees, 0), 7);
  }
}

TEST(C, Rules) {
  const auto matrix = testing::random_matrix(6, Weights::continuous, 1.0, 5);
  coppice_graph* graph = nullptr;
  ASSERT_EQ(coppice_graph_matrix(COPPICE_FLOAT64, matrix.doubles.data(), 7, 7, 1, &graph),
            COPPICE_OK);
  const GraphHandle freed(graph);
  const char* const names[] = {"projective", "max-children=2"};
  coppice_options options = {};
  options.size = sizeof options;
  options.root = COPPICE_ROOT_SINGLE;
  options.k = 20;
  options.rules = names;
  options.rules_count = 2;
  coppice_trees* trees = nullptr;
  ASSERT_EQ(coppice_kbest(graph, &options, &trees), COPPICE_OK) << coppice_error();
  const TreesHandle list(trees);
  expect_same(trees,
              kbest(matrix.view(),
                    {.root = RootRule::single,
                     .rules = {rules::parse("projective"), rules::parse("max-children=2")}},
                    {.k = 20}),
              0);
}

// Every thread has its own text, which is cut where it is very long.
TEST(C, ErrorsOfThreads) {
  const std::string name(5'000, 'x');
  const char* const names[] = {name.c_str()};
  coppice_options options = {};
  options.size = sizeof options;
  options.root = COPPICE_ROOT_SINGLE;
  options.rules = names;
  options.rules_count = 1;
  coppice_trees* trees = nullptr;
  ASSERT_EQ(coppice_kbest(nullptr, &options, &trees), COPPICE_BAD_ARGUMENT);
  const std::string here = coppice_error();
  EXPECT_GT(here.size(), 100U);
  EXPECT_LT(here.size(), 1'100U);
  std::thread([] {
    EXPECT_STREQ(coppice_error(), "");
    coppice_trees* other = nullptr;
    EXPECT_EQ(coppice_kbest(nullptr, nullptr, &other), COPPICE_BAD_ARGUMENT);
  }).join();
  EXPECT_EQ(coppice_error(), here);
}

}  // namespace
}  // namespace coppice
