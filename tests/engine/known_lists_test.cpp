// Whole lists on graphs of any size, rank by rank: gadgets, whose K best scores are known. The
// large ones reach what small ones never do: kernels above 1,024 nodes, lists that are kept as
// changes.
#include <gtest/gtest.h>

#include <string>

#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/engines.hpp"
#include "support/gadgets.hpp"

namespace coppice {
namespace {

using testing::expect_known;
using testing::Gadgets;

constexpr double kExact = 0x1p-10;  // no sum of weights rounds
constexpr double kRounds = 0.1;
constexpr std::int64_t kWide =
    (std::int64_t{1} << 32) + 1;  // sums of int64 that float64 cannot hold
constexpr Gadgets::Shape kShapes[] = {Gadgets::Shape::chain, Gadgets::Shape::bush,
                                      Gadgets::Shape::fan};

std::string where(const Gadgets::Spec& spec, RootRule rule) {
  return "words " + std::to_string(spec.words) + ", shape " +
         std::to_string(static_cast<int>(spec.shape)) + ", largest " +
         std::to_string(spec.largest) + ", seed " + std::to_string(spec.seed) +
         (rule == RootRule::any ? ", any root" : ", single root");
}

// The generator itself.
TEST(KnownLists, AreThoseOfBruteForce) {
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    Gadgets::Spec spec{.words = static_cast<Node>(1 + seed % 6),
                       .shape = kShapes[seed % 3],
                       .largest = seed % 2 == 0 ? 3 : 1000,
                       .parallel = seed % 4 == 0,
                       .seed = seed};
    Gadgets gadgets(spec);
    const Multigraph graph = gadgets.integer_multigraph(1);
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      SCOPED_TRACE(where(spec, rule));
      std::vector<std::int64_t> truth;
      for (const Tree& tree : testing::brute_force(graph, {.root = rule}))
        truth.push_back(tree.integer_score);
      EXPECT_EQ(gadgets.best_scores(rule, truth.size() + 1), truth);
    }
  }
}

TEST(KnownLists, OfEverySize) {
  std::uint64_t seed = 100;
  for (Node words : {3, 8, 20, 60, 150})
    for (Gadgets::Shape shape : kShapes)
      for (std::int64_t largest : {1, 20, 100'000})
        for (RootRule rule : {RootRule::any, RootRule::single}) {
          Gadgets::Spec spec{.words = words, .shape = shape, .largest = largest, .seed = ++seed};
          if (testing::left_out(seed)) continue;
          Gadgets gadgets(spec);
          const bool small = words <= 20;
          const auto scores =
              gadgets.best_scores(rule, testing::share<std::size_t>(small ? 200 : 2000));
          const Multigraph reals = gadgets.multigraph(seed % 2 == 0 ? kExact : kRounds);
          const double unit = seed % 2 == 0 ? kExact : kRounds;
          expect_known(reals, rule, scores, unit, where(spec, rule) + ", float64", small);
          const Multigraph integers = gadgets.integer_multigraph(kWide);
          expect_known(integers, rule, scores, kWide, where(spec, rule) + ", int64", small);
          const auto matrix = gadgets.matrix(unit);
          expect_known(matrix.view(), rule, scores, unit, where(spec, rule) + ", dense", small);
          if (HasFailure()) return;
        }
}

TEST(KnownLists, Parallel) {
  for (std::uint64_t seed = 1; seed <= testing::share(20u) && !HasFailure(); ++seed) {
    Gadgets::Spec spec{
        .words = static_cast<Node>(10 * seed), .largest = 50, .parallel = true, .seed = seed};
    Gadgets gadgets(spec);
    const Multigraph graph = gadgets.multigraph(kRounds);
    for (RootRule rule : {RootRule::any, RootRule::single})
      expect_known(graph, rule, gadgets.best_scores(rule, 500), kRounds, where(spec, rule),
                   seed <= 2);
  }
}

TEST(KnownLists, LargeSparse) {
  struct Size {
    Node words;
    std::size_t k;
  };
  std::uint64_t seed = 200;
  for (Size size : {Size{1500, 200}, Size{5000, 60}, Size{20'000, 20}})
    for (Gadgets::Shape shape : {Gadgets::Shape::chain, Gadgets::Shape::bush})
      for (RootRule rule : {RootRule::any, RootRule::single}) {
        Gadgets::Spec spec{.words = size.words, .shape = shape, .largest = 1000, .seed = ++seed};
        if (testing::left_out(seed)) continue;
        Gadgets gadgets(spec);
        const auto scores = gadgets.best_scores(rule, testing::share(size.k));
        const Multigraph reals = gadgets.multigraph(kRounds);
        expect_known(reals, rule, scores, kRounds, where(spec, rule), false);
        const Multigraph integers = gadgets.integer_multigraph(kWide);
        expect_known(integers, rule, scores, kWide, where(spec, rule) + ", int64", false);
        if (HasFailure()) return;
      }
}

TEST(KnownLists, LargeDense) {
  std::uint64_t seed = 300;
  for (Node words : {300, testing::large(1500)})
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      Gadgets::Spec spec{.words = words, .largest = 1000, .background = true, .seed = ++seed};
      Gadgets gadgets(spec);
      const auto scores = gadgets.best_scores(rule, testing::share<std::size_t>(300));
      const auto matrix = gadgets.matrix(kExact);
      expect_known(matrix.view(), rule, scores, kExact, where(spec, rule), false);
      const auto integers = gadgets.integer_matrix(1);
      expect_known(DenseView::head_dependent(integers.data(), gadgets.nodes()), rule, scores, 1.0,
                   where(spec, rule) + ", int64", false);
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace coppice
