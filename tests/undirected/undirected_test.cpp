// Spanning trees of undirected graphs, against all sets of edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/rules.hpp>
#include <coppice/undirected.hpp>
#include <coppice/verify.hpp>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "support/effort.hpp"

namespace coppice {
namespace {

using EdgeSet = std::vector<EdgeId>;  // sorted

struct Edges {
  std::int64_t nodes = 0;
  std::vector<Node> ends, other_ends;
  std::vector<std::int64_t> weights;

  UndirectedGraph integers() const {
    return UndirectedGraph::from_edges(nodes, ends, other_ends, weights);
  }
  // -9 stands for a missing edge.
  UndirectedGraph floats() const {
    std::vector<double> values;
    for (const std::int64_t weight : weights)
      values.push_back(weight == -9 ? kNoWeight : 0.25 * static_cast<double>(weight));
    return UndirectedGraph::from_edges(nodes, ends, other_ends, values);
  }
};

// Ties, parallel edges, edges from a node to itself; some graphs have several parts.
Edges random_edges(std::mt19937_64& random) {
  const auto below = [&](std::size_t end) { return static_cast<int>(random() % end); };
  Edges edges{2 + below(4), {}, {}, {}};
  const int count = 1 + below(9);
  for (int i = 0; i < count; ++i) {
    edges.ends.push_back(below(static_cast<std::size_t>(edges.nodes)));
    edges.other_ends.push_back(below(static_cast<std::size_t>(edges.nodes)));
    edges.weights.push_back(below(10) == 0 ? -9 : below(4));
  }
  return edges;
}

struct Truth {
  struct Found {
    double score;
    EdgeSet edges;
    friend auto operator<=>(const Found&, const Found&) = default;  // NOLINT: no null pointer
  };
  std::vector<Found> trees;  // best first

  Truth(const UndirectedGraph& graph, const Problem& problem) {
    for (unsigned chosen = 0; chosen < 1U << graph.edges(); ++chosen)
      if (std::popcount(chosen) == graph.nodes() - 1) add(graph, problem, chosen);
    const bool minimize = problem.objective == Objective::minimize;
    std::ranges::stable_sort(trees, [&](const Found& one, const Found& other) {
      return minimize ? one.score < other.score : one.score > other.score;
    });
  }

  void add(const UndirectedGraph& graph, const Problem& problem, unsigned chosen) {
    std::vector<int> part(static_cast<std::size_t>(graph.nodes()));
    std::iota(part.begin(), part.end(), 0);
    Found tree{0.0, {}};
    int at_root = 0;
    for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
      if ((chosen >> edge & 1U) == 0) continue;
      const int one = part[static_cast<std::size_t>(graph.end(edge))];
      const int other = part[static_cast<std::size_t>(graph.other_end(edge))];
      if (one == other || graph.weight(edge) == kNoWeight) return;
      std::ranges::replace(part, one, other);
      at_root += graph.end(edge) == 0 || graph.other_end(edge) == 0;
      tree.score += graph.weight(edge);
      tree.edges.push_back(edge);
    }
    const auto has_pair = [&](Arc pair) {
      return std::ranges::any_of(tree.edges, [&](EdgeId edge) {
        return std::minmax(graph.end(edge), graph.other_end(edge)) ==
               std::minmax(pair.head, pair.dependent);
      });
    };
    const auto has = [&](EdgeId edge) {
      return std::ranges::find(tree.edges, edge) != tree.edges.end();
    };
    if ((problem.root == RootRule::single && at_root != 1) ||
        !std::ranges::all_of(problem.required, has_pair) ||
        std::ranges::any_of(problem.forbidden, has_pair) ||
        !std::ranges::all_of(problem.required_edges, has) ||
        std::ranges::any_of(problem.forbidden_edges, has))
      return;
    trees.push_back(tree);
  }
};

// A tree is reported as it hangs from node 0; its edges are returned.
EdgeSet checked_edges(const UndirectedGraph& graph, const TreeRef& tree) {
  EXPECT_TRUE(is_tree(tree.heads));
  for (std::size_t v = 1; v < tree.heads.size(); ++v) {
    EXPECT_LT(tree.edges[v], graph.edges());
    EXPECT_EQ(std::minmax(graph.end(tree.edges[v]), graph.other_end(tree.edges[v])),
              std::minmax(static_cast<Node>(v), tree.heads[v]));
  }
  EdgeSet edges(tree.edges.begin() + 1, tree.edges.end());
  std::ranges::sort(edges);
  return edges;
}

TreeRef ref(const Tree& tree) { return {tree.heads, tree.edges, tree.score, tree.integer_score}; }

void expect_list(const UndirectedGraph& graph, const Problem& problem, const Truth& truth) {
  const TreeList trees = kbest(graph, problem, {.k = 1000});
  ASSERT_EQ(trees.size(), truth.trees.size());
  std::vector<Truth::Found> found;
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    EXPECT_EQ(trees.score(rank), truth.trees[rank].score);
    found.push_back({trees.score(rank), checked_edges(graph, trees[rank])});
  }
  std::vector<Truth::Found> expected = truth.trees;
  std::ranges::sort(found), std::ranges::sort(expected);
  EXPECT_EQ(found, expected);

