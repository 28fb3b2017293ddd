// The queue alone, over each of its solvers: all trees, in order, each once, for no more than three
// solves a tree.
#include "engine/queue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <coppice/paper.hpp>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "engine/dense_solver.hpp"
#include "engine/list_solver.hpp"
#include "graph/constraints.hpp"
#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::engine {
namespace {

using testing::Matrix;
using testing::Weights;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Listed {
  std::vector<double> gaps;
  bool distinct = true;
  std::int64_t solves = 0;
};

// At most k trees.
template <class S>
Listed list(S& solver, double slack, std::size_t k) {
  Queue<S> queue(Tuning{});
  queue.start(solver, kInfinity, slack);
  Listed listed;
  std::set<std::vector<typename S::Edge>> seen;
  while (listed.gaps.size() < k && queue.next(kInfinity)) {
    listed.gaps.push_back(queue.gap());
    std::vector<typename S::Edge> tree;
    for (Node v = 1; v < solver.nodes(); ++v) tree.push_back(solver.tree(v));
    listed.distinct = seen.insert(tree).second && listed.distinct;
  }
  listed.solves = queue.solves();
  return listed;
}

Listed list_dense(const Matrix& matrix, RootRule rule, double slack, std::size_t k) {
  Dense dense;
  dense.load(matrix.view(), {}, Objective::maximize);
  Solution solution;
  if (!dense.solve(rule, solution)) return {};
  DenseSolver solver;
  solver.load(dense, rule, solution);
  return list(solver, slack, k);
}

template <class W>
Listed list_edges(const Matrix& matrix, RootRule rule, double slack, std::size_t k) {
  std::vector<typename ListSolver<W>::Input> edges;
  const DenseView view = matrix.view();
  for (Node s = 0; s < view.nodes(); ++s)
    for (Node t = 1; t < view.nodes(); ++t)
      if (s != t && view.weight(s, t) != kNoWeight)
        edges.push_back(
            {s, t, static_cast<std::int32_t>(edges.size()), static_cast<W>(view.weight(s, t))});
  ListSolver<W> solver;
  solver.load(view.nodes(), edges, rule);
  return list(solver, slack, k);
}

void expect_gaps(const Listed& listed, const std::vector<double>& scores, double tolerance) {
  ASSERT_EQ(listed.gaps.size(), scores.size());
  EXPECT_TRUE(listed.distinct);
  for (std::size_t i = 0; i < scores.size(); ++i)
    ASSERT_NEAR(listed.gaps[i], scores[0] - scores[i], tolerance) << "rank " << i + 1;
  EXPECT_LE(listed.solves, 3 * (static_cast<std::int64_t>(scores.size()) + 1));
}

std::vector<double> all_scores(const Matrix& matrix, RootRule rule) {
  std::vector<double> scores;
  for (const Tree& tree : testing::brute_force(matrix.view(), {.root = rule}))
    scores.push_back(tree.score);
  return scores;
}

void expect_all(const Matrix& matrix, RootRule rule, bool integers) {
  const std::vector<double> scores = all_scores(matrix, rule);
  double magnitude = 1.0;
  for (double weight : matrix.doubles)
    if (std::isfinite(weight)) magnitude += std::abs(weight);
  const double tolerance = integers ? 0.0 : 0x1p-46 * magnitude;
  const std::size_t more = scores.size() + 1;
  expect_gaps(list_dense(matrix, rule, tolerance, more), scores, tolerance);
  expect_gaps(list_edges<double>(matrix, rule, tolerance, more), scores, tolerance);
  if (integers) expect_gaps(list_edges<std::int64_t>(matrix, rule, 0.0, more), scores, 0.0);
}

TEST(Queue, AllTreesOfTinyGraphs) {
  for (RootRule rule : {RootRule::any, RootRule::single})
    for (Weights weights : testing::kAllWeights)
      for (Node words = 1; words <= 4; ++words)
        for (double density : {1.0, 0.6})
          for (std::uint64_t seed = 0; seed < 12; ++seed) {
            SCOPED_TRACE(testing::name(weights) + ", words " + std::to_string(words) + ", seed " +
                         std::to_string(seed) + ", density " + std::to_string(density));
            expect_all(testing::random_matrix(words, weights, density, seed), rule,
                       weights == Weights::small_integers);
            if (HasFatalFailure()) return;
          }
}

// Where an edge is far worse than all others, trees without it are told apart as if it were not
// there: with one root edge, too.
TEST(Queue, HopelessEdgesCostNoDigits) {
  constexpr double kHopeless = -0x1p99, kPrecise = 1e-9;
  for (RootRule rule : {RootRule::any, RootRule::single})
    for (Node words : {3, 4})
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE("words " + std::to_string(words) + ", seed " + std::to_string(seed));
        Matrix matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
        std::mt19937_64 random(seed);
        const auto nodes = static_cast<std::size_t>(words) + 1;
        for (std::size_t edge = nodes; edge < nodes * nodes; ++edge)
          if (random() % 2 == 0) matrix.doubles[edge] = kHopeless;
        const std::vector<double> scores = all_scores(matrix, rule);
        for (const Listed& listed : {list_dense(matrix, rule, kPrecise, scores.size()),
                                     list_edges<double>(matrix, rule, kPrecise, scores.size())}) {
          ASSERT_EQ(listed.gaps.size(), scores.size());
          for (std::size_t i = 0; i < scores.size() && scores[0] - scores[i] < 1e6; ++i)
            ASSERT_NEAR(listed.gaps[i], scores[0] - scores[i], kPrecise) << "rank " << i + 1;
        }
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
  const double tolerance = 1e-9;
  expect_gaps(list_dense(matrix, rule, tolerance, k), scores, tolerance);
  expect_gaps(list_edges<double>(matrix, rule, tolerance, k), scores, tolerance);
}

TEST(Queue, TheFirstTreesOfLargerGraphs) {
  for (Weights weights : {Weights::continuous, Weights::negative, Weights::small_integers})
    for (Node words : {7, 12, 25})
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
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
TEST(Queue, NestedCycles) {
  for (Node words : {4, 8, 16})
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
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
        expect_all(matrix, RootRule::any, true);
        expect_all(matrix, RootRule::single, true);
      }
      expect_first<paper::KBest>(matrix, RootRule::any, 300);
      expect_first<paper::KBestDep>(matrix, RootRule::single, 300);
      if (HasFatalFailure()) return;
    }
}

// A path through components that are nested in each other, with edges that enter all of them.
TEST(Queue, NestedLevels) {
  constexpr Node kWords = 60;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
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
