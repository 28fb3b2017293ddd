// Rules, ready-made ones and any clauses, against brute force; proofs of what comes first.
#include <coppice/kbest.hpp>
#include <coppice/legal.hpp>
#include <coppice/rules.hpp>
#include <coppice/verify.hpp>

#include "check.hpp"
#include "graphs.hpp"
#include "support/brute_force.hpp"
#include "support/clauses.hpp"
#include "support/engines.hpp"
#include "target.hpp"

namespace coppice::fuzz::rules_target {
namespace {

ClauseEdge some_edge(Bytes& bytes, Graph graph) {
  if (const Multigraph* edges = graph.multigraph(); edges != nullptr && edges->edges() > 0) {
    const auto e = bytes.take<EdgeId>(0, edges->edges() - 1);
    if (edges->target(e) != 0)
      return {edges->source(e), edges->target(e), bytes.flag() ? e : kNoEdge};
  }
  const Node head = bytes.take<Node>(0, graph.nodes() - 1);
  return {head, bytes.take<Node>(1, graph.nodes() - 1)};
}

Rule some_clauses(Bytes& bytes, Graph graph) {
  std::vector<Clause> clauses(bytes.take<std::size_t>(1, 6));
  for (Clause& clause : clauses) {
    for (int left = bytes.take<int>(0, 3); left > 0; --left)
      clause.without.push_back(some_edge(bytes, graph));
    for (int left = bytes.take<int>(0, 2); left > 0; --left)
      clause.with.push_back(some_edge(bytes, graph));
    if (clause.without.empty() && clause.with.empty())
      clause.without.push_back(some_edge(bytes, graph));
  }
  return testing::clauses_rule(std::move(clauses));
}

template <class T>
std::vector<T> per_node(Bytes& bytes, Graph graph, T last) {
  std::vector<T> numbers;
  for (Node v = 0; v < graph.nodes(); ++v) numbers.push_back(bytes.take<T>(0, last));
  return numbers;
}

Rule some_rule(Bytes& bytes, Graph graph) {
  switch (bytes.take<int>(0, 7)) {
    case 0:
      return rules::projective();
    case 1:
      return rules::max_children(bytes.take<std::int32_t>(0, 3));
    case 2:
      return rules::max_children(per_node<std::int32_t>(bytes, graph, 3));
    case 3:
      return rules::min_children(per_node<std::int32_t>(bytes, graph, 2));
    case 4:
      return rules::max_depth(bytes.take<std::int32_t>(1, 3));
    case 5: {
      const auto eighths = per_node<std::int32_t>(bytes, graph, 16);
      return rules::sum_condition(std::vector<double>(eighths.begin(), eighths.end()), 1);
    }
    default:
      return some_clauses(bytes, graph);
  }
}

void expect_proved(Graph graph, const Problem& problem) {
  const auto trees = kbest(graph, problem, {.k = 2});
  if (trees.empty()) return;
  const auto proof = prove_best(graph, problem, trees.copy(0));
  ASSERT_TRUE(proof);
  EXPECT_EQ(check_proof(graph, problem, trees.copy(0), *proof), "");
  if (trees.size() < 2 || trees.score(0) == trees.score(1)) return;
  EXPECT_FALSE(prove_best(graph, problem, trees.copy(1)));
}

}  // namespace

void run(Bytes bytes) {
  constexpr Node kMaxWords = 4;
  constexpr EdgeId kMaxEdges = 18;
  const SomeGraph some(bytes, kMaxWords);
  const Graph graph = some.graph();
  if (some.bad() || (graph.multigraph() && graph.multigraph()->edges() > kMaxEdges)) return;
  Problem problem{.root = bytes.flag() ? RootRule::single : RootRule::any,
                  .objective = bytes.flag() ? Objective::minimize : Objective::maximize};
  for (int left = bytes.take<int>(1, 2); left > 0; --left)
    problem.rules.push_back(some_rule(bytes, graph));
  Request request;
  if (bytes.flag()) request.k = bytes.take<std::int64_t>(1, 20);
  // Where sums round, rounding decides which trees are within a gap.
  if (bytes.flag() && some.exact()) request.max_gap = bytes.take<int>(0, 8) * 0.25;
  testing::expect_trees(graph, problem, request, "a fuzzed graph");
  const auto legal = static_cast<std::int64_t>(testing::brute_force(graph, problem).size());
  EXPECT_EQ(count_legal(graph, problem), legal);
  if (legal == 0) EXPECT_FALSE(find_legal(graph, problem));
  if (some.exact() && some.largest() < 0x1p40) expect_proved(graph, problem);
}

}  // namespace coppice::fuzz::rules_target
