#include "support/engines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/engines.hpp>
#include <coppice/kbest.hpp>
#include <coppice/verify.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "engine/pipeline.hpp"
#include "engine/stream.hpp"
#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"

namespace coppice::testing {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLookahead = 256;  // of a stream

std::vector<Tree> copies(const TreeList& list) {
  std::vector<Tree> trees;
  for (std::size_t rank = 0; rank < list.size(); ++rank) {
    trees.push_back(list.copy(rank));
    EXPECT_EQ(trees.back(), list[rank].copy());  // a list of changes, laid out
  }
  return trees;
}

template <class Stream>
std::vector<Tree> drain(Stream stream, std::size_t limit) {
  std::vector<Tree> trees;
  while (trees.size() < limit) {
    auto tree = stream.next();
    if (!tree) break;
    trees.push_back(std::move(*tree));
  }
  return trees;
}

Engine engine_of(const coppice::Engine& engine, RootRule rule) {
  const auto run = [&engine, rule](Graph graph, Objective objective, std::size_t limit) {
    Decoder decoder;
    TreeList trees;
    engine.kbest(decoder, graph, {.root = rule, .objective = objective},
                 {.k = static_cast<std::int64_t>(limit)}, trees);
    return copies(trees);
  };
  return {"paper, " + std::string(engine.name), rule, run};
}

// The engine with every one of its ways forced: sizes that tests can afford would else never take
// some of them.
struct Tuned {
  std::string name;
  std::optional<engine::Tuning> tuning;
  std::size_t stream_sorts = kLookahead;
  std::shared_ptr<engine::Pipeline> pipeline = {};  // with the tuning, used again and again

  std::vector<Tree> list(Graph graph, const Which& which, const HowMany& how_many) const {
    if (!tuning) return copies(kbest(graph, which, how_many));
    TreeList trees;
    TreeBuilder(trees).reset(graph);
    if (pipeline->solve(graph, which)) pipeline->kbest(how_many, trees);
    return copies(trees);
  }

  std::vector<Tree> stream(Graph graph, const Which& which, const HowMany& how_many,
                           std::size_t limit) const {
    if (!tuning) return drain(TreeStream(graph, which, how_many), limit);
    engine::Stream trees(graph, which, how_many, *tuning);
    return drain<engine::Stream&>(trees, limit);
  }
};

// The way by the kernel, also where a shorter one would do.
engine::Tuning kernel_only() {
  engine::Tuning tuning;
  tuning.most_greedy = 0;
  return tuning;
}

engine::Tuning best_first() {
  engine::Tuning tuning;
  tuning.few_trees = tuning.most_greedy = std::numeric_limits<std::int64_t>::max();
  tuning.dead_ends = 1 << 20;
  return tuning;
}

engine::Tuning combinations() {
  engine::Tuning tuning;
  tuning.few_trees = 0;
  tuning.combinations = 1 << 16;
  return tuning;
}

engine::Tuning queue_only() {
  engine::Tuning tuning = kernel_only();
  tuning.states = tuning.states_per_tree = 0;
  tuning.contracted_states = tuning.contracted_states_per_tree = 0;
  tuning.most_parts = 1;
  tuning.stream_states_per_tree = 0;
  tuning.few_legal = 0;
  tuning.most_projective = 0;
  return tuning;
}

engine::Tuning thresholds_zero() {
  engine::Tuning tuning = kernel_only();
  tuning.small_graph = 0;
  tuning.few_edges = 0;
  tuning.most_guesses = 0;
  tuning.small_kernel = 0;
  tuning.most_rounds = 1;
  tuning.most_nested = 0;
  tuning.most_tied_in_sweep = tuning.most_tied_in_queue = 0;
  tuning.projective_trees = 0;
  tuning.small_table = 0;
  tuning.sum_block = 1;
  tuning.few_scores = tuning.many_scores = 0;
  return tuning;
}

engine::Tuning compact_lists() {
  engine::Tuning tuning;
  tuning.long_list = 0;
  return tuning;
}

const std::vector<Tuned>& tunings() {
  static const std::vector<Tuned> table = [] {
    std::vector<Tuned> all = {
        {"", std::nullopt},
        {", kernel only", kernel_only()},
        {", best first", best_first()},
        {", combinations", combinations()},
        {", queue only", queue_only()},
        {", thresholds 0", thresholds_zero(), 0},
        {", compact lists", compact_lists()},
    };
    for (Tuned& tuned : all)
      if (tuned.tuning) tuned.pipeline = std::make_shared<engine::Pipeline>(*tuned.tuning);
    return all;
  }();
  return table;
}

void add_tuned(const Tuned& tuned, std::vector<Engine>& table) {
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    const std::string of = (rule == RootRule::any ? " any" : " single") + tuned.name;
    auto list_run = [&tuned, rule](Graph graph, Objective objective, std::size_t limit) {
      return tuned.list(graph, {.root = rule, .objective = objective},
                        {.k = static_cast<std::int64_t>(limit)});
    };
    auto stream_run = [&tuned, rule](Graph graph, Objective objective, std::size_t limit) {
      return tuned.stream(graph, {.root = rule, .objective = objective}, {}, limit);
    };
    const bool shipped = !tuned.tuning;
    table.push_back(
        {"kbest" + of, rule, list_run,
         shipped ? std::vector<std::size_t>{1, 2, 3, 5, 10} : std::vector<std::size_t>{2}, kAll});
    table.push_back({"TreeStream" + of, rule, stream_run, {}, tuned.stream_sorts});
  }
}

