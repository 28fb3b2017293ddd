// Sums that leave out most additions, against those that do not: bit for bit.
#include "engine/block_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <ostream>
#include <random>
#include <vector>

namespace coppice::engine {
namespace {

using Weight = std::function<double(std::mt19937_64&)>;

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// A weight in so many steps from 0: sums of different ones often lie just between two float64.
Weight coarse(double step) {
  return [step](std::mt19937_64& random) { return step * static_cast<double>(random() % 1024); };
}

struct Kind {
  const char* name;
  Weight draw;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class OneKind : public testing::TestWithParam<Kind> {};

TEST_P(OneKind, AgreesWithPlainSums) {
  std::mt19937_64 random(1);
  BlockSums sums;
  int known = 0;
  for (Node block : {1, 2, 7, 64})
    for (int graph = 0; graph < 200; ++graph) {
      Indexed<Node, double> weights(1 + random() % 400);
      for (double& weight : weights) weight = GetParam().draw(random);
      sums.start(weights, block);
      for (int tree = 0; tree < 10; ++tree) {
        std::map<Node, double> other;
        for (std::uint64_t i = random() % 5; i > 0 && weights.size() > 1; --i)
          other[1 + static_cast<Node>(random() % (weights.size() - 1))] = GetParam().draw(random);
        std::vector<BlockSums::Change> changes;
        for (auto [node, weight] : other) changes.push_back({node, weight});
        double plain = 0.0;
        for (Node v = 1; v < weights.end_index(); ++v)
          plain += other.contains(v) ? other[v] : weights[v];
        ASSERT_EQ(sums.with(changes), plain) << "blocks of " << block;
        long double exact = sums.sum(), moved = 0.0L;
        for (const auto& [node, weight] : changes) {
          const long double change = static_cast<long double>(weight) - weights[node];
          exact += change;
          moved += std::abs(change);
        }
        const double error = sums.error(changes.size(), static_cast<double>(moved));
        ASSERT_LE(std::abs(exact - plain), error) << "blocks of " << block;
        known += error < std::numeric_limits<double>::infinity() ? 1 : 0;
      }
    }
  EXPECT_GT(known, 100);
}

const Kind kKinds[] = {
    {"positive", [](std::mt19937_64& random) { return between(random, 0.0, 1.0); }},
    {"both_signs", [](std::mt19937_64& random) { return between(random, -1.0, 1.0); }},
    {"log_probabilities", [](std::mt19937_64& random) { return between(random, -9.0, 0.0); }},
    {"wide",
     [](std::mt19937_64& random) {
       return std::ldexp(between(random, -1.0, 1.0), static_cast<int>(random() % 99));
     }},
    {"whole", coarse(1.0)},
    {"nearly_whole", coarse(1.0 + 0x1p-45)},
    {"nearly_whole_negative", coarse(-1.0 - 0x1p-47)},
    // Halves of the last place beside a number that no sum leaves the binade of.
    {"halves_of_the_last_place",
     [](std::mt19937_64& random) {
       return random() % 16 == 0 ? 0x1p6 : 0x1p-44 * static_cast<double>(random() % 8);
     }},
    {"tiny_halves",
     [](std::mt19937_64& random) {
       return random() % 4 == 0 ? -0x1p-46 : 0x1p-47 * static_cast<double>(random() % 4);
     }},
    {"denormals", coarse(0x1p-1074)},
    {"enormous", coarse(0x1p1000)},
};
INSTANTIATE_TEST_SUITE_P(BlockSums, OneKind, testing::ValuesIn(kKinds),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace coppice::engine
