// What several algorithms share: typed indices, the forest of contracted components, preorder.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

#include "graph/forest.hpp"
#include "graph/indexed.hpp"
#include "graph/preorder.hpp"
#include "support/tree_test.hpp"

namespace coppice {
namespace {

using Apple = Index<struct AppleKind>;
using Pear = Index<struct PearKind>;

template <class Vector, class I>
concept Indexable = requires(Vector vector, I i) {
  vector[i];
};

static_assert(Indexable<Indexed<Apple, int>, Apple>);
static_assert(!Indexable<Indexed<Apple, int>, Pear>);
static_assert(!Indexable<Indexed<Apple, int>, int>);
static_assert(!Indexable<Indexed<Node, int>, Apple>);
static_assert(!std::is_convertible_v<Apple, Pear> && !std::is_convertible_v<int, Apple>);
static_assert(sizeof(Apple) == sizeof(std::int32_t) && std::is_trivially_copyable_v<Apple>);

std::vector<Node> random_tree(Node nodes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Node> names(place_of(nodes)), head(place_of(nodes), kNoNode);
  for (Node v = 0; v < nodes; ++v) names[place_of(v)] = v;
  std::shuffle(names.begin() + 1, names.end(), random);
  for (std::size_t i = 1; i < names.size(); ++i) head[place_of(names[i])] = names[random() % i];
  return head;
}

TEST(Preorder, DescendantsFollowTheirNode) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Node nodes = static_cast<Node>(2 + seed % 20);
    const auto head = random_tree(nodes, seed);
    Preorder preorder;
    preorder.build(nodes, [&](Node v) { return head[place_of(v)]; });
    EXPECT_EQ(preorder.words().size(), place_of(nodes) - 1);
    for (Node u = 0; u < nodes; ++u) {
      EXPECT_EQ(preorder.node(preorder.place(u)), u);
      for (Node v = 0; v < nodes; ++v) {
        Node up = u;
        while (up != kNoNode && up != v) up = head[place_of(up)];
        EXPECT_EQ(preorder.is_below(u, v), up == v);
      }
    }
    EXPECT_TRUE(testing::is_tree(nodes, [&](Node v) { return head[place_of(v)]; }));
  }
}

TEST(Preorder, OfAPartOfTheTree) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Node nodes = static_cast<Node>(5 + seed % 20);
    const auto head = random_tree(nodes, seed);
    auto up = [&](Node v) { return head[place_of(v)]; };
    const std::vector<Node> some = {nodes / 2, nodes - 1, 0, nodes / 2, nodes / 3};
    Preorder whole, part;
    whole.build(nodes, up);
    part.build_above(some, nodes, up);
    std::vector<Node> expected;
    for (Node v = 0; v < nodes; ++v)
      if (std::any_of(some.begin(), some.end(), [&](Node u) { return whole.is_below(u, v); }))
        expected.push_back(v);
    EXPECT_EQ(part.size(), expected.size());
    for (Node u : expected) {
      EXPECT_EQ(part.node(part.place(u)), u);
      for (Node v : expected) EXPECT_EQ(part.is_below(u, v), whole.is_below(u, v));
    }
  }
}

TEST(IsTree, SeesACycle) {
  const std::vector<Node> head = {kNoNode, 0, 4, 2, 3};
  EXPECT_FALSE(testing::is_tree(5, [&](Node v) { return head[place_of(v)]; }));
}

TEST(Forest, ContractsCyclesUntilAllHangFromTheRoot) {
  // 1 -> 2 -> 1, which together pick 3, which picks them: then the root.
  using Component = Index<struct ComponentKind>;
  Forest<Component> forest;
  forest.reset(4);
  auto source = [&](Component c) {
    const std::vector<int> sources = {-1, 2, 1, 1, 3, 0};
    return Component(sources[place_of(c)]);
  };
  std::vector<std::size_t> sizes;
  auto merge = [&](std::span<const Component> cycle) {
    sizes.push_back(cycle.size());
    return forest.merge(cycle);
  };
  ASSERT_TRUE(forest.contract([](Component) { return true; }, source, merge));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(forest.end(), Component(6));
  for (int v : {1, 2, 3}) EXPECT_EQ(forest.top(Component(v)), Component(5));
  EXPECT_EQ(forest.parent(Component(1)), Component(4));
  EXPECT_EQ(forest.parent(Component(4)), Component(5));
  EXPECT_EQ(forest.top(Component(0)), Component(0));
  forest.reset(2);
  EXPECT_FALSE(forest.contract([](Component) { return false; }, source, merge));
}

}  // namespace
}  // namespace coppice
