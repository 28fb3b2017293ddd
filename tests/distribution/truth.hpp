// The distribution by listing all trees, and a goodness-of-fit test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coppice/distribution.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/brute_force.hpp"
#include "support/generate.hpp"

namespace coppice::testing {

using Heads = std::vector<Node>;

inline constexpr RootRule kBothRules[] = {RootRule::any, RootRule::single};

struct Truth {
  double log_partition = kNoWeight;
  std::vector<double> marginals;
  double entropy = 0.0;
  std::map<Heads, double> probability;
};

inline Truth truth(const DenseView& view, RootRule rule) {
  auto nodes = static_cast<std::size_t>(view.nodes());
  std::vector<Tree> trees = brute_force(view, {.root = rule});
  Truth result;
  result.marginals.assign(nodes * nodes, 0.0);
  if (trees.empty()) return result;
  std::vector<long double> scores, marginals(nodes * nodes, 0.0L);
  for (const Tree& tree : trees) {
    long double score = 0.0L;
    for (Node word = 1; word < view.nodes(); ++word)
      score += view.weight(tree.heads[static_cast<std::size_t>(word)], word);
    scores.push_back(score);
  }
  long double best = *std::max_element(scores.begin(), scores.end()), sum = 0.0L, mean = 0.0L;
  for (long double score : scores) sum += std::exp(score - best);
  for (std::size_t i = 0; i < trees.size(); ++i) {
    long double probability = std::exp(scores[i] - best) / sum;
    result.probability[trees[i].heads] = static_cast<double>(probability);
    mean += probability * (scores[i] - best);
    for (std::size_t word = 1; word < nodes; ++word)
      marginals[static_cast<std::size_t>(trees[i].heads[word]) * nodes + word] += probability;
  }
  std::copy(marginals.begin(), marginals.end(), result.marginals.begin());
  result.log_partition = static_cast<double>(best + std::log(sum));
  result.entropy = static_cast<double>(std::log(sum) - mean);
  return result;
}

inline Truth truth(const Matrix& matrix, RootRule rule) { return truth(matrix.view(), rule); }

// Were these counts drawn with these probabilities? Events that are expected less than five times
// are counted together. The bound is four standard deviations of the (transformed) statistic.
template <class Event>
void expect_drawn_from(const std::map<Event, double>& probability,
                       const std::map<Event, int>& counts, const std::string& where) {
  int draws = 0;
  for (const auto& [event, count] : counts) {
    draws += count;
    ASSERT_TRUE(probability.contains(event)) << where << ": an impossible event was drawn";
  }
  double statistic = 0.0, rare_expected = 0.0;
  int rare = 0, cells = 0;
  for (const auto& [event, p] : probability) {
    auto found = counts.find(event);
    int count = found == counts.end() ? 0 : found->second;
    double expected = p * draws;
    if (expected < 5.0) {
      rare_expected += expected;
      rare += count;
      continue;
    }
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  }
  if (rare_expected >= 1.0) {
    statistic += (rare - rare_expected) * (rare - rare_expected) / rare_expected;
    ++cells;
  } else {
    EXPECT_LE(rare, 8) << where << ": rare events";
  }
  if (cells < 2) return;
  double freedom = cells - 1, spread = 2.0 / (9.0 * freedom);
  double z = (std::cbrt(statistic / freedom) - (1.0 - spread)) / std::sqrt(spread);
  EXPECT_LT(z, 4.0) << where << ": chi-square " << statistic << " with " << freedom
                    << " degrees of freedom";
}

}  // namespace coppice::testing
