// The sparse solver and its parts: subproblems one after the other give what each gives from the
// beginning, in every kind of number; swaps make trees of just their cost.
#include "engine/solve/sparse.hpp"
#include "support/effort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace coppice::engine {
namespace {

struct Given {
  Node source, target;
  std::int64_t gain;
};

// With nested cycles: pairs of pairs of pairs ...
std::vector<Given> random_edges(Node nodes, bool nested, std::mt19937_64& random) {
  std::vector<Given> edges;
  const auto count = static_cast<std::uint64_t>(nodes);
  for (std::uint64_t i = 0; i < 4 * count; ++i) {
    const auto s = static_cast<Node>(random() % count);
    const auto t = static_cast<Node>(1 + random() % (count - 1));
    auto gain = static_cast<std::int64_t>(random() % 4);
    if (s == 0) gain -= 10;
    for (Node a = s, b = t; nested && s != 0 && a != b; a /= 2, b /= 2) gain -= 3;
    if (s != t) edges.push_back({s, t, gain});
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Given& a, const Given& b) { return a.target < b.target; });
  return edges;
}

template <class W>
void load(Node nodes, const std::vector<Given>& edges, RootRule rule, Sparse<W>& lists) {
  lists.begins().assign(place_of(nodes) + 1, Slot(0));
  lists.edges().clear();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    lists.edges().push_back({W(edges[i].gain), edges[i].source, static_cast<std::int32_t>(i)});
    for (Node v = edges[i].target + 1; v <= nodes; ++v)
      lists.begins()[v] = lists.edges().end_index();
  }
  lists.start(rule);
  lists.start_subproblems();
}

struct Subproblem {
  std::vector<Slot> required, excluded;
};

template <class W>
bool solve(Sparse<W>& lists, const Subproblem& subproblem) {
  lists.clear();
  for (Slot e : subproblem.required) lists.require(e);
  for (Slot e : subproblem.excluded) lists.exclude(e);
  return lists.solve();
}

template <class W>
std::optional<W> gain_of(Sparse<W>& lists, const Subproblem& subproblem) {
  return solve(lists, subproblem) ? std::optional<W>(lists.gain()) : std::nullopt;
}

// Like those of a queue: what was tried before, and a few edges more or less.
void change(Sparse<double>& lists, Subproblem& subproblem, std::mt19937_64& random) {
  auto drop = [&](std::vector<Slot>& edges) {
    while (!edges.empty() && random() % 2 == 0)
      edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(random() % edges.size()));
  };
  drop(subproblem.required);
  drop(subproblem.excluded);
  for (auto more = random() % 4; more > 0; --more) {
    const auto v =
        static_cast<Node>(1 + random() % (static_cast<std::uint64_t>(lists.nodes()) - 1));
    const auto into = lists.end(v).value() - lists.begin(v).value();
    auto at_v = [&](Slot e) { return lists.target(e) == v; };
    if (into == 0 || std::ranges::any_of(subproblem.required, at_v)) continue;
    const Slot e(lists.begin(v).value() + static_cast<std::int32_t>(random() % 2) % into);
    if (std::ranges::count(subproblem.excluded, e) > 0) continue;
    (random() % 3 == 0 ? subproblem.required : subproblem.excluded).push_back(e);
  }
}

// A tree that keeps to the subproblem, of the gain that it says.
template <class W>
void expect_tree(const Sparse<W>& lists, const Subproblem& subproblem, RootRule rule) {
  W gain{};
  int root_edges = 0;
  for (Node v = 1; v < lists.nodes(); ++v) {
    ASSERT_EQ(lists.target(lists.tree(v)), v);
    gain += lists.edge(lists.tree(v)).gain;
    root_edges += lists.edge(lists.tree(v)).source == 0 ? 1 : 0;
    Node up = v;
    for (Node steps = 0; up != 0 && steps < lists.nodes(); ++steps)
      up = lists.edge(lists.tree(up)).source;
    ASSERT_EQ(up, 0);
  }
  ASSERT_EQ(gain, lists.gain());
  ASSERT_TRUE(rule == RootRule::any || root_edges == 1);
  for (Slot e : subproblem.required) ASSERT_EQ(lists.tree(lists.target(e)), e);
  for (Slot e : subproblem.excluded) ASSERT_NE(lists.tree(lists.target(e)), e);
}

