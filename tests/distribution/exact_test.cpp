// log_partition, marginals, entropy and log_prob against sums over all trees, finite differences
// and textbook linear algebra.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <coppice/distribution.hpp>
#include <limits>
#include <random>

#include "distribution/truth.hpp"
#include "support/effort.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::kBothRules;
using testing::Matrix;
using testing::Weights;
using Index = Eigen::Index;

double largest_weight(const Matrix& matrix) {
  double largest = 1.0;
  auto view = matrix.view();
  for (Node d = 1; d < view.nodes(); ++d)
    for (Node h = 0; h < view.nodes(); ++h)
      if (h != d && view.weight(h, d) != kNoWeight)
        largest = std::max(largest, std::abs(view.weight(h, d)));
  return largest;
}

// Everything against brute force. Weights of magnitude m have no more digits than m * 2^-53.
void expect_truth(const Matrix& matrix, const std::string& where) {
  for (RootRule rule : kBothRules) {
    SCOPED_TRACE(where + (rule == RootRule::any ? ", any root" : ", single root"));
    testing::Truth truth = testing::truth(matrix, rule);
    TreeDistribution trees(matrix.view(), {.root = rule});
    EXPECT_EQ(trees.empty(), truth.probability.empty());
    double digits = 1e-14 * matrix.nodes * largest_weight(matrix);
    if (trees.empty()) {
      EXPECT_EQ(trees.log_partition(), kNoWeight);
    } else {
      EXPECT_NEAR(trees.log_partition(), truth.log_partition, digits);
    }
    EXPECT_NEAR(trees.entropy(), truth.entropy, 4.0 * digits);
    for (std::size_t i = 0; i < truth.marginals.size(); ++i) {
      EXPECT_NEAR(trees.marginals()[i], truth.marginals[i], digits * truth.marginals[i] + 1e-100)
          << "arc " << i / static_cast<std::size_t>(matrix.nodes) << " -> "
          << i % static_cast<std::size_t>(matrix.nodes);
    }
    for (const auto& [heads, probability] : truth.probability)
      if (probability > 1e-300) {
        EXPECT_NEAR(trees.log_prob(heads), std::log(probability), digits);
      }
  }
}

TEST(Exact, AllGraphsOfUpToThreeWords) {
  const double weights[] = {kNoWeight, 0.0, 1.5};
  const int graphs[] = {0, 3, 81, 19683};
  for (Node words = 1; words <= 3; ++words)
    for (int code = 0; code < graphs[words] && !HasFailure(); ++code) {
      auto n = static_cast<std::size_t>(words + 1);
      std::vector<std::vector<double>> rows(n, std::vector<double>(n - 1, 0.0));
      int digits = code;
      for (std::size_t h = 0; h < n; ++h)
        for (std::size_t d = 1; d < n; ++d)
          if (h != d) {
            rows[h][d - 1] = weights[digits % 3];
            digits /= 3;
          }
      expect_truth(testing::matrix_of(rows), "graph " + std::to_string(code));
    }
}

TEST(Exact, RandomGraphs) {
  std::uint64_t seed = 1;
  for (Node words = 1; words <= 6; ++words)
    for (Weights weights : testing::kAllWeights)
      for (double density : {0.3, 0.5, 0.8, 1.0})
        for (int i = 0; i < testing::share(words == 6 ? 1 : 6) && !HasFailure(); ++i, ++seed)
          expect_truth(testing::random_matrix(words, weights, density, seed),
                       "random " + testing::name(weights) + " seed " + std::to_string(seed));
}

// Every word has one likely head, so that the likely heads often form cycles; all else is unlikely.
Matrix near_deterministic(Node words, double gap, double mask, std::uint64_t seed) {
  Matrix matrix = testing::random_matrix(words, Weights::continuous, 1.0, seed);
  std::mt19937_64 random(seed);
  auto n = static_cast<std::size_t>(words + 1);
  for (std::size_t d = 1; d < n; ++d) {
    std::size_t likely = random() % n;
    for (std::size_t h = 0; h < n; ++h) {
      if (h == d) continue;
      double& weight = matrix.doubles[h * n + d];
      if (h != likely) weight = -gap * (0.5 + weight);
      if (mask != 0.0 && random() % 4 == 0) weight = mask;
    }
  }
  return matrix;
}

