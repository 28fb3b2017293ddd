// Trees that differ, against a plain choice among all trees of small graphs.
#include <coppice/diverse.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/error.hpp>
#include <functional>

#include "support/brute_force.hpp"
#include "support/generate.hpp"
#include "support/labelled.hpp"

namespace coppice::testing {
namespace {

using Counts = std::function<bool(const Tree&, std::size_t word)>;

std::int32_t distance(const Tree& a, const Tree& b, const Counts& counts) {
  std::int32_t different = 0;
  for (std::size_t v = 1; v < a.heads.size(); ++v)
    different += a.heads[v] != b.heads[v] && counts(a, v) && counts(b, v) ? 1 : 0;
  return different;
}

bool all_count(const Tree& /*tree*/, std::size_t /*word*/) { return true; }

// Every tree is the best of all that are far enough from those before it, and all of them are
// there.
void expect_diverse(Graph graph, const Problem& problem, const DiverseRequest& request,
                    const Counts& counts) {
  const std::vector<Tree> all = brute_force(graph, problem);
  const TreeList found = diverse(graph, problem, request);
  ASSERT_TRUE(found.complete());
  std::vector<Tree> before;
  for (std::size_t rank = 0; rank <= found.size(); ++rank) {
    const auto next = std::ranges::find_if(all, [&](const Tree& tree) {
      return std::ranges::all_of(before, [&](const Tree& other) {
        return distance(tree, other, counts) >= request.distance;
      });
    });
    if (rank == found.size()) {
      ASSERT_TRUE(next == all.end() || std::cmp_equal(rank, request.k));
      return;
    }
    ASSERT_NE(next, all.end());
    before.push_back(found.copy(rank));
    EXPECT_NEAR(found.score(rank), next->score, 1e-9);
    for (std::size_t other = 0; other < rank; ++other)
      EXPECT_GE(distance(before[rank], before[other], counts), request.distance);
  }
}

TEST(Diverse, AgainstAllTrees) {
  std::uint64_t seed = 0;
  for (const Weights weights : {Weights::negative, Weights::small_integers}) {
    for (Node words = 1; words <= 5; ++words) {
      for (std::int32_t apart = 1; apart <= words + 1; ++apart) {
        const Matrix matrix = random_matrix(words, weights, 0.8, ++seed);
        for (const RootRule root : {RootRule::single, RootRule::any})
          for (const Objective objective : {Objective::maximize, Objective::minimize})
            expect_diverse(matrix.view(), {.root = root, .objective = objective},
                           {.k = 4, .distance = apart}, all_count);
      }
    }
  }
}

TEST(Diverse, WordsOfIgnoredLabelsDoNotCount) {
  const LabelledKind kind{.labels = {"punct", "dep", "root"}, .tags = {}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const LabelledSentence sentence(4, kind, seed);
    const auto& names = sentence.facts().label_names;
    if (std::ranges::find(names, "punct") == names.end()) continue;
    const auto counts = [&](const Tree& tree, std::size_t word) {
      return sentence.label({tree.heads, tree.edges}, word) != "punct";
    };
    for (const RootRule root : {RootRule::single, RootRule::any})
      expect_diverse(sentence.graph(), {.root = root},
                     {.k = 3,
                      .distance = 1 + static_cast<std::int32_t>(seed % 3),
                      .ignored_labels = {"punct"}},
                     counts);
  }
}

TEST(Diverse, ABudgetEndsTheListWithABound) {
  const Matrix matrix = random_matrix(12, Weights::equal, 1.0, 1);
  const TreeList found =
      diverse(matrix.view(), {.root = RootRule::any}, {.k = 50, .distance = 12, .budget = 20});
  ASSERT_FALSE(found.complete());
  EXPECT_GE(found.size(), 1U);
  EXPECT_LE(found.bound(), found.score(0) + 1e-9);
}

TEST(Diverse, Errors) {
  const Matrix matrix = random_matrix(3, Weights::equal, 1.0, 1);
  const Problem problem{.root = RootRule::any};
  EXPECT_THROW(diverse(matrix.view(), problem, {.k = 0}), Error);
  EXPECT_THROW(diverse(matrix.view(), problem, {.k = 1, .distance = 0}), Error);
  const Rule rule = rules::differs({Tree{.heads = {-1, 0}, .edges = {}}}, 1);
  EXPECT_THROW(rule.prepare(matrix.view()), Error);
}

}  // namespace
}  // namespace coppice::testing
