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
#include <utility>

#include "engine/plan/exact_trees.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/stream.hpp"
#include "graph/tree_builder.hpp"
#include "support/brute_force.hpp"

namespace coppice::testing {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 30;

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
  return {"paper, " + std::string(engine.name), rule, run, {}, true, true};
}

// The exact way, which the engine goes where float64 cannot hold weights as whole numbers.
std::vector<Tree> list_exactly(Graph graph, const Problem& problem, const Request& request) {
  std::vector<Tree> trees;
  if (engine::TreeSolver().solve(graph, problem, false) == engine::TreeSolver::Answer::none)
    return trees;  // whoever looks at the weights throws for bad ones
  engine::Legality legality;
  legality.prepare(graph, problem.rules);
  const auto exact =
      engine::exact_trees(graph, problem, {}, problem.rules.empty() ? nullptr : &legality);
  if (exact == nullptr) return trees;
  const double max_gap = request.max_gap.value_or(std::numeric_limits<double>::infinity());
  const std::int64_t k = request.k.value_or(kMany);
  engine::TreeEdits edits;
  while (std::cmp_less(trees.size(), k) && exact->next(max_gap, edits)) {
    Tree& tree = trees.emplace_back();
    tree.heads.assign(exact->heads().begin(), exact->heads().end());
    tree.edges.assign(exact->edges().begin(), exact->edges().end());
    for (const engine::Edit& edit : edits[edits.size() - 1]) {
      tree.heads[static_cast<std::size_t>(edit.node)] = edit.head;
      if (!tree.edges.empty()) tree.edges[static_cast<std::size_t>(edit.node)] = edit.edge;
    }
    tree.score = exact_score(graph, tree);
    tree.integer_score = exact_integer_score(graph, tree);
  }
  return trees;
}

// The engine with every one of its ways forced: sizes that tests can afford would else never take
// some of them.
struct Tuned {
  std::string name;
  std::optional<engine::Tuning> tuning;
  bool exact = false;
  std::shared_ptr<engine::Planner> planner = {};  // with the tuning, used again and again

  std::vector<Tree> list(Graph graph, const Problem& problem, const Request& request) const {
    if (exact) return list_exactly(graph, problem, request);
    if (!tuning) return copies(kbest(graph, problem, request));
    TreeList trees;
    TreeBuilder(trees).reset(graph);
    if (planner->solve(graph, problem, true)) planner->kbest(request, trees);
    return copies(trees);
  }

  std::vector<Tree> stream(Graph graph, const Problem& problem, const Request& request,
                           std::size_t limit) const {
    if (!tuning) return drain(TreeStream(graph, problem, request), limit);
    engine::Stream trees(graph, problem, request, *tuning);
    return drain<engine::Stream&>(trees, limit);
  }
};

// The way by the reduced graph, also where a shorter one would do.
engine::Tuning reduced_only() {
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
  engine::Tuning tuning = reduced_only();
  tuning.states = tuning.states_per_tree = 0;
  tuning.most_parts = 1;
  tuning.stream_states_per_tree = 0;
  tuning.few_legal = 0;
  tuning.most_projective = 0;
  return tuning;
}

engine::Tuning whole_graph() {
  engine::Tuning tuning = queue_only();
  tuning.most_candidates = tuning.candidates_per_tree = 0;
  tuning.edges_per_candidate = std::size_t{1} << 40;
  return tuning;
}

engine::Tuning thresholds_zero() {
  engine::Tuning tuning = reduced_only();
  tuning.most_guesses = 0;
  tuning.most_rounds = 1;
  tuning.most_nested = 0;
  tuning.projective_trees = 0;
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
        {", reduced only", reduced_only()},
        {", best first", best_first()},
        {", combinations", combinations()},
        {", queue only", queue_only()},
        {", whole graph", whole_graph()},
        {", thresholds 0", thresholds_zero()},
        {", compact lists", compact_lists()},
        {", exact", std::nullopt, true},
    };
    for (Tuned& tuned : all)
      if (tuned.tuning) tuned.planner = std::make_shared<engine::Planner>(*tuned.tuning);
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
    const bool shipped = !tuned.tuning && !tuned.exact;
    table.push_back(
        {"kbest" + of, rule, list_run,
         shipped ? std::vector<std::size_t>{1, 2, 3, 5, 10} : std::vector<std::size_t>{2}, false,
         tuned.exact});
    if (!tuned.exact) table.push_back({"TreeStream" + of, rule, stream_run});
  }
}