TEST(Exact, NearDeterministicWithCycles) {
  std::uint64_t seed = 1;
  for (double gap : {1.0, 10.0, 40.0, 100.0, 300.0, 700.0, 2000.0, 1e4})
    for (double mask : {0.0, -1e9, kNoWeight})
      for (Node words = 2; words <= 5; ++words)
        for (int i = 0; i < testing::share(6) && !HasFailure(); ++i, ++seed)
          expect_truth(near_deterministic(words, gap, mask, seed),
                       "gap " + std::to_string(gap) + " seed " + std::to_string(seed));
}

TEST(Exact, LargeWeightsOfBothSigns) {
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    Matrix matrix = testing::random_matrix(4, Weights::continuous, 0.9, seed);
    double scale = seed % 2 == 0 ? 1e4 : 1e12;
    for (double& weight : matrix.doubles)
      if (weight != kNoWeight) weight = scale * (2.0 * weight - 1.0);
    expect_truth(matrix, "scale " + std::to_string(scale) + " seed " + std::to_string(seed));
  }
}

TEST(Exact, WeightsThatCountByTheirExponentOnly) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    Matrix matrix = testing::random_matrix(4, Weights::wide, 1.0, seed);
    for (RootRule rule : kBothRules) {
      testing::Truth truth = testing::truth(matrix, rule);
      TreeDistribution trees(matrix.view(), {.root = rule});
      EXPECT_NEAR(trees.log_partition() / truth.log_partition, 1.0, 1e-12);
    }
  }
}

// Two words that are each other's likely head: the determinant of the Laplacian has no digit left.
TEST(Exact, KeepsAllDigitsWhereTheDeterminantCancels) {
  for (double gap : {30.0, 100.0, 1000.0, 1e4}) {
    Matrix matrix = testing::matrix_of({{-gap, -gap - 1.0}, {0.0, 0.0}, {0.0, 0.0}});
    TreeDistribution trees(matrix.view(), {.root = RootRule::single});
    EXPECT_DOUBLE_EQ(trees.marginal(0, 1), 1.0 / (1.0 + std::exp(-1.0)));
    EXPECT_DOUBLE_EQ(trees.marginal(0, 2), std::exp(-1.0) / (1.0 + std::exp(-1.0)));
    EXPECT_NEAR(trees.log_partition(), -gap + std::log1p(std::exp(-1.0)), 1e-15 * gap);
  }
}

// A ladder of words, each step up e^-200 times as likely as down: no sum in the elimination is
// small, but their product is, and the root edge of the last word, which underflows, has most of
// the mass.
TEST(Exact, NoticesUnderflowThatAddsUp) {
  for (Node words : {3, 5, 6})
    for (double step : {100.0, 200.0, 207.0}) {
      auto n = static_cast<std::size_t>(words);
      std::vector<std::vector<double>> rows(n + 1, std::vector<double>(n, kNoWeight));
      rows[0][0] = -step;
      rows[0][n - 1] = -750.0;
      for (std::size_t d = 1; d <= n; ++d) {
        if (d > 1) rows[d - 1][d - 1] = d == n ? 0.0 : -step;
        if (d < n) rows[d + 1][d - 1] = 0.0;
      }
      expect_truth(testing::matrix_of(rows), std::to_string(words) + " words");
    }
}

TEST(Exact, MarginalsAreTheGradient) {
  for (RootRule rule : kBothRules) {
    for (double scale : {1.0, 30.0}) {
      Matrix matrix = testing::random_matrix(12, Weights::continuous, 0.9, 5);
      for (double& weight : matrix.doubles) weight *= scale;
      TreeDistribution trees(matrix.view(), {.root = rule});
      const double step = 1e-4;
      for (Node h = 0; h < matrix.nodes; ++h)
        for (Node d = 1; d < matrix.nodes; ++d) {
          auto place = static_cast<std::size_t>(h * matrix.nodes + d);
          if (h == d || matrix.doubles[place] == kNoWeight) continue;
          Matrix up = matrix, down = matrix;
          up.doubles[place] += step;
          down.doubles[place] -= step;
          double slope = (TreeDistribution(up.view(), {.root = rule}).log_partition() -
                          TreeDistribution(down.view(), {.root = rule}).log_partition()) /
                         (2.0 * step);
          EXPECT_NEAR(trees.marginal(h, d), slope, 1e-8);
        }
    }
  }
}

