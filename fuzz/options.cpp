// Gaps, required and forbidden edges, labels, minimising: against brute force. Decoders that are
// used again and batches: against single calls.
#include <algorithm>
#include <coppice/batch.hpp>
#include <deque>

#include "asked.hpp"
#include "check.hpp"
#include "graphs.hpp"
#include "support/engines.hpp"
#include "target.hpp"

namespace coppice::fuzz::options_target {
namespace {

void expect_batch(const std::vector<Graph>& graphs, Asked asked, int threads) {
  const Problem& problem = asked.problem;
  Request& request = asked.request;
  if (!request.k) request.k = 30;
  const auto results = kbest_batch(graphs, problem, request, threads);
  ASSERT_EQ(results.size(), graphs.size());
  Decoder decoder;
  TreeList reused;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    TreeList fresh;
    const std::string error =
        error_of<std::invalid_argument>([&] { fresh = kbest(graphs[i], problem, request); });
    EXPECT_EQ(results[i].failure.text, error);
    EXPECT_EQ(error_of<std::invalid_argument>(
                  [&] { decoder.kbest(graphs[i], problem, request, reused); }),
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
        !error_of<std::invalid_argument>([&] { best(made.graph(), asked->problem); }).empty();
    // Whether a weight is looked at that constraints rule out is left open.
    const bool constrained =
        !asked->problem.required.empty() || !asked->problem.forbidden.empty() ||
        !asked->problem.required_edges.empty() || !asked->problem.forbidden_edges.empty();
    EXPECT_TRUE(refused || constrained || !made.bad());
    // Whether a tree is within the gap is a matter of rounding where sums round.
    if (!made.exact()) asked->request.max_gap.reset();
    if (!refused)
      testing::expect_trees(made.graph(), asked->problem, asked->request, "a fuzzed graph");
  } while (!bytes.empty() && graphs.size() < 4);
  expect_batch(graphs, *asked, threads);
}

}  // namespace coppice::fuzz::options_target
