// Every best tree comes with a proof that a separate check accepts; a wrong tree has none.
#include <gtest/gtest.h>

#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <coppice/verify.hpp>

#include "support/effort.hpp"
#include "support/exact_score.hpp"
#include "support/generate.hpp"

namespace coppice {
namespace {

using testing::Weights;

void expect_certified(Graph graph, const std::string& where) {
  for (Objective objective : {Objective::maximize, Objective::minimize}) {
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      const Problem problem{.root = rule, .objective = objective};
      auto certified = certified_best(graph, problem);
      auto reference =
          rule == RootRule::any ? paper::opt(graph, objective) : paper::opt_dep(graph, objective);
      ASSERT_EQ(certified.has_value(), reference.has_value()) << where;
      if (!certified) continue;
      EXPECT_NEAR(certified->tree.score, reference->score, 1e-9 * (1 + std::abs(reference->score)));
      EXPECT_EQ(check_certificate(graph, problem, certified->tree, certified->certificate), "")
          << where;
      // A tampered certificate, or a worse tree, is found out.
      auto tampered = certified->certificate;
      tampered.y[1] += 1.0;
      EXPECT_NE(check_certificate(graph, problem, certified->tree, tampered), "") << where;
      tampered = certified->certificate;
      tampered.root_price += 1.0;
      EXPECT_NE(check_certificate(graph, problem, certified->tree, tampered), "") << where;
      tampered.root_price = certified->certificate.root_price;
      auto trees = kbest(graph, problem, {.k = 50});
      std::size_t last = trees.size() - 1;
      if (trees.gap(last) > 1e-3) {
        EXPECT_NE(check_certificate(graph, problem, trees[last].copy(), certified->certificate), "")
            << where;
        // Not even one whose value is that of the worse tree.
        tampered.y[1] =
            certified->certificate.y[1] - std::abs(testing::exact_score(graph, trees.copy(0)) -
                                                   testing::exact_score(graph, trees.copy(last)));
        const std::string wrong = check_certificate(graph, problem, trees[last].copy(), tampered);
        EXPECT_NE(wrong.find("negative reduced cost"), std::string::npos) << where << ": " << wrong;
      }
    }
  }
}

TEST(Certificate, Matrices) {
  std::uint64_t seed = 1;
  for (Node words : {1, 2, 3, 5, 8, 13, 30})
    for (Weights weights : testing::kAllWeights)
      for (double density : {0.3, 0.7, 1.0})
        for (int i = 0; i < testing::share(4) && !HasFailure(); ++i, ++seed)
          expect_certified(testing::random_matrix(words, weights, density, seed).view(),
                           std::to_string(seed));
}

TEST(Certificate, Multigraphs) {
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    const auto words = static_cast<Node>(seed % 20);
    const auto graph =
        testing::random_multigraph(words + 1, 4 * words + 9, testing::kAllWeights[seed % 6], seed);
    expect_certified(graph, std::to_string(seed));
  }
}

TEST(Verify, Trees) {
  EXPECT_TRUE(is_tree(std::vector<Node>{-1, 0, 1}));
  EXPECT_FALSE(is_tree(std::vector<Node>{-1, 2, 1}));
  EXPECT_FALSE(is_tree(std::vector<Node>{0, 0, 1}));
  EXPECT_FALSE(is_tree(std::vector<Node>{-1, 0, 3}));
  EXPECT_FALSE(is_tree(std::vector<Node>{}));
  EXPECT_TRUE(obeys(std::vector<Node>{-1, 0, 1}, RootRule::single));
  EXPECT_FALSE(obeys(std::vector<Node>{-1, 0, 0}, RootRule::single));
  auto matrix = testing::matrix_of({{1, 2}, {0, 4}, {8, 0}});
  EXPECT_EQ(score(matrix.view(), std::vector<Node>{-1, 0, 1}), 5.0);
  EXPECT_THROW(score(matrix.view(), std::vector<Node>{-1, 0}), std::invalid_argument);
  EXPECT_THROW(score(matrix.view(), std::vector<Node>{-1, 1, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace coppice