// Koo et al. (2007), as one would write it down: determinant and inverse.
void expect_textbook(const Matrix& matrix, RootRule rule, double tolerance) {
  Index n = matrix.nodes - 1;
  auto weight = [&](Index h, Index d) {
    return std::exp(matrix.doubles[static_cast<std::size_t>(h * (n + 1) + d)]);
  };
  Eigen::MatrixXd laplacian(n, n);
  for (Index d = 1; d <= n; ++d) {
    double sum = rule == RootRule::any ? weight(0, d) : 0.0;
    for (Index h = 1; h <= n; ++h) {
      if (h == d) continue;
      laplacian(h - 1, d - 1) = -weight(h, d);
      sum += weight(h, d);
    }
    laplacian(d - 1, d - 1) = sum;
    if (rule == RootRule::single) laplacian(0, d - 1) = weight(0, d);
  }
  // The root's weight of word 1 has taken the diagonal's place in the first row.
  Eigen::PartialPivLU<Eigen::MatrixXd> lu(laplacian);
  Eigen::MatrixXd inverse = lu.inverse();
  TreeDistribution trees(matrix.view(), {.root = rule});
  EXPECT_NEAR(trees.log_partition(), lu.matrixLU().diagonal().array().abs().log().sum(), tolerance);
  for (Index d = 1; d <= n; ++d) {
    bool single = rule == RootRule::single;
    double root = single ? inverse(d - 1, 0) : inverse(d - 1, d - 1);
    EXPECT_NEAR(trees.marginal(0, static_cast<Node>(d)), weight(0, d) * root, tolerance);
    for (Index h = 1; h <= n; ++h) {
      if (h == d) continue;
      double plus = single && d == 1 ? 0.0 : inverse(d - 1, d - 1);
      double minus = single && h == 1 ? 0.0 : inverse(d - 1, h - 1);
      EXPECT_NEAR(trees.marginal(static_cast<Node>(h), static_cast<Node>(d)),
                  weight(h, d) * (plus - minus), tolerance);
    }
  }
}

TEST(Exact, TextbookFormulas) {
  for (RootRule rule : kBothRules)
    for (Node words : {7, 31, 33, 64, 65, 90})
      expect_textbook(testing::random_matrix(words, Weights::negative, 1.0, 3), rule, 1e-9);
}

TEST(Exact, HundredsOfWords) {
  const Node words = testing::large(500);
  for (RootRule rule : kBothRules) {
    for (double gap : {20.0, 1e4}) {
      if (gap == 1e4 && rule == RootRule::any) continue;  // one slow case is enough
      Matrix matrix = near_deterministic(words, gap, -1e9, 11);
      TreeDistribution trees(matrix.view(), {.root = rule});
      double root = 0.0;
      for (Node d = 1; d <= words; ++d) {
        double sum = 0.0;
        for (Node h = 0; h <= words; ++h) sum += trees.marginal(h, d);
        EXPECT_NEAR(sum, 1.0, 1e-12);
        root += trees.marginal(0, d);
      }
      if (rule == RootRule::single) {
        EXPECT_NEAR(root, 1.0, 1e-9);
      }
      auto tree = best(matrix.view(), {.root = rule});
      EXPECT_GE(trees.log_partition(), tree->score - 1e-6);
      EXPECT_LE(trees.log_prob(tree->heads), 1e-9);
      EXPECT_GE(trees.entropy(), 0.0);
    }
  }
}