// The scores that a tree reports are those of its edges.
void expect_score_of_edges(Graph graph, const Tree& tree, const Rounding& rounding) {
  for (Node v = 1; v < graph.nodes() && graph.multigraph() != nullptr; ++v) {
    auto at = static_cast<std::size_t>(v);
    ASSERT_EQ(graph.multigraph()->source(tree.edges[at]), tree.heads[at]);
    ASSERT_EQ(graph.multigraph()->target(tree.edges[at]), v);
  }
  EXPECT_EQ(tree.integer_score, exact_integer_score(graph, tree));
  EXPECT_NEAR(tree.score, exact_score(graph, tree), rounding.of(graph, tree));
}

void expect_sound(Graph graph, RootRule rule, const std::vector<Tree>& trees,
                  const Rounding& rounding) {
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
    expect_score_of_edges(graph, tree, rounding);
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

void expect_scores(Graph graph, const std::vector<Tree>& trees, const std::vector<Tree>& expected,
                   const Rounding& rounding) {
  if (rounding.none()) {
    EXPECT_EQ(scores_of(trees), scores_of(expected));
    EXPECT_EQ(integers_of(trees), integers_of(expected));
    return;
  }
  ASSERT_EQ(trees.size(), expected.size());
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    EXPECT_NEAR(trees[rank].score, expected[rank].score, rounding.of(graph, expected[rank]))
        << "rank " << rank;
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

void expect_brute_force(Graph graph, const std::string& where, std::optional<Rounding> given) {
  const Rounding rounding = given.value_or(rounding_of(graph));
  const double of_paper = std::max(rounding.plain, rounding_of_plain_sums(graph));
  for (Objective objective : {Objective::maximize, Objective::minimize}) {
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      auto truth = brute_force(graph, {.root = rule, .objective = objective});
      for (const Engine& engine : engines()) {
        if (engine.rule != rule) continue;
        SCOPED_TRACE(engine.name + (objective == Objective::minimize ? ", minimize" : "") + ", " +
                     where);
        const Rounding allowed = engine.paper  ? Rounding(of_paper)
                                 : engine.slow ? Rounding()
                                               : rounding;
        for (std::size_t limit : limits(engine, truth.size())) {
          auto trees = engine.run(graph, objective, limit);
          std::vector<Tree> expected(
              truth.begin(),
              truth.begin() + static_cast<std::ptrdiff_t>(std::min(limit, truth.size())));
          SCOPED_TRACE("limit " + std::to_string(limit));
          expect_scores(graph, trees, expected, allowed);
          expect_sound(graph, engine.rule, trees, allowed);
          EXPECT_TRUE(sorted(trees, objective, engine.paper ? of_paper : 0.0));
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

void expect_agreement(Graph graph, std::size_t limit, const std::string& where,
                      std::optional<Rounding> given) {
  const Rounding rounding = given.value_or(rounding_of(graph));
  const double of_paper = rounding.plain + rounding_of_plain_sums(graph);
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    const auto truth = list_exactly(graph, {.root = rule}, {.k = static_cast<std::int64_t>(limit)});
    for (const Engine& engine : engines()) {
      if (engine.rule != rule) continue;
      SCOPED_TRACE(engine.name + ", " + where);
      const Rounding allowed = engine.paper  ? Rounding(of_paper)
                               : engine.slow ? Rounding()
                                             : rounding;
      const auto trees = engine.run(graph, Objective::maximize, limit);
      expect_sound(graph, rule, trees, allowed);
      expect_scores(graph, trees, truth, allowed);
      EXPECT_TRUE(sorted(trees, Objective::maximize, engine.paper ? of_paper : 0.0));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

void expect_known(Graph graph, RootRule rule, const std::vector<std::int64_t>& scores, double unit,
                  const std::string& where, bool slow_too) {
  const double rounding = rounding_of(graph) + rounding_of_plain_sums(graph);
  for (const Engine& engine : engines()) {
    if (engine.rule != rule || (engine.slow && !slow_too)) continue;
    SCOPED_TRACE(engine.name + ", " + where);
    const auto trees =
        engine.run(graph, Objective::maximize, std::max<std::size_t>(1, scores.size()));
    ASSERT_EQ(trees.size(), scores.size());
    for (std::size_t rank = 0; rank < trees.size(); ++rank) {
      const double expected = unit * static_cast<double>(scores[rank]);
      if (graph.scalar() == Scalar::int64)
        ASSERT_EQ(trees[rank].integer_score, static_cast<std::int64_t>(unit) * scores[rank])
            << "rank " << rank;
      else if (rounding == 0.0)
        ASSERT_EQ(trees[rank].score, expected) << "rank " << rank;
      else
        ASSERT_NEAR(trees[rank].score, expected, rounding) << "rank " << rank;
    }
    expect_sound(graph, rule, trees, rounding);
    if (::testing::Test::HasFailure()) return;
  }
}

namespace {

void expect_constraints(const Problem& problem, const std::vector<Tree>& trees) {
  for (const Tree& tree : trees) {
    for (Arc arc : problem.required)
      EXPECT_EQ(tree.heads[static_cast<std::size_t>(arc.dependent)], arc.head);
    for (Arc arc : problem.forbidden)
      EXPECT_NE(tree.heads[static_cast<std::size_t>(arc.dependent)], arc.head);
  }
}

void expect_tuned(const Tuned& tuned, Graph graph, const Problem& problem, const Request& request,
                  const std::vector<Tree>& expected, const Rounding& rounding) {
  Request counted = request;
  if (!counted.k && !counted.max_gap) counted.k = 1'000'000;
  for (bool streamed : {false, true}) {
    if (streamed && tuned.exact) return;
    SCOPED_TRACE((streamed ? "TreeStream" : "kbest") + tuned.name);
    const auto trees = streamed ? tuned.stream(graph, problem, request, expected.size() + 1)
                                : tuned.list(graph, problem, counted);
    const Rounding allowed = tuned.exact ? 0.0 : rounding;
    expect_scores(graph, trees, expected, allowed);
    expect_sound(graph, problem.root, trees, allowed);
    EXPECT_TRUE(sorted(trees, problem.objective, 0.0));
    expect_constraints(problem, trees);
  }
}

}  // namespace

void expect_tuned(const engine::Tuning& tuning, Graph graph, const Problem& problem,
                  const Request& request, const std::vector<Tree>& expected,
                  const Rounding& rounding) {
  const Tuned tuned{", tuned", tuning, false, std::make_shared<engine::Planner>(tuning)};
  expect_tuned(tuned, graph, problem, request, expected, rounding);
}

void expect_certified(Graph graph) {
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    for (Objective objective : {Objective::maximize, Objective::minimize}) {
      const Problem problem{.root = rule, .objective = objective};
      const auto certified = certified_best(graph, problem);
      ASSERT_EQ(certified.has_value(), best(graph, problem).has_value());
      if (!certified) continue;
      EXPECT_EQ(check_certificate(graph, problem, certified->tree, certified->certificate), "");
    }
  }
}

void expect_trees(Graph graph, const Problem& problem, const Request& request,
                  const std::string& where, std::optional<Rounding> given) {
  SCOPED_TRACE(where);
  const Rounding rounding = given.value_or(rounding_of(graph));
  auto truth = brute_force(graph, problem, request);
  for (const Tuned& tuned : tunings())
    expect_tuned(tuned, graph, problem, request, truth, rounding);
  auto first = best(graph, problem);
  ASSERT_EQ(first.has_value(), !truth.empty());
  if (first) expect_scores(graph, {*first}, {truth[0]}, rounding);
}

}  // namespace coppice::testing