template <class Check>
void for_each_subproblem(Check check) {
  for (RootRule rule : {RootRule::any, RootRule::single})
    for (bool nested : {false, true})
      for (Node nodes : {5, 9, 17, 40})
        for (std::uint64_t seed = 0; seed < testing::share(20U); ++seed) {
          SCOPED_TRACE(std::to_string(nodes) + " nodes, seed " + std::to_string(seed) +
                       (rule == RootRule::any ? ", any" : ", single"));
          std::mt19937_64 random(seed);
          const auto edges = random_edges(nodes, nested, random);
          Sparse<double> lists;
          load(nodes, edges, rule, lists);
          Subproblem subproblem;
          for (int step = 0; step < 40; ++step) {
            check(lists, edges, subproblem, rule);
            if (::testing::Test::HasFailure()) return;
            change(lists, subproblem, random);
          }
        }
}

// The best edges of every node are those that a search among all edges finds.
TEST(EdgeLists, KnowTheBestEdgesOfASubproblem) {
  for_each_subproblem([&](Sparse<double>& lists, const std::vector<Given>&,
                          const Subproblem& subproblem, RootRule rule) {
    solve(lists, subproblem);
    bool open = rule == RootRule::single;
    for (Slot e : subproblem.required) open = open && lists.edge(e).source != 0;
    ASSERT_EQ(lists.is_open(), open);
    for (Node v = 1; v < lists.nodes(); ++v) {
      std::vector<double> inner, from_root;  // gains
      for (Slot e = lists.begin(v); e < lists.end(v); ++e) {
        ASSERT_EQ(lists.target(e), v);
        ASSERT_EQ(lists.may_take(e), std::ranges::count(subproblem.excluded, e) == 0);
        const bool is_required = std::ranges::count(subproblem.required, e) > 0;
        if (lists.may_take(e) && (is_required || !lists.is_required(v)))
          (lists.edge(e).source == 0 ? from_root : inner).push_back(lists.edge(e).gain);
      }
      std::ranges::sort(inner, std::greater<>());
      std::ranges::sort(from_root, std::greater<>());
      const auto& best = lists.best(v);
      ASSERT_EQ(best.edge == kNoSlot, inner.empty());
      ASSERT_EQ(best.gain, inner.empty() ? lowest<double>() : inner[0]);
      ASSERT_EQ(best.second, inner.size() < 2 ? lowest<double>() : inner[1]);
      ASSERT_EQ(best.root_edge == kNoSlot, from_root.empty());
      if (!from_root.empty()) ASSERT_EQ(lists.edge(best.root_edge).gain, from_root[0]);
      if (rule == RootRule::single && !open && !lists.is_required(v))
        ASSERT_EQ(lists.root_edge(v), kNoSlot);
      else
        ASSERT_EQ(lists.root_edge(v), best.root_edge);
      if (inner.empty()) continue;
      ASSERT_EQ(lists.edge(best.edge).gain, inner[0]);
      ASSERT_EQ(lists.edge(best.edge).source, best.source);
    }
  });
}

// The component that picked an edge of the tree holds its end, but not its source; every component
// that was picked for has one such edge. The gain of the tree is the sum of all y, with the price.
TEST(Contraction, CertifiesItsTree) {
  for_each_subproblem([&](Sparse<double>& lists, const std::vector<Given>&,
                          const Subproblem& subproblem, RootRule) {
    Contraction<double> contraction;
    if (!solve(lists, subproblem)) return;
    ASSERT_TRUE(contraction.solve(lists));
    ASSERT_EQ(contraction.gain(), lists.gain());
    auto is_inside = [&](Node v, Component around) {
      Component c(v);
      while (c != kNoComponent && c != around) c = contraction.parent(c);
      return c == around;
    };
    for (Node v = 1; v < lists.nodes(); ++v) {
      const Component entered = contraction.picked_by(v);
      ASSERT_TRUE(is_inside(v, entered));
      ASSERT_FALSE(is_inside(lists.edge(contraction.tree(v)).source, entered));
      const Component outer = contraction.parent(entered);
      ASSERT_TRUE(outer == kNoComponent ||
                  is_inside(lists.edge(contraction.tree(v)).source, outer));
    }
    double sum = 0.0;
    for (Component c(1); c < contraction.end(); ++c) sum += contraction.y()[c];
    if (lists.is_open()) sum += contraction.price();
    ASSERT_EQ(sum, contraction.gain());
  });
}

