// The solver of the queue alone: a solve that begins with the components of the subproblem before
// gives what one from the beginning gives.
#include "engine/list_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace coppice::engine {
namespace {

using Solver = ListSolver<std::int64_t>;
using Edge = Solver::Edge;

// With nested cycles: pairs of pairs of pairs ...
std::vector<Solver::Input> random_edges(Node nodes, bool nested, std::mt19937_64& random) {
  std::vector<Solver::Input> edges;
  const auto count = static_cast<std::uint64_t>(nodes);
  for (std::uint64_t i = 0; i < 4 * count; ++i) {
    const auto s = static_cast<Node>(random() % count);
    const auto t = static_cast<Node>(1 + random() % (count - 1));
    auto weight = static_cast<std::int64_t>(random() % 4);
    if (s == 0) weight -= 10;
    for (Node a = s, b = t; nested && s != 0 && a != b; a /= 2, b /= 2) weight -= 3;
    if (s != t) edges.push_back({s, t, static_cast<std::int32_t>(i), weight});
  }
  return edges;
}

struct Subproblem {
  std::vector<Edge> required, excluded;
};

bool solve(Solver& solver, const Subproblem& subproblem) {
  solver.clear();
  for (Edge e : subproblem.required) solver.require(e);
  for (Edge e : subproblem.excluded) solver.exclude(e);
  return solver.solve();
}

// Like those of a queue: what was tried before, and a few edges more or less.
void change(Solver& solver, Subproblem& subproblem, std::mt19937_64& random) {
  auto drop = [&](std::vector<Edge>& edges) {
    while (!edges.empty() && random() % 2 == 0)
      edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(random() % edges.size()));
  };
  drop(subproblem.required);
  drop(subproblem.excluded);
  for (auto more = random() % 4; more > 0; --more) {
    const auto v =
        static_cast<Node>(1 + random() % (static_cast<std::uint64_t>(solver.nodes()) - 1));
    const auto into = solver.end(v).value() - solver.begin(v).value();
    auto at_v = [&](Edge e) { return solver.node(e) == v; };
    if (into == 0 || std::any_of(subproblem.required.begin(), subproblem.required.end(), at_v))
      continue;
    const Edge e(solver.begin(v).value() + static_cast<std::int32_t>(random() % 2) % into);
    auto is_e = [&](Edge other) { return other == e; };
    if (std::any_of(subproblem.excluded.begin(), subproblem.excluded.end(), is_e)) continue;
    (random() % 3 == 0 ? subproblem.required : subproblem.excluded).push_back(e);
  }
}

// The tree keeps to the subproblem and weighs what it should; so does the second best.
void expect_same(Solver& solver, Solver& fresh, const Subproblem& subproblem) {
  ASSERT_EQ(solver.weight(), fresh.weight());
  for (Edge e : subproblem.required) ASSERT_EQ(solver.tree(solver.node(e)), e);
  for (Edge e : subproblem.excluded) ASSERT_NE(solver.tree(solver.node(e)), e);
  if (const Edge root = solver.open_root_edge(); root != Solver::kNone) {
    ASSERT_EQ(solver.tree(solver.node(root)), root);
    return;  // of several best root edges each has swaps of its own
  }
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<Solver::Swap> swaps, expected;
  solver.swaps(kAny, kAll, swaps);
  fresh.swaps(kAny, kAll, expected);
  ASSERT_EQ(swaps.empty(), expected.empty());
  if (swaps.empty()) return;
  ASSERT_EQ(swaps.front().cost, expected.front().cost);
}

TEST(ListSolver, BeginsWithTheComponentsOfTheLastSolve) {
  int solved = 0;
  for (RootRule rule : {RootRule::any, RootRule::single})
    for (bool nested : {false, true})
      for (Node nodes : {5, 9, 17, 40})
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
          SCOPED_TRACE(std::to_string(nodes) + " nodes, seed " + std::to_string(seed));
          std::mt19937_64 random(seed);
          const auto edges = random_edges(nodes, nested, random);
          Solver solver;
          auto taken = edges;
          solver.load(nodes, taken, rule);
          Subproblem subproblem;
          for (int step = 0; step < 60; ++step) {
            Solver fresh;
            taken = edges;
            fresh.load(nodes, taken, rule);
            const bool found = solve(fresh, subproblem);
            ASSERT_EQ(solve(solver, subproblem), found);
            if (found) expect_same(solver, fresh, subproblem);
            if (HasFatalFailure()) return;
            solved += found ? 1 : 0;
            change(solver, subproblem, random);
          }
        }
  EXPECT_GT(solved, 10'000);
}

}  // namespace
}  // namespace coppice::engine
