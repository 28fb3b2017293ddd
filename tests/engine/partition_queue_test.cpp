// The partition queue alone, in every kind of number: all trees, in order, each once, for no more
// than three solves a tree.
#include "engine/partition/partition_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/paper.hpp>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "engine/solve/read_edges.hpp"
#include "engine/solve/tree_solver.hpp"
#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Matrix;
using testing::Weights;

struct Listed {
  std::vector<double> gaps;  // in the weights
  bool distinct = true, in_order = true;
  std::int64_t solves = 0;
};

// At most k trees.
template <class W, class ValueOf>
Listed list(Sparse<W>& lists, Graph graph, std::size_t k, ValueOf value_of) {
  ListedGraph<W> listed_graph;
  listed_graph.list_whole(lists, graph);
  PartitionQueue<W> queue(Tuning{});
  queue.start(listed_graph, highest<W>(), nullptr);
  Listed listed;
  std::set<std::vector<Slot>> seen;
  W last{};
  while (listed.gaps.size() < k && queue.next(highest<W>())) {
    const W gap = queue.gap();
    listed.in_order = listed.in_order && !(gap < last);
    last = gap;
    listed.gaps.push_back(value_of(gap));
    std::vector<Slot> tree;
    for (Node v = 1; v < lists.nodes(); ++v) tree.push_back(lists.tree(v));
    listed.distinct = seen.insert(tree).second && listed.distinct;
  }
  listed.solves = queue.solves();
  return listed;
}

Listed list_in_units(const Matrix& matrix, RootRule rule, std::size_t k) {
  TreeSolver solver;
  if (solver.solve(matrix.view(), {.root = rule}, true) != TreeSolver::Answer::tree) return {};
  const double unit = solver.scale().unit;
  return list(solver.whole(), matrix.view(), k, [&](double gap) { return gap * unit; });
}

template <class W>
Listed list_exactly(const Matrix& matrix, RootRule rule, std::size_t k) {
  const Problem problem{.root = rule};
  Constraints constraints;
  constraints.load(matrix.view(), problem);
  const Digits digits = digits_of(matrix.view(), constraints);
  Sparse<W> lists;
  read_exactly(matrix.view(), constraints, problem, digits.shift, lists);
  lists.start_subproblems();
  if (!lists.solve()) return {};
  return list(lists, matrix.view(), k, [&](const W& gap) { return gap.value(digits.shift); });
}

void expect_gaps(const Listed& listed, const std::vector<double>& scores, double tolerance) {
  ASSERT_EQ(listed.gaps.size(), scores.size());
  EXPECT_TRUE(listed.distinct);
  EXPECT_TRUE(listed.in_order);
  for (std::size_t i = 0; i < scores.size(); ++i)
    ASSERT_NEAR(listed.gaps[i], scores[0] - scores[i], tolerance) << "rank " << i + 1;
  EXPECT_LE(listed.solves, 3 * (static_cast<std::int64_t>(scores.size()) + 1));
}

void expect_all_kinds(const Matrix& matrix, RootRule rule, const std::vector<double>& scores,
                      std::size_t k, double tolerance) {
  expect_gaps(list_in_units(matrix, rule, k), scores, tolerance);
  expect_gaps(list_exactly<Wide128>(matrix, rule, k), scores, tolerance);
  expect_gaps(list_exactly<WideAny>(matrix, rule, k), scores, tolerance);
}

std::vector<double> all_scores(const Matrix& matrix, RootRule rule) {
  std::vector<double> scores;
  for (const Tree& tree : testing::brute_force(matrix.view(), {.root = rule}))
    scores.push_back(tree.score);
  return scores;
}

// Scores are rounded, too.
double rounding(const Matrix& matrix) {
  double largest = 0.0;
  for (double weight : matrix.doubles)
    if (std::isfinite(weight)) largest = std::max(largest, std::abs(weight));
  const bool exact = testing::rounding_of_plain_sums(matrix.view()) == 0.0;
  return 2 * testing::rounding_of(matrix.view()) + (exact ? 0.0 : 0x1p-51 * matrix.nodes * largest);
}

void expect_all(const Matrix& matrix, RootRule rule) {
  const std::vector<double> scores = all_scores(matrix, rule);
  expect_all_kinds(matrix, rule, scores, scores.size() + 1, rounding(matrix));
}