  const auto first = best(graph, problem);
  ASSERT_EQ(first.has_value(), !truth.trees.empty());
  if (first) {
    const EdgeSet edges = checked_edges(graph, ref(*first));
    EXPECT_TRUE(std::ranges::find(truth.trees, Truth::Found{truth.trees[0].score, edges}) !=
                truth.trees.end());
    EXPECT_EQ(first->score, truth.trees[0].score);
    EXPECT_EQ(*first, kbest(graph, problem, {.k = 1}).copy(0));
  }
  SpanningTreeStream stream(graph, problem);
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    const auto tree = stream.next();
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->score, trees.score(rank));
    checked_edges(graph, ref(*tree));
  }
  EXPECT_FALSE(stream.next());
}

void expect_sums(const UndirectedGraph& graph, const Problem& problem, const Truth& truth) {
  std::size_t ties = 0;
  while (ties < truth.trees.size() && truth.trees[ties].score == truth.trees[0].score) ++ties;
  EXPECT_EQ(count_optimal(graph, problem).decimal(), std::to_string(ties));
  const std::vector<double> support = optimal_support(graph, problem);
  const std::vector<double> with = max_marginals(graph, problem);
  ASSERT_EQ(support.size(), static_cast<std::size_t>(graph.edges()));
  ASSERT_EQ(with.size(), static_cast<std::size_t>(graph.edges()));
  for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
    const auto has = [&](const Truth::Found& tree) {
      return std::ranges::find(tree.edges, edge) != tree.edges.end();
    };
    const auto end = truth.trees.begin() + static_cast<std::ptrdiff_t>(ties);
    const auto share = static_cast<double>(std::count_if(truth.trees.begin(), end, has));
    const auto place = static_cast<std::size_t>(edge);
    EXPECT_NEAR(support[place], ties == 0 ? 0.0 : share / static_cast<double>(ties), 1e-12);
    const auto found = std::ranges::find_if(truth.trees, has);
    const double none = problem.objective == Objective::minimize ? -kNoWeight : kNoWeight;
    EXPECT_EQ(with[place], found == truth.trees.end() ? none : found->score);
  }
}

