// Every engine, both root rules and objectives, against brute force; on larger graphs against each
// other.
#include <algorithm>
#include <coppice/ties.hpp>
#include <string>

#include "check.hpp"
#include "graphs.hpp"
#include "support/brute_force.hpp"
#include "support/engines.hpp"
#include "target.hpp"

namespace coppice::fuzz::engines_target {
namespace {

// No engine may take what another one refuses.
void expect_refused(Graph graph) {
  for (const auto& engine : testing::engines()) {
    for (Objective objective : {Objective::maximize, Objective::minimize}) {
      const std::string error =
          error_of<std::invalid_argument>([&] { engine.run(graph, objective, 3); });
      EXPECT_FALSE(error.empty()) << engine.name;
    }
  }
}

// As many best trees as a list of all trees has.
void expect_ties(Graph graph) {
  for (RootRule rule : {RootRule::any, RootRule::single}) {
    const Problem problem{.root = rule};
    const std::vector<Tree> trees = testing::brute_force(graph, problem);
    const auto best = [&](const Tree& tree) {
      return tree.score == trees[0].score && tree.integer_score == trees[0].integer_score;
    };
    const Ties ties(graph, problem);
    EXPECT_EQ(ties.count().decimal(), std::to_string(std::ranges::count_if(trees, best)));
    double sum = 0.0;
    for (double share : ties.support()) sum += share;
    EXPECT_NEAR(sum, trees.empty() ? 0.0 : graph.words(), 1e-9);
  }
}

}  // namespace

void run(Bytes bytes) {
  constexpr Node kMaxWords = 9;
  constexpr Node kMaxWordsOfBruteForce = 3;
  constexpr EdgeId kMaxEdgesOfBruteForce = 18;
  const SomeGraph some(bytes, kMaxWords);
  const Graph graph = some.graph();
  if (some.bad()) return expect_refused(graph);
  const bool small = graph.words() <= kMaxWordsOfBruteForce &&
                     (graph.dense() || graph.multigraph()->edges() <= kMaxEdgesOfBruteForce);
  if (small)
    testing::expect_brute_force(graph, "a fuzzed graph");
  else
    for (std::size_t limit : {2, 12}) testing::expect_agreement(graph, limit, "a fuzzed graph");
  if (some.largest() > 0x1p-960) testing::expect_certified(graph);  // docs/limits.md, certificates
  const bool rounds = 8.0 * graph.nodes() * some.largest() > 0x1p53;  // as float64
  if (small && some.exact() && !rounds) expect_ties(graph);
}

}  // namespace coppice::fuzz::engines_target
