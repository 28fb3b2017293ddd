// Heaps that are merged, with amounts taken off, against lists that are searched.
#include "engine/heaps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace coppice::engine {
namespace {

constexpr Node kNodes = 400;

struct Listed {
  Node node;
  double key;
};
bool by_key(const Listed& a, const Listed& b) { return a.key < b.key; }

struct Group {
  Heap heap;
  std::vector<Listed> list;
  double largest() const { return std::max_element(list.begin(), list.end(), by_key)->key; }
};

class HeapsTest : public testing::Test {
 protected:
  int below(int end) { return std::uniform_int_distribution<>(0, end - 1)(random_); }

  // Whole numbers, many of them equal: nothing is rounded.
  void add(Group& group) {
    const double y = below(100), weight = y - below(60);
    heaps_.add(group.heap, next_, weight, y);
    y_[next_] = y;
    group.list.push_back({next_++, weight - y});
  }

  // The top of one of several groups, taken off all of it.
  void sink(Group& group) {
    const double y = group.largest();
    heaps_.sink(group.heap);
    for (auto& [node, key] : group.list) {
      key -= y;
      y_[node] += y;
    }
  }

  void change_top(Group& group) {
    const Node top = heaps_.top(group.heap);
    const auto listed = std::find_if(group.list.begin(), group.list.end(),
                                     [&](const Listed& entry) { return entry.node == top; });
    ASSERT_NE(listed, group.list.end());
    if (below(4) == 0 && group.list.size() > 1) {
      heaps_.pop(group.heap);
      group.list.erase(listed);
    } else {
      listed->key -= below(30);
      heaps_.change(group.heap, listed->key + y_[top]);
    }
  }

  void merge(std::vector<Group>& groups) {
    Group from = groups[groups.size() - 1], &to = groups[groups.size() - 2];
    sink(from);
    sink(to);
    const Node together = heaps_.nodes(from.heap) + heaps_.nodes(to.heap);
    heaps_.move(from.heap, to.heap);
    EXPECT_EQ(heaps_.nodes(to.heap), together);
    to.list.insert(to.list.end(), from.list.begin(), from.list.end());
    groups.pop_back();
  }

  void check(const Group& group) {
    ASSERT_FALSE(heaps_.empty(group.heap));
    EXPECT_EQ(heaps_.key(group.heap), group.largest());
  }

  std::mt19937 random_{1};
  Heaps heaps_;
  Node next_ = 0;
  double y_[kNodes] = {};  // what was taken off the weights of a node
};

TEST_F(HeapsTest, HaveTheLargestKeyOnTop) {
  for (int round = 0; round < 20; ++round) {
    heaps_.reset(kNodes);
    next_ = 0;
    std::vector<Group> groups;
    while (next_ < kNodes) {
      groups.push_back({heaps_.make(), {}});
      add(groups.back());
      for (int steps = below(30); steps > 0 && next_ < kNodes; --steps) {
        Group& group = groups[static_cast<std::size_t>(below(static_cast<int>(groups.size())))];
        const int step = below(4);
        if (step < 2)
          add(group);
        else if (step == 2)
          change_top(group);
        else
          sink(group);
        check(group);
      }
      if (groups.size() > 1 && below(2) == 0) merge(groups);
    }
    while (groups.size() > 1) merge(groups);
    while (groups.front().list.size() > 1) {
      change_top(groups.front());
      check(groups.front());
    }
  }
}

// A heap that is gone leaves its place to another one, which begins with nothing.
TEST(Heaps, BeginEmpty) {
  Heaps heaps;
  heaps.reset(4);
  const Heap first = heaps.make(), second = heaps.make();
  heaps.add(first, 1, 3.0, 5.0);
  heaps.add(second, 2, 1.0, 2.0);
  heaps.sink(first);
  heaps.sink(second);
  heaps.move(second, first);
  const Heap third = heaps.make();
  EXPECT_EQ(third, second);
  EXPECT_TRUE(heaps.empty(third));
  EXPECT_EQ(heaps.nodes(third), 0);
  heaps.add(third, 3, 4.0, 7.0);
  EXPECT_EQ(heaps.key(third), -3.0);
  EXPECT_EQ(heaps.key(first), 0.0);
  EXPECT_EQ(heaps.nodes(first), 2);
}

}  // namespace
}  // namespace coppice::engine
