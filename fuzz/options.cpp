// Gaps, required and forbidden edges, labels, minimising: against brute force. Decoders that are
// used again and batches: against single calls.
#include <algorithm>
#include <coppice/batch.hpp>
#include <deque>

#include "check.hpp"
#include "graphs.hpp"
#include "support/engines.hpp"
#include "target.hpp"

namespace coppice::fuzz {
namespace {

Arc some_arc(Bytes& bytes, Node nodes) {
  // Now and then one that is not there: it must be refused, not read.
  const Node head = bytes.take<Node>(0, nodes), dependent = bytes.take<Node>(0, nodes);
  return {head, dependent};
}

struct Asked {
  Which which;
  HowMany how_many;
};

Asked something(Bytes& bytes, Graph graph) {
  Which which{.root = bytes.flag() ? RootRule::any : RootRule::single};
  HowMany how_many;
  const auto given = bytes.take<std::uint8_t>();
  if ((given & 1) != 0) how_many.k = bytes.take(1, 40);
  if ((given & 2) != 0) how_many.max_gap = bytes.take(0, 32) * 0.25;
  if ((given & 4) != 0) which.objective = Objective::minimize;
  for (int count = given >> 3 & 1; count > 0; --count)
    which.required.push_back(some_arc(bytes, graph.nodes()));
  for (int count = given >> 4 & 3; count > 0; --count)
    which.forbidden.push_back(some_arc(bytes, graph.nodes()));
  if ((given & 64) != 0) which.required_edges.push_back(bytes.take<EdgeId>(0, 15));
  if ((given & 128) != 0) which.forbidden_edges.push_back(bytes.take<EdgeId>(0, 15));
  return {which, how_many};
}

void expect_same(const TreeList& trees, const TreeList& expected) {
  EXPECT_TRUE(std::ranges::equal(trees.all_heads(), expected.all_heads()));
  EXPECT_TRUE(std::ranges::equal(trees.all_edges(), expected.all_edges()));
  EXPECT_TRUE(std::ranges::equal(trees.scores(), expected.scores()));
  EXPECT_TRUE(std::ranges::equal(trees.integer_scores(), expected.integer_scores()));
}

void expect_batch(const std::vector<Graph>& graphs, Asked asked, int threads) {
  const Which& which = asked.which;
  HowMany& how_many = asked.how_many;
  if (!how_many.k) how_many.k = 30;
  const auto results = kbest_batch(graphs, which, how_many, threads);
  ASSERT_EQ(results.size(), graphs.size());
  Decoder decoder;
  TreeList reused;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    TreeList fresh;
    const std::string error =
        error_of<std::invalid_argument>([&] { fresh = kbest(graphs[i], which, how_many); });
    EXPECT_EQ(results[i].failure.text, error);
    EXPECT_EQ(
        error_of<std::invalid_argument>([&] { decoder.kbest(graphs[i], which, how_many, reused); }),
        error);
    if (!error.empty()) continue;
    expect_same(results[i].trees, fresh);
    expect_same(reused, fresh);
  }
}

}  // namespace

void run(Bytes bytes) {
  constexpr Node kMaxWords = 4;
  std::deque<SomeGraph> some;
  std::vector<Graph> graphs;
  std::optional<Asked> asked;
  const int threads = bytes.flag() ? 2 : 1;
  do {
    const SomeGraph& made = some.emplace_back(bytes, kMaxWords);
    graphs.push_back(made.graph());
    asked = something(bytes, made.graph());
    const bool refused =
        !error_of<std::invalid_argument>([&] { best(made.graph(), asked->which); }).empty();
    // Whether a weight is looked at that constraints rule out is left open.
    const bool constrained = !asked->which.required.empty() || !asked->which.forbidden.empty() ||
                             !asked->which.required_edges.empty() ||
                             !asked->which.forbidden_edges.empty();
    EXPECT_TRUE(refused || constrained || !made.bad());
    // Whether a tree is within the gap is a matter of rounding where sums round.
    if (!made.exact()) asked->how_many.max_gap.reset();
    if (!refused)
      testing::expect_trees(made.graph(), asked->which, asked->how_many, "a fuzzed graph",
                            made.rounding());
  } while (!bytes.empty() && graphs.size() < 4);
  expect_batch(graphs, *asked, threads);
}

}  // namespace coppice::fuzz
