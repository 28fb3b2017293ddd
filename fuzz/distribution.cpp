// The distribution over trees against the sum over all of them.
#include "distribution/truth.hpp"

#include <set>

#include "check.hpp"
#include "graphs.hpp"
#include "target.hpp"

namespace coppice::fuzz::distribution_target {
namespace {

// Weights of magnitude m lack m * 2^-53 in digits themselves.
double tolerance(double largest) { return 1e-12 * (1.0 + largest); }

void expect_truth(const TreeDistribution& trees, const testing::Truth& truth, double largest) {
  const double slack = tolerance(largest);
  ASSERT_EQ(trees.empty(), truth.probability.empty());
  if (trees.empty()) return;
  EXPECT_NEAR(trees.log_partition(), truth.log_partition, slack * 8);
  EXPECT_NEAR(trees.entropy(), truth.entropy, slack * 64);
  const auto marginals = trees.marginals();
  for (std::size_t i = 0; i < marginals.size(); ++i)
    EXPECT_NEAR(marginals[i], truth.marginals[i], slack * 8) << "arc " << i;
}

void expect_samples(const TreeDistribution& trees, const testing::Truth& truth) {
  const TreeList samples = trees.sample(5, 1);
  EXPECT_EQ(samples.size(), trees.empty() ? 0u : 5u);
  for (std::size_t i = 0; i < samples.size(); ++i)
    EXPECT_TRUE(truth.probability.contains({samples.heads(i).begin(), samples.heads(i).end()}));
  const TreeList distinct = trees.sample_distinct(truth.probability.size() + 1, 2);
  std::set<testing::Heads> seen;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    EXPECT_TRUE(truth.probability.contains({distinct.heads(i).begin(), distinct.heads(i).end()}));
    EXPECT_TRUE(seen.insert({distinct.heads(i).begin(), distinct.heads(i).end()}).second);
  }
}

}  // namespace

void run(Bytes bytes) {
  constexpr Node kMaxWords = 4;
  const SomeGraph some(bytes, kMaxWords);
  if (!some.view()) return;
  for (RootRule rule : testing::kBothRules) {
    if (some.bad() && some.graph().scalar() == Scalar::int64) return;  // taken as float64
    if (some.bad()) {
      EXPECT_NE(
          error_of<std::invalid_argument>([&] { TreeDistribution(*some.view(), {.root = rule}); }),
          "");
      continue;
    }
    const TreeDistribution trees(*some.view(), {.root = rule});
    const testing::Truth truth = testing::truth(*some.view(), rule);
    expect_truth(trees, truth, some.largest());
    expect_samples(trees, truth);
    const auto decoded = trees.min_risk();
    ASSERT_EQ(decoded.has_value(), !trees.empty());
    if (decoded) {
      EXPECT_TRUE(truth.probability.contains(decoded->tree.heads));
    }
  }
}

}  // namespace coppice::fuzz::distribution_target