void expect_distribution(const UndirectedGraph& graph, Problem problem, const Truth& truth) {
  problem.objective = Objective::maximize;
  const SpanningTreeDistribution trees(graph, problem);
  ASSERT_EQ(trees.empty(), truth.trees.empty());
  if (truth.trees.empty()) return;
  double mass = 0.0;
  std::vector<double> marginals(static_cast<std::size_t>(graph.edges()), 0.0);
  for (const auto& tree : truth.trees) mass += std::exp(tree.score);
  for (const auto& tree : truth.trees)
    for (const EdgeId edge : tree.edges)
      marginals[static_cast<std::size_t>(edge)] += std::exp(tree.score) / mass;
  EXPECT_NEAR(trees.log_partition(), std::log(mass), 1e-12);
  const std::vector<double> found = trees.edge_marginals();
  for (std::size_t edge = 0; edge < marginals.size(); ++edge)
    EXPECT_NEAR(found[edge], marginals[edge], 1e-12);
  const TreeList all = kbest(graph, problem, {.k = 1000});
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    EXPECT_NEAR(trees.log_prob(all.copy(rank)), all.score(rank) - std::log(mass), 1e-12);
  for (const TreeList& drawn : {trees.sample(5, 1), trees.sample_distinct(3, 1)})
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const EdgeSet edges = checked_edges(graph, drawn[i]);
      EXPECT_TRUE(std::ranges::any_of(truth.trees, [&](const auto& tree) {
        return tree.edges == edges && tree.score == drawn.score(i);
      }));
    }
  const auto safest = trees.min_risk();
  ASSERT_TRUE(safest);
  double most = 0.0;
  for (const auto& tree : truth.trees) {
    double sum = 0.0;
    for (const EdgeId edge : tree.edges) sum += marginals[static_cast<std::size_t>(edge)];
    most = std::max(most, sum);
  }
  EXPECT_NEAR(safest->expected_correct, most, 1e-12);
  EXPECT_NEAR(trees.expected_correct(safest->tree.edges), most, 1e-12);
  const EdgeSet edges = checked_edges(graph, ref(safest->tree));
  EXPECT_TRUE(std::ranges::any_of(truth.trees, [&](const auto& tree) {
    return tree.edges == edges && tree.score == safest->tree.score;
  }));
}

void expect_as_listed(const UndirectedGraph& graph, const Problem& problem) {
  const Truth truth(graph, problem);
  expect_list(graph, problem, truth);
  expect_sums(graph, problem, truth);
  expect_distribution(graph, problem, truth);
}

TEST(Undirected, AsAllSetsOfEdges) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    if (testing::left_out(seed)) continue;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Edges edges = random_edges(random);
    Problem problem{.root = seed % 5 == 0 ? RootRule::single : RootRule::any};
    if (seed % 2 == 1) problem.objective = Objective::minimize;
    expect_as_listed(seed % 3 == 0 ? edges.integers() : edges.floats(), problem);
  }
}

// Every second tree of a graph says what to require and to forbid, so that there is a tree, too.
TEST(Undirected, WithWhatIsRequiredAndForbidden) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    if (testing::left_out(seed)) continue;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Edges edges = random_edges(random);
    const UndirectedGraph graph = edges.floats();
    Problem problem{.root = seed % 5 == 0 ? RootRule::single : RootRule::any};
    const TreeList trees = kbest(graph, problem, {.k = 50});
    if (trees.empty()) continue;
    const Tree tree = trees.copy(random() % trees.size());
    for (std::size_t v = 1; v < tree.heads.size(); ++v) {
      const auto node = static_cast<Node>(v);
      const auto what = random() % 4;
      if (what == 0) problem.required_edges.push_back(tree.edges[v]);
      if (what == 1) problem.required.push_back({tree.heads[v], node});
      if (what == 2) problem.required.push_back({node, tree.heads[v]});
    }
    const std::set<EdgeId> kept(tree.edges.begin() + 1, tree.edges.end());
    const auto some = static_cast<EdgeId>(random() % static_cast<std::uint64_t>(graph.edges()));
    if (!kept.contains(some)) problem.forbidden_edges.push_back(some);
    expect_as_listed(graph, problem);
    problem.required.clear(), problem.required_edges.clear();
    problem.forbidden.push_back({tree.heads.back(), static_cast<Node>(tree.heads.size() - 1)});
    if (seed % 2 == 1) problem.objective = Objective::minimize;
    expect_as_listed(graph, problem);
  }
}