TEST(Exact, AnyStridesAndScalars) {
  Matrix matrix = testing::random_matrix(6, Weights::small_integers, 0.8, 2);
  auto n = static_cast<std::size_t>(matrix.nodes);
  std::vector<double> transposed(n * n), backwards(matrix.doubles.rbegin(), matrix.doubles.rend());
  std::vector<float> floats(matrix.doubles.begin(), matrix.doubles.end());
  for (std::size_t h = 0; h < n; ++h)
    for (std::size_t d = 0; d < n; ++d) transposed[d * n + h] = matrix.doubles[h * n + d];
  auto stride = static_cast<std::ptrdiff_t>(n);
  for (RootRule rule : kBothRules) {
    double expected = TreeDistribution(matrix.view(), {.root = rule}).log_partition();
    for (const DenseView& view :
         {DenseView::dependent_head(transposed.data(), matrix.nodes),
          DenseView::head_dependent(floats.data(), matrix.nodes),
          DenseView(backwards.data() + n * n - 1, matrix.nodes, -stride, -1)})
      EXPECT_EQ(TreeDistribution(view, {.root = rule}).log_partition(), expected);
  }
  std::vector<std::int64_t> integers{0, 1, 2, 0, 0, 3, 0, 1, 0};
  TreeDistribution trees(DenseView::head_dependent(integers.data(), 3), {.root = RootRule::any});
  EXPECT_NEAR(trees.log_partition(), std::log(std::exp(3.0) + std::exp(4.0) + std::exp(3.0)),
              1e-14);
  EXPECT_EQ(trees.sample(1, 1)[0].integer_score,
            static_cast<std::int64_t>(trees.sample(1, 1).score(0)));
}

TEST(Exact, NoTree) {
  Matrix matrix = testing::matrix_of({{9, kNoWeight, 8},
                                      {kNoWeight, 4, kNoWeight},
                                      {kNoWeight, kNoWeight, kNoWeight},
                                      {kNoWeight, 3, kNoWeight}});
  TreeDistribution trees(matrix.view(), {.root = RootRule::single});
  EXPECT_TRUE(trees.empty());
  EXPECT_EQ(trees.log_partition(), kNoWeight);
  EXPECT_EQ(trees.entropy(), 0.0);
  EXPECT_EQ(trees.marginals().size(), 16u);
  for (double probability : trees.marginals()) EXPECT_EQ(probability, 0.0);
  EXPECT_EQ(trees.log_prob(std::vector<Node>{-1, 0, 1, 0}), kNoWeight);
  EXPECT_TRUE(trees.sample(3, 1).empty());
  EXPECT_TRUE(trees.sample_distinct(3, 1).empty());
  EXPECT_FALSE(trees.min_risk().has_value());
}

TEST(Exact, LogProbOfWhatIsNoTree) {
  Matrix matrix = testing::matrix_of({{0, 0}, {0, 0}, {0, kNoWeight}});
  TreeDistribution trees(matrix.view(), {.root = RootRule::single});
  EXPECT_EQ(trees.log_prob(std::vector<Node>{-1, 0, 0}), kNoWeight);  // two root edges
  EXPECT_EQ(trees.log_prob(std::vector<Node>{-1, 2, 1}), kNoWeight);  // a cycle
  EXPECT_EQ(trees.log_prob(std::vector<Node>{-1, 1, 0}), kNoWeight);  // to itself
  EXPECT_THROW(trees.log_prob(std::vector<Node>{-1, 0}), std::invalid_argument);
  EXPECT_THROW(trees.log_prob(std::vector<Node>{-1, 0, 3}), std::invalid_argument);
  EXPECT_THROW(trees.marginal(0, 3), std::invalid_argument);
}

TEST(Exact, BadWeightsAreNamed) {
  Matrix matrix = testing::random_matrix(3, Weights::continuous, 1.0, 1);
  auto message = [&](double weight) -> std::string {
    matrix.doubles[2 * 4 + 3] = weight;
    try {
      TreeDistribution trees(matrix.view(), {.root = RootRule::any});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(std::nan("")).find("2 -> 3 is NaN"), std::string::npos);
  EXPECT_NE(message(std::numeric_limits<double>::infinity()).find("2 -> 3 is +inf"),
            std::string::npos);
  EXPECT_NE(message(1e308).find("too large"), std::string::npos);
}

}  // namespace
}  // namespace coppice
