#include "support/engines.hpp"

#include <gtest/gtest.h>

#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <set>

#include "support/brute_force.hpp"

namespace coppice::testing {
namespace {

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

template <class Algorithm>
std::vector<Tree> paper_run(Graph graph, Objective objective, std::size_t limit) {
  return drain(Algorithm(graph, objective), limit);
}

template <RootRule rule>
std::vector<Tree> fast_run(Graph graph, Objective objective, std::size_t limit) {
  auto trees = kbest(graph, {.root = rule,
                             .k = static_cast<std::int64_t>(std::max<std::size_t>(limit, 1)),
                             .objective = objective});
  std::vector<Tree> copies;
  for (std::size_t rank = 0; rank < std::min(limit, trees.size()); ++rank)
    copies.push_back(trees[rank].copy());
  return copies;
}

template <RootRule rule>
std::vector<Tree> stream_run(Graph graph, Objective objective, std::size_t limit) {
  return drain(TreeStream(graph, {.root = rule, .objective = objective}), limit);
}

double tree_score(Graph graph, const Tree& tree) {
  double sum = 0.0;
  for (Node v = 1; v < graph.nodes(); ++v) {
    auto at = static_cast<std::size_t>(v);
    if (graph.dense() != nullptr) {
      sum += graph.dense()->weight(tree.heads[at], v);
    } else {
      EXPECT_EQ(graph.multigraph()->source(tree.edges[at]), tree.heads[at]);
      EXPECT_EQ(graph.multigraph()->target(tree.edges[at]), v);
      sum += graph.multigraph()->weight(tree.edges[at]);
    }
  }
  return sum;
}

bool valid(const Tree& tree, RootRule rule) {
  std::size_t at_root = 0;
  for (std::size_t v = 1; v < tree.heads.size(); ++v) {
    at_root += tree.heads[v] == 0 ? 1 : 0;
    auto up = v;
    for (std::size_t steps = 0; up != 0; ++steps) {
      if (steps > tree.heads.size()) return false;
      up = static_cast<std::size_t>(tree.heads[up]);
    }
  }
  return tree.heads[0] == -1 && (rule == RootRule::any || at_root == 1);
}

void expect_sound(Graph graph, const Engine& engine, const std::vector<Tree>& trees) {
  std::set<std::pair<std::vector<Node>, std::vector<EdgeId>>> seen;
  for (const Tree& tree : trees) {
    EXPECT_TRUE(valid(tree, engine.rule));
    EXPECT_TRUE(seen.insert({tree.heads, tree.edges}).second) << "a tree twice";
    if (graph.scalar() != Scalar::int64) {
      EXPECT_EQ(tree.score, tree_score(graph, tree));
    }
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

// An engine that knows the limit in advance works differently for each.
std::vector<std::size_t> limits(const Engine& engine, std::size_t all) {
  if (!engine.plans_ahead) return {all + 1};
  return {1, 2, 3, 5, 10, 1 + all / 2, all + 1};
}

}  // namespace

const std::vector<Engine>& engines() {
  static const std::vector<Engine> table = {
      {"paper::KBest", RootRule::any, paper_run<paper::KBest>},
      {"paper::Camerini", RootRule::any, paper_run<paper::Camerini>},
      {"paper::KBestDep", RootRule::single, paper_run<paper::KBestDep>},
      {"paper::NaiveDep", RootRule::single, paper_run<paper::NaiveDep>},
      {"kbest any", RootRule::any, fast_run<RootRule::any>, true},
      {"kbest single", RootRule::single, fast_run<RootRule::single>, true},
      {"TreeStream any", RootRule::any, stream_run<RootRule::any>},
      {"TreeStream single", RootRule::single, stream_run<RootRule::single>},
  };
  return table;
}

void expect_brute_force(Graph graph, const std::string& where) {
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
          EXPECT_EQ(scores_of(trees), scores_of(expected)) << "limit " << limit;
          EXPECT_EQ(integers_of(trees), integers_of(expected)) << "limit " << limit;
          expect_sound(graph, engine, trees);
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

void expect_agreement(Graph graph, std::size_t limit, const std::string& where) {
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    std::vector<double> first;
    bool have_first = false;
    for (const Engine& engine : engines()) {
      if (engine.rule != rule) continue;
      SCOPED_TRACE(engine.name + ", " + where);
      auto trees = engine.run(graph, Objective::maximize, limit);
      expect_sound(graph, engine, trees);
      if (!have_first) first = scores_of(trees);
      have_first = true;
      EXPECT_EQ(scores_of(trees), first);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace coppice::testing