TEST(Sparse, SubproblemsOneAfterTheOther) {
  int solved = 0;
  for_each_subproblem([&](Sparse<double>& lists, const std::vector<Given>& edges,
                          const Subproblem& subproblem, RootRule rule) {
    Sparse<double> fresh;
    Sparse<Wide128> wide;
    load(lists.nodes(), edges, rule, fresh);
    load(lists.nodes(), edges, rule, wide);
    const bool found = solve(fresh, subproblem);
    ASSERT_EQ(solve(lists, subproblem), found);
    ASSERT_EQ(solve(wide, subproblem), found);
    if (!found) return;
    ++solved;
    ASSERT_EQ(lists.gain(), fresh.gain());
    ASSERT_EQ(lists.gain(), wide.gain().value());
    expect_tree(lists, subproblem, rule);
    expect_tree(wide, subproblem, rule);
  });
  EXPECT_GT(solved, testing::share(5000));
}

// The cheapest one makes the best tree that lacks some edge of this one; no other is too cheap.
TEST(Sparse, SwapsCostWhatTheySay) {
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  int swapped = 0;
  for_each_subproblem([&](Sparse<double>& lists, const std::vector<Given>& edges,
                          const Subproblem& subproblem, RootRule rule) {
    if (!solve(lists, subproblem)) return;
    const double gain = lists.gain();
    std::vector<Swap<double>> swaps;
    ASSERT_FALSE(lists.swaps(highest<double>(), kAll, swaps));
    const std::optional<double> root_swap =
        lists.open_root_edge() != kNoSlot ? lists.root_swap() : std::nullopt;
    Sparse<double> other;
    load(lists.nodes(), edges, rule, other);
    Subproblem rest = subproblem;
    if (const Slot root = lists.open_root_edge(); root != kNoSlot) {
      rest.excluded.push_back(root);
      const auto best = gain_of(other, rest);
      ASSERT_TRUE(!best || (root_swap && gain - *best >= *root_swap));
      rest.excluded.pop_back();
      rest.required.push_back(root);
    }
    std::optional<double> second;
    for (Node v = 1; v < lists.nodes(); ++v) {
      const Slot e = lists.tree(v);
      if (std::ranges::count(rest.required, e) > 0) continue;
      rest.excluded.push_back(e);
      if (const auto best = gain_of(other, rest); best && (!second || *best > *second))
        second = best;
      rest.excluded.pop_back();
    }
    ASSERT_EQ(swaps.empty(), !second);
    if (swaps.empty()) return;
    ASSERT_EQ(swaps[0].cost, gain - *second);
    for (std::size_t i = 0; i < swaps.size(); ++i) {
      ASSERT_TRUE(i == 0 || swaps[i - 1].cost <= swaps[i].cost);
      ++swapped;
      rest.excluded.push_back(swaps[i].edge);
      const auto best = gain_of(other, rest);
      ASSERT_TRUE(best && gain - *best <= swaps[i].cost);
      rest.excluded.pop_back();
    }
    std::vector<Swap<double>> few;
    ASSERT_TRUE(lists.swaps(highest<double>(), 1, few) || swaps.size() == 1);
    ASSERT_EQ(few.size(), 1u);
    ASSERT_EQ(few[0].cost, swaps[0].cost);
  });
  EXPECT_GT(swapped, testing::share(5000));
}

TEST(Sparse, ReducedCostsAreLowerBounds) {
  for_each_subproblem([&](Sparse<double>& lists, const std::vector<Given>& edges,
                          const Subproblem& subproblem, RootRule rule) {
    if (lists.nodes() > 9 || !solve(lists, subproblem)) return;
    const double gain = lists.gain();
    Sparse<double> other;
    load(lists.nodes(), edges, rule, other);
    for (Node v = 1; v < lists.nodes(); ++v)
      for (Slot e = lists.begin(v); e < lists.end(v); ++e) {
        if (!lists.may_take(e) || lists.is_required(v)) continue;
        if (lists.edge(e).source == 0 && rule == RootRule::single &&
            lists.open_root_edge() == kNoSlot)
          continue;
        const double cost = lists.reduced_cost(e, v);
        ASSERT_GE(cost, 0.0);
        if (e == lists.tree(v)) ASSERT_EQ(cost, 0.0);
        Subproblem with = subproblem;
        with.required.push_back(e);
        if (const auto best = gain_of(other, with)) ASSERT_GE(gain - *best, cost);
      }
  });
}

}  // namespace
}  // namespace coppice::engine