std::int64_t integer_weight(Graph graph, const Tree& tree, Node v) {
  auto at = static_cast<std::size_t>(v);
  return graph.dense() != nullptr ? graph.dense()->at<std::int64_t>(tree.heads[at], v)
                                  : graph.multigraph()->integer_weight(tree.edges[at]);
}

double weight(Graph graph, const Tree& tree, Node v) {
  auto at = static_cast<std::size_t>(v);
  return graph.dense() != nullptr ? graph.dense()->weight(tree.heads[at], v)
                                  : graph.multigraph()->weight(tree.edges[at]);
}

// The scores that a tree reports are those of its edges.
void expect_score_of_edges(Graph graph, const Tree& tree) {
  const bool integral = graph.scalar() == Scalar::int64;
  double sum = 0.0;
  std::int64_t integer_sum = 0;
  for (Node v = 1; v < graph.nodes(); ++v) {
    auto at = static_cast<std::size_t>(v);
    if (graph.multigraph() != nullptr) {
      ASSERT_EQ(graph.multigraph()->source(tree.edges[at]), tree.heads[at]);
      ASSERT_EQ(graph.multigraph()->target(tree.edges[at]), v);
    }
    if (integral)
      integer_sum += integer_weight(graph, tree, v);
    else
      sum += weight(graph, tree, v);
  }
  EXPECT_EQ(tree.integer_score, integer_sum);
  EXPECT_EQ(tree.score, integral ? static_cast<double>(integer_sum) : sum);
}

void expect_sound(Graph graph, RootRule rule, const std::vector<Tree>& trees) {
  // Hashes, for the trees themselves may be large; that two of them are equal by chance will not
  // be.
  std::unordered_set<std::size_t> seen;
  auto hash = [](const auto& list) {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0])});
  };
  for (const Tree& tree : trees) {
    ASSERT_TRUE(is_tree(tree.heads) && obeys(tree.heads, rule));
    EXPECT_TRUE(seen.insert(tree.edges.empty() ? hash(tree.heads) : hash(tree.edges)).second)
        << "a tree twice";
    expect_score_of_edges(graph, tree);
  }
}

std::vector<double> scores_of(const std::vector<Tree>& trees) {
  std::vector<double> scores;
  for (const Tree& tree : trees) scores.push_back(tree.score);
  return scores;
}

std::vector<std::int64_t> integers_of(const std::vector<Tree>& trees) {
  std::vector<std::int64_t> scores;
  for (const Tree& tree : trees) scores.push_back(tree.integer_score);
  return scores;
}