TEST(PartitionQueue, AllTreesOfTinyGraphs) {
  for (RootRule rule : {RootRule::any, RootRule::single})
    for (Weights weights : testing::kAllWeights)
      for (Node words = 1; words <= 4; ++words)
        for (double density : {1.0, 0.6})
          for (std::uint64_t seed = 0; seed < testing::share(12U); ++seed) {
            SCOPED_TRACE(testing::name(weights) + ", words " + std::to_string(words) + ", seed " +
                         std::to_string(seed) + ", density " + std::to_string(density));
            expect_all(testing::random_matrix(words, weights, density, seed), rule);
            if (HasFatalFailure()) return;
          }
}

template <class Reference>
void expect_first(const Matrix& matrix, RootRule rule, std::size_t k) {
  Reference reference(matrix.view());
  std::vector<double> scores;
  while (scores.size() < k) {
    auto tree = reference.next();
    if (!tree) break;
    scores.push_back(tree->score);
  }
  expect_all_kinds(matrix, rule, scores, k,
                   rounding(matrix) + 2 * testing::rounding_of_plain_sums(matrix.view()));
}

TEST(PartitionQueue, TheFirstTreesOfLargerGraphs) {
  for (Weights weights : {Weights::continuous, Weights::negative, Weights::small_integers})
    for (Node words : {7, 12, 25})
      for (std::uint64_t seed = 0; seed < testing::share(6u); ++seed) {
        SCOPED_TRACE(testing::name(weights) + ", words " + std::to_string(words) + ", seed " +
                     std::to_string(seed));
        const Matrix matrix =
            testing::random_matrix(words, weights, seed % 2 == 0 ? 1.0 : 0.3, seed);
        expect_first<paper::KBest>(matrix, RootRule::any, 200);
        expect_first<paper::KBestDep>(matrix, RootRule::single, 200);
        if (HasFatalFailure()) return;
      }
}

// Pairs that point at each other, pairs of pairs, and so on: everything is contracted, and ties.
TEST(PartitionQueue, NestedCycles) {
  for (Node words : {4, 8, 16})
    for (std::uint64_t seed = 0; seed < testing::share(8u); ++seed) {
      SCOPED_TRACE("words " + std::to_string(words) + ", seed " + std::to_string(seed));
      Matrix matrix = testing::random_matrix(words, Weights::small_integers, 1.0, seed);
      const auto nodes = static_cast<std::size_t>(words + 1);
      for (std::size_t s = 1; s < nodes; ++s)
        for (std::size_t t = 1; t < nodes; ++t) {
          double& weight = matrix.doubles[s * nodes + t];
          int level = 0;
          while (((s - 1) >> level) != ((t - 1) >> level)) ++level;
          if (s != t) weight = std::floor(weight / 2) - 3.0 * level;
        }
      for (std::size_t t = 1; t < nodes; ++t) matrix.doubles[t] -= 20.0;
      if (words == 4) {
        expect_all(matrix, RootRule::any);
        expect_all(matrix, RootRule::single);
      }
      expect_first<paper::KBest>(matrix, RootRule::any, 300);
      expect_first<paper::KBestDep>(matrix, RootRule::single, 300);
      if (HasFatalFailure()) return;
    }
}

// A path through components that are nested in each other, with edges that enter all of them.
TEST(PartitionQueue, NestedLevels) {
  constexpr Node kWords = 60;
  for (std::uint64_t seed = 0; seed < testing::share(4U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Matrix matrix = testing::random_matrix(kWords, Weights::small_integers, 1.0, seed);
    for (Node s = 0; s <= kWords; ++s)
      for (Node t = 1; t <= kWords; ++t) {
        double& weight = matrix.doubles[static_cast<std::size_t>(s * (kWords + 1) + t)];
        if (s == 0)
          weight -= t == kWords ? 5000.0 : 9000.0;
        else if (s == t + 1)
          weight = -t;
        else if (s + 1 == t)
          weight = 0.0;
        else if (s == kWords)
          weight -= 4000.0;
        else
          weight = kNoWeight;
      }
    expect_first<paper::KBest>(matrix, RootRule::any, 100);
    expect_first<paper::KBestDep>(matrix, RootRule::single, 100);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace coppice::engine
