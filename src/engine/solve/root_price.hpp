// The single-root rule in a sparse graph: from the best tree with any number of root edges to the
// best one that has one, by a price that all root edges pay (docs/internals/proofs.md).
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/numbers/wide.hpp"
#include "engine/solve/indices.hpp"
#include "graph/forest.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
class RootPrice {
 public:
  // Picks, below, answers for all components:
  //   Component source(Component c)          where the edge that c picked comes from
  //   W highest_price(Component c)           at which its root edge is no better than any other
  //   void pick_other_edge(Component c)      picks the best that does not come from the root
  //   Component merge(std::span<const Component> cycle)

  // Raises the price until one component hangs from the root. A component that gives up its root
  // edge takes its best other edge; where that closes a cycle, the cycle becomes a component. False:
  // two components have no other edge, so there is no tree.
  template <class Picks>
  bool leave_one(Forest<Component>& forest, const Picks& picks, W& price) {
    find(forest, picks);
    while (heap_.size() > 1) {
      poll();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const auto [price_of_c, c] = heap_.back();
      heap_.pop_back();
      if (price_of_c == highest<W>()) return false;
      price = std::max(price, price_of_c);
      picks.pick_other_edge(c);
      const Component child = towards_root_[c];
      if (const Component above = forest.top(picks.source(c)); child_above(above) != child) {
        towards_root_[child] = above;
        continue;
      }
      const Component merged = merge_cycle_through(c, forest, picks);
      towards_root_.push_back(child);
      for (Component member : cycle_) towards_root_[member] = child;
      heap_.push_back({picks.highest_price(merged), merged});
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    return !heap_.empty();
  }

  // The only component that is left after leave_one().
  Component first() const { return heap_.front().component; }

 private:
  // Finds all that hang from the root.
  template <class Picks>
  void find(Forest<Component>& forest, const Picks& picks) {
    heap_.clear();
    towards_root_.resize(place_of(forest.end()));
    for (Component c(1); c < forest.end(); ++c) {
      if (forest.parent(c) != kNoComponent) continue;
      const Component above = forest.top(picks.source(c));
      towards_root_[c] = above == Component(0) ? c : above;
      if (above == Component(0)) heap_.push_back({W{}, c});
    }
    if (heap_.size() == 1) return;
    for (Child& child : heap_) child.highest_price = picks.highest_price(child.component);
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // The same one for all that hang from the root by the same edge.
  Component child_above(Component c) {
    while (towards_root_[c] != c) c = towards_root_[c] = towards_root_[towards_root_[c]];
    return c;
  }

  struct Child {
    W highest_price;
    Component component;
    bool operator>(const Child& other) const {
      return highest_price > other.highest_price ||
             (highest_price == other.highest_price && component > other.component);
    }
  };

  template <class Picks>
  Component merge_cycle_through(Component c, Forest<Component>& forest, const Picks& picks) {
    cycle_.assign(1, c);
    for (Component above = forest.top(picks.source(c)); above != c;
         above = forest.top(picks.source(above)))
      cycle_.push_back(above);
    return picks.merge(cycle_);
  }

  std::vector<Child> heap_;                     // the lowest price first
  Indexed<Component, Component> towards_root_;  // of outermost ones: something above, or itself
  std::vector<Component> cycle_;
};

}  // namespace coppice::engine