// No tree is better by more than `rounding` than the one before it.
bool sorted(const std::vector<Tree>& trees, Objective objective, double rounding) {
  return std::is_sorted(trees.begin(), trees.end(), [&](const Tree& a, const Tree& b) {
    return (objective == Objective::maximize ? a.score - b.score : b.score - a.score) > rounding;
  });
}

void expect_scores(const std::vector<Tree>& trees, const std::vector<Tree>& expected,
                   double rounding) {
  if (rounding == 0.0) {
    EXPECT_EQ(scores_of(trees), scores_of(expected));
    EXPECT_EQ(integers_of(trees), integers_of(expected));
    return;
  }
  ASSERT_EQ(trees.size(), expected.size());
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    EXPECT_NEAR(trees[rank].score, expected[rank].score, rounding) << "rank " << rank;
}

// And half of them.
std::vector<std::size_t> limits(const Engine& engine, std::size_t all) {
  std::vector<std::size_t> list = engine.limits;
  if (!list.empty()) list.push_back(1 + all / 2);
  list.push_back(all + 1);
  return list;
}

}  // namespace

const std::vector<Engine>& engines() {
  static const std::vector<Engine> table = [] {
    std::vector<Engine> rows;
    for (const coppice::Engine& engine : coppice::engines())
      for (RootRule rule : {RootRule::any, RootRule::single})
        if (engine.name != "fast" && engine.knows(rule)) rows.push_back(engine_of(engine, rule));
    for (const Tuned& tuned : tunings()) add_tuned(tuned, rows);
    return rows;
  }();
  return table;
}