// So many edges are not sorted at once. Here the engine is the truth.
TEST(Undirected, TheBestOfManyEdges) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::int64_t most = seed % 2 == 0 ? 20 : 1'000'000'000;
    Edges edges{400, {}, {}, {}};
    for (int i = 0; i < 9000; ++i) {
      edges.ends.push_back(static_cast<Node>(random() % 400));
      edges.other_ends.push_back(static_cast<Node>(random() % 400));
      edges.weights.push_back(static_cast<std::int64_t>(random() % 2'000) * most - 1000 * most);
    }
    const UndirectedGraph graph = seed % 4 < 2 ? edges.integers() : edges.floats();
    Problem problem{.root = seed % 3 == 0 ? RootRule::single : RootRule::any};
    if (seed % 5 < 2) problem.objective = Objective::minimize;
    const auto tree = best(graph, problem);
    ASSERT_TRUE(tree);
    checked_edges(graph, ref(*tree));
    EXPECT_TRUE(obeys(tree->heads, problem.root));
    const TreeList two = kbest(graph, problem, {.k = 2});
    EXPECT_EQ(tree->score, two.score(0));
    if (graph.scalar() == Scalar::int64) EXPECT_EQ(tree->integer_score, two[0].integer_score);
  }
}

// As networkx has it: of edges of the same weight the first one.
TEST(Undirected, TheBestTakesTheFirstOfEqualEdges) {
  const Edges edges{4, {2, 0, 1, 0, 3, 2}, {3, 1, 2, 2, 1, 0}, {1, 1, 1, 1, 1, 1}};
  for (const Objective objective : {Objective::minimize, Objective::maximize}) {
    const auto tree = best(edges.integers(), {.root = RootRule::any, .objective = objective});
    EXPECT_EQ(checked_edges(edges.integers(), ref(*tree)), (EdgeSet{0, 1, 2}));
  }
}

TEST(Undirected, TheBestRefusesWhatListsRefuse) {
  const std::vector<Node> ends{0, 1}, other_ends{1, 2};
  const std::vector<double> huge{1e308, 1.0};
  const std::vector<std::int64_t> large{1LL << 60, 1};
  const auto refused = [](const UndirectedGraph& graph) {
    std::vector<std::string> found;
    for (const std::int64_t k : {1, 2}) try {
        kbest(graph, {.root = RootRule::any}, {.k = k});
      } catch (const Error& error) {
        found.emplace_back(error.what());
      }
    return found;
  };
  for (const auto& graph : {UndirectedGraph::from_edges(3, ends, other_ends, huge),
                            UndirectedGraph::from_edges(3, ends, other_ends, large)}) {
    const std::vector<std::string> found = refused(graph);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0], found[1]);
  }
  const std::vector<double> fine{1.0, 1.0};
  const UndirectedGraph graph = UndirectedGraph::from_edges(3, ends, other_ends, fine);
  EXPECT_THROW(kbest(graph, {.root = RootRule::any}, {.k = 1, .max_gap = -1.0}), Error);
  // The sum of large weights that cancel is exact.
  const std::vector<double> cancelling{1e300, -1e300 + 1e284};
  EXPECT_EQ(
      best(UndirectedGraph::from_edges(3, ends, other_ends, cancelling), {.root = RootRule::any})
          ->score,
      1e300 + (-1e300 + 1e284));
}

