// Heaps that are merged, with amounts taken off, against lists that are searched.
#include "engine/solve/heaps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace coppice::engine {
namespace {

constexpr Node kNodes = 400;

struct Listed {
  Node node;
  std::int64_t key;
};
bool by_key(const Listed& a, const Listed& b) { return a.key < b.key; }

struct Group {
  Heap heap;
  std::vector<Listed> list;
  std::int64_t largest() const { return std::max_element(list.begin(), list.end(), by_key)->key; }
};

template <class W>
class HeapsTest : public testing::Test {
 protected:
  static W number(std::int64_t value) { return W(value); }

  int below(int end) { return std::uniform_int_distribution<>(0, end - 1)(random_); }

  // Whole numbers, many of them equal: nothing is rounded.
  void add(Group& group) {
    const std::int64_t y = below(100), gain = y - below(60);
    heaps_.add(group.heap, next_, number(gain), number(y));
    y_[next_] = y;
    group.list.push_back({next_++, gain - y});
  }

  // The top of one of several groups, taken off all of it.
  void sink(Group& group) {
    const std::int64_t y = group.largest();
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
      heaps_.change(group.heap, number(listed->key + y_[top]));
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
    EXPECT_EQ(heaps_.key(group.heap), number(group.largest()));
  }

  std::mt19937 random_{1};
  Heaps<W> heaps_;
  Node next_ = 0;
  std::int64_t y_[kNodes] = {};  // what was taken off the gains of a node
};

using Numbers = ::testing::Types<double, Wide128, WideAny>;
TYPED_TEST_SUITE(HeapsTest, Numbers);

TYPED_TEST(HeapsTest, HaveTheLargestKeyOnTop) {
  for (int round = 0; round < 20; ++round) {
    this->heaps_.reset(kNodes);
    this->next_ = 0;
    std::vector<Group> groups;
    while (this->next_ < kNodes) {
      groups.push_back({this->heaps_.make(), {}});
      this->add(groups.back());
      for (int steps = this->below(30); steps > 0 && this->next_ < kNodes; --steps) {
        Group& group =
            groups[static_cast<std::size_t>(this->below(static_cast<int>(groups.size())))];
        const int step = this->below(4);
        if (step < 2)
          this->add(group);
        else if (step == 2)
          this->change_top(group);
        else
          this->sink(group);
        this->check(group);
      }
      if (groups.size() > 1 && this->below(2) == 0) this->merge(groups);
    }
    while (groups.size() > 1) this->merge(groups);
    while (groups.front().list.size() > 1) {
      this->change_top(groups.front());
      this->check(groups.front());
    }
  }
}

// A heap that is gone leaves its place to another one, which begins with nothing.
TEST(Heaps, BeginEmpty) {
  Heaps<double> heaps;
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