void expect_brute_force(Graph graph, const std::string& where, double rounding) {
  for (Objective objective : {Objective::maximize, Objective::minimize}) {
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      auto truth = brute_force(graph, {.root = rule, .objective = objective});
      for (const Engine& engine : engines()) {
        if (engine.rule != rule) continue;
        SCOPED_TRACE(engine.name + (objective == Objective::minimize ? ", minimize" : "") + ", " +
                     where);
        for (std::size_t limit : limits(engine, truth.size())) {
          auto trees = engine.run(graph, objective, limit);
          std::vector<Tree> expected(
              truth.begin(),
              truth.begin() + static_cast<std::ptrdiff_t>(std::min(limit, truth.size())));
          SCOPED_TRACE("limit " + std::to_string(limit));
          expect_scores(trees, expected, rounding);
          expect_sound(graph, engine.rule, trees);
          EXPECT_TRUE(sorted(trees, objective, truth.size() <= engine.sorts ? 0.0 : rounding));
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

void expect_agreement(Graph graph, std::size_t limit, const std::string& where, double rounding) {
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    std::vector<Tree> first;
    bool have_first = false;
    for (const Engine& engine : engines()) {
      if (engine.rule != rule) continue;
      SCOPED_TRACE(engine.name + ", " + where);
      auto trees = engine.run(graph, Objective::maximize, limit);
      expect_sound(graph, rule, trees);
      if (!have_first) first = trees;
      have_first = true;
      expect_scores(trees, first, rounding);
      EXPECT_TRUE(sorted(trees, Objective::maximize, engine.sorts == kAll ? 0.0 : rounding));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

void expect_known(Graph graph, RootRule rule, const std::vector<std::int64_t>& scores, double unit,
                  const std::string& where, bool paper_too) {
  for (const Engine& engine : engines()) {
    if (engine.rule != rule || (engine.name.starts_with("paper") && !paper_too)) continue;
    SCOPED_TRACE(engine.name + ", " + where);
    const auto trees =
        engine.run(graph, Objective::maximize, std::max<std::size_t>(1, scores.size()));
    ASSERT_EQ(trees.size(), scores.size());
    for (std::size_t rank = 0; rank < trees.size(); ++rank) {
      const double expected = unit * static_cast<double>(scores[rank]);
      if (graph.scalar() == Scalar::int64)
        ASSERT_EQ(trees[rank].integer_score, static_cast<std::int64_t>(unit) * scores[rank])
            << "rank " << rank;
      else
        ASSERT_NEAR(trees[rank].score, expected, 1e-12 * std::abs(expected)) << "rank " << rank;
    }
    expect_sound(graph, rule, trees);
    if (::testing::Test::HasFailure()) return;
  }
}

namespace {

void expect_constraints(const Which& which, const std::vector<Tree>& trees) {
  for (const Tree& tree : trees) {
    for (Arc arc : which.required)
      EXPECT_EQ(tree.heads[static_cast<std::size_t>(arc.dependent)], arc.head);
    for (Arc arc : which.forbidden)
      EXPECT_NE(tree.heads[static_cast<std::size_t>(arc.dependent)], arc.head);
  }
}

void expect_tuned(const Tuned& tuned, Graph graph, const Which& which, const HowMany& how_many,
                  const std::vector<Tree>& expected, double rounding) {
  HowMany counted = how_many;
  if (!counted.k && !counted.max_gap) counted.k = 1'000'000;
  const auto listed = tuned.list(graph, which, counted);
  const auto streamed = tuned.stream(graph, which, how_many, expected.size() + 1);
  for (const auto* answer : {&listed, &streamed}) {
    SCOPED_TRACE((answer == &listed ? "kbest" : "TreeStream") + tuned.name);
    const std::vector<Tree>& trees = *answer;
    expect_scores(trees, expected, rounding);
    expect_sound(graph, which.root, trees);
    const bool in_order = answer == &listed || expected.size() <= tuned.stream_sorts;
    EXPECT_TRUE(sorted(trees, which.objective, in_order ? 0.0 : rounding));
    expect_constraints(which, trees);
  }
}

// Of every edge that is there, and could be in a tree if the graph is dense.
template <class Look>
void for_each_weight(Graph graph, const Look& look) {
  if (const Multigraph* edges = graph.multigraph()) {
    for (EdgeId e = 0; e < edges->edges(); ++e) look(edges->target(e), edges->weight(e));
    return;
  }
  for (Node h = 0; h < graph.nodes(); ++h)
    for (Node d = 1; d < graph.nodes(); ++d)
      if (const double weight = h == d ? kNoWeight : graph.dense()->weight(h, d);
          weight != kNoWeight)
        look(d, weight);
}

}  // namespace

void expect_tuned(const engine::Tuning& tuning, Graph graph, const Which& which,
                  const HowMany& how_many, const std::vector<Tree>& expected, double rounding) {
  const Tuned tuned{", tuned", tuning, 0, std::make_shared<engine::Pipeline>(tuning)};
  expect_tuned(tuned, graph, which, how_many, expected, rounding);
}

void expect_certified(Graph graph) {
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    for (Objective objective : {Objective::maximize, Objective::minimize}) {
      const Which which{.root = rule, .objective = objective};
      const auto certified = certified_best(graph, which);
      ASSERT_EQ(certified.has_value(), best(graph, which).has_value());
      if (!certified) continue;
      EXPECT_EQ(check_certificate(graph, which, certified->tree, certified->certificate), "");
    }
  }
}

double rounding_of(Graph graph) {
  if (graph.scalar() == Scalar::int64) return 0.0;
  double largest = 0.0;
  for_each_weight(graph, [&](Node, double weight) {
    if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
  });
  // Of sums of few terms, and of many, where each addition may round.
  const double words = graph.words();
  return std::max(0x1p-47, 0x1p-53 * words) * words * largest;
}

double choices(Graph graph) {
  std::vector<double> heads(static_cast<std::size_t>(graph.nodes()), 0.0);
  for_each_weight(graph,
                  [&](Node target, double) { heads[static_cast<std::size_t>(target)] += 1; });
  double product = 1.0;
  for (std::size_t v = 1; v < heads.size(); ++v) product *= heads[v];
  return product;
}

void expect_trees(Graph graph, const Which& which, const HowMany& how_many,
                  const std::string& where, double rounding) {
  SCOPED_TRACE(where);
  auto truth = brute_force(graph, which, how_many);
  for (const Tuned& tuned : tunings()) expect_tuned(tuned, graph, which, how_many, truth, rounding);
  auto first = best(graph, which);
  ASSERT_EQ(first.has_value(), !truth.empty());
  if (first) expect_scores({*first}, {truth[0]}, rounding);
}

}  // namespace coppice::testing