// So long a list keeps how its trees differ from one of them.
TEST(Undirected, LongListsOfLargeGraphs) {
  const Node nodes = testing::large(12'000);
  Edges edges{nodes, {}, {}, {}};
  for (Node v = 1; v < nodes; ++v) {
    edges.ends.push_back(v);
    edges.other_ends.push_back(v - 1);
    edges.weights.push_back(1000 + v);
  }
  for (Node v = 2; v < 40; ++v) {  // chords
    edges.ends.push_back(v - 2);
    edges.other_ends.push_back(v);
    edges.weights.push_back(v);
  }
  const UndirectedGraph graph = edges.integers();
  {
    Problem problem{.root = RootRule::any};
    problem.required_edges = {nodes + 10, nodes + 20, 5};
    const TreeList trees = kbest(graph, problem, {.k = 400});
    ASSERT_EQ(trees.size(), 400U);
    std::set<EdgeSet> all;
    for (std::size_t rank = 0; rank < trees.size(); rank += 37) {
      const Tree tree = trees.copy(rank);
      EXPECT_EQ(tree, trees[rank].copy());
      const EdgeSet found = checked_edges(graph, ref(tree));
      std::int64_t sum = 0;
      for (const EdgeId edge : found) sum += graph.integer_weight(edge);
      EXPECT_EQ(sum, tree.integer_score);
      for (const EdgeId edge : problem.required_edges)
        EXPECT_TRUE(std::ranges::binary_search(found, edge));
      EXPECT_TRUE(all.insert(found).second);
    }
  }
}

TEST(Undirected, PartsAndTheirFirstNodes) {
  const Edges edges{6, {1, 4, 3, 2, 5}, {0, 2, 3, 5, 5}, {1, 1, 1, -9, 1}};
  EXPECT_EQ(edges.floats().first_of_each_part(), (std::vector<Node>{0, 2, 3, 5}));
  EXPECT_EQ(edges.integers().first_of_each_part(), (std::vector<Node>{0, 2, 3}));
  EXPECT_TRUE(kbest(edges.integers(), {.root = RootRule::any}, {.k = 3}).empty());
}

std::string message(const Problem& problem) {
  const Edges edges{4, {0, 1, 2, 0, 0}, {1, 2, 0, 3, 1}, {1, 1, 1, 1, 1}};
  try {
    best(edges.integers(), problem);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Undirected, BadConstraintsAreNamed) {
  const RootChoice root = RootRule::any;
  EXPECT_EQ(message({.root = root, .required_edges = {0, 1, 2}}),
            "the required edges form a cycle");
  EXPECT_EQ(message({.root = root, .required_edges = {0, 4}}),
            "required edges 0 and 4 are both 0 - 1");
  EXPECT_EQ(message({.root = root, .required_edges = {5}}),
            "required edge id 5 is not an edge 0..4");
  EXPECT_EQ(message({.root = root, .required = {{3, 0}}, .forbidden = {{0, 3}}}),
            "required edge 0 - 3: it is forbidden too");
  EXPECT_EQ(message({.root = root, .forbidden = {{0, 7}}}),
            "forbidden edge 0 - 7: 7 is not a node 0..3");
  EXPECT_EQ(message({.root = root, .required = {{2, 2}}}),
            "required edge 2 - 2: a tree has no edge from a node to itself");
  EXPECT_EQ(message({.root = root, .rules = {rules::max_depth(2)}}),
            "rules look at heads and children, which an undirected graph does not have");
  EXPECT_EQ(message({.root = root, .required = {{1, 0}, {0, 1}}, .required_edges = {4}}), "");
}

TEST(Undirected, BadEdgesAreNamed) {
  const auto message = [](std::vector<Node> ends, std::vector<double> weights) {
    try {
      UndirectedGraph::from_edges(3, ends, std::vector<Node>{1, 2}, weights);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({0, 3}, {1.0, 1.0}), "edge 1: source 3 is not a node 0..2");
  EXPECT_EQ(message({0, 1}, {1.0, NAN}), "edge 1 (1 -> 2): weight is NaN");
  EXPECT_EQ(message({0}, {1.0, 1.0}),
            "edge arrays differ in length: 1 end, 2 other ends, 2 weights");
}

}  // namespace
}  // namespace coppice
