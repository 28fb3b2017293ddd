// The answers on the zoo of hostile graphs: against brute force where that is possible, against the
// paper's algorithms beyond.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <coppice/verify.hpp>
#include <ostream>
#include <set>

#include "support/brute_force.hpp"
#include "support/engines.hpp"
#include "zoo/zoo.hpp"

namespace coppice {

namespace zoo {
// For GoogleTest, which finds it by this name.
void PrintTo(const Family& one, std::ostream* out) { *out << one.name; }
}  // namespace zoo

namespace {

constexpr RootRule kRules[] = {RootRule::any, RootRule::single};

TreeList run(Graph graph, RootRule rule, Objective objective, std::size_t k) {
  return kbest(graph, {.root = rule, .objective = objective}, {.k = static_cast<std::int64_t>(k)});
}

// Trees, all different, with the scores that they have, in order.
void expect_sound(Graph graph, RootRule rule, Objective objective, const TreeList& trees) {
  std::set<std::pair<std::vector<Node>, std::vector<EdgeId>>> seen;
  const double sign = objective == Objective::maximize ? 1.0 : -1.0;
  const double rounding = testing::rounding_of(graph);
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    const Tree tree = trees.copy(rank);
    ASSERT_TRUE(is_tree(tree.heads) && obeys(tree.heads, rule)) << "rank " << rank;
    ASSERT_TRUE(seen.insert({tree.heads, tree.edges}).second) << "rank " << rank;
    ASSERT_NEAR(tree.score, testing::exact_score(graph, tree), rounding) << "rank " << rank;
    if (graph.scalar() == Scalar::int64) {
      ASSERT_EQ(tree.integer_score, integer_score(graph, tree.heads, tree.edges));
      const auto above = rank == 0 ? tree.integer_score : trees.integer_scores()[rank - 1];
      ASSERT_TRUE(objective == Objective::maximize ? above >= tree.integer_score
                                                   : above <= tree.integer_score);
    }
    ASSERT_TRUE(rank == 0 || sign * trees.score(rank - 1) >= sign * tree.score) << "rank " << rank;
  }
}

// Those of int64 weights are exact.
void expect_scores(const TreeList& trees, const std::vector<Tree>& truth, double rounding) {
  for (std::size_t rank = 0; rank < trees.size(); ++rank) {
    ASSERT_NEAR(trees.score(rank), truth[rank].score, rounding) << "rank " << rank;
    if (!trees.integer_scores().empty()) {
      ASSERT_EQ(trees.integer_scores()[rank], truth[rank].integer_score) << "rank " << rank;
    }
  }
}

void expect_brute_force(Graph graph, RootRule rule, Objective objective) {
  const auto truth = testing::brute_force(graph, {.root = rule, .objective = objective});
  const std::size_t all = truth.size();
  std::set<std::size_t> limits = {1, 2, 3, 5, 10, 50, 100, all / 2, all, all + 1};
  if (all <= 30)  // every k
    for (std::size_t k = 1; k < all; ++k) limits.insert(k);
  limits.erase(0);
  for (std::size_t k : limits) {
    SCOPED_TRACE("k " + std::to_string(k));
    const TreeList trees = run(graph, rule, objective, k);
    ASSERT_EQ(trees.size(), std::min(k, all));
    expect_scores(trees, truth, testing::rounding_of(graph));
    expect_sound(graph, rule, objective, trees);
  }
}

template <class Algorithm>
void expect_paper(Graph graph, RootRule rule, Objective objective, std::size_t limit) {
  std::vector<Tree> truth;
  Algorithm paper(graph, objective);
  while (truth.size() < limit) {
    auto tree = paper.next();
    if (!tree) break;
    truth.push_back(std::move(*tree));
  }
  const double rounding = testing::rounding_of(graph) + testing::rounding_of_plain_sums(graph);
  for (std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{7}, limit}) {
    SCOPED_TRACE("k " + std::to_string(k));
    const TreeList trees = run(graph, rule, objective, k);
    ASSERT_EQ(trees.size(), std::min(k, truth.size()));
    expect_scores(trees, truth, rounding);
    expect_sound(graph, rule, objective, trees);
  }
}

class Zoo : public ::testing::TestWithParam<zoo::Family> {};

std::string where(Node words, RootRule rule) {
  return std::to_string(words) + (rule == RootRule::any ? " words, any root" : " words, one root");
}

TEST_P(Zoo, SmallAgainstBruteForce) {
  for (Node words = 2; words <= 7; ++words) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto specimen = GetParam().make(words, seed);
      if (testing::choices(specimen.graph()) > 2e4) return;
      for (RootRule rule : kRules) {
        SCOPED_TRACE(where(words, rule) + ", seed " + std::to_string(seed));
        expect_brute_force(specimen.graph(), rule, GetParam().objective);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Zoo, MiddlingAgainstThePaper) {
  for (Node words : {9, 15, 30}) {
    const auto specimen = GetParam().make(words, 4);
    SCOPED_TRACE(where(words, RootRule::any));
    expect_paper<paper::KBest>(specimen.graph(), RootRule::any, GetParam().objective, 50);
    SCOPED_TRACE(where(words, RootRule::single));
    expect_paper<paper::KBestDep>(specimen.graph(), RootRule::single, GetParam().objective, 50);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Zoo, ::testing::ValuesIn(zoo::families()), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// One tree is found by a shorter way than the first of several.
TEST(LargeZoo, OneTreeIsTheFirstOfTwo) {
  Decoder decoder;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto specimen = zoo::family("sparse-random").make(1000, seed);
    const Problem problem{.root = RootRule::single};
    TreeList one, two;
    decoder.best(specimen.graph(), problem, one);
    decoder.kbest(specimen.graph(), problem, {.k = 2}, two);
    ASSERT_EQ(one.size(), 1u);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(one.score(0), two.score(0)) << seed;
  }
}

}  // namespace
}  // namespace coppice
