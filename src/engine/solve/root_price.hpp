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
  // Raises the price until one component hangs from the root, and returns that. A component that
  // gives up its root edge takes its best other edge; where that closes a cycle, the cycle becomes
  // a component. kNoComponent: two components have no other edge, so there is no tree.
  //   contraction.source(c)                  where the edge that c picked comes from
  //   contraction.highest_price(c)           at which its root edge is no better than any other
  //   contraction.pick_other_edge(c)         picks the best that does not come from the root
  //   contraction.merge(cycle)               makes one component of several
  template <class Contraction>
  Component leave_one(Contraction& contraction, Forest<Component>& forest, W& price) {
    find_children(contraction, forest);
    while (children_.size() > 1) {
      poll();
      std::pop_heap(children_.begin(), children_.end(), std::greater<>());
      const auto [price_of_c, c] = children_.back();
      children_.pop_back();
      if (price_of_c == highest<W>()) return kNoComponent;
      price = std::max(price, price_of_c);
      contraction.pick_other_edge(c);
      const Component child = towards_root_[c];
      if (const Component above = forest.top(contraction.source(c)); child_above(above) != child) {
        towards_root_[child] = above;
        continue;
      }
      cycle_.assign(1, c);
      for (Component above = c; (above = forest.top(contraction.source(above))) != c;)
        cycle_.push_back(above);
      const Component merged = contraction.merge(cycle_);
      towards_root_.push_back(child);
      for (Component member : cycle_) towards_root_[member] = child;
      children_.push_back({contraction.highest_price(merged), merged});
      std::push_heap(children_.begin(), children_.end(), std::greater<>());
    }
    return children_.empty() ? kNoComponent : children_.front().component;
  }

 private:
  struct Child {
    W highest_price;
    Component component;
    bool operator>(const Child& other) const {
      return highest_price > other.highest_price ||
             (highest_price == other.highest_price && component > other.component);
    }
  };

  // All that hang from the root.
  template <class Contraction>
  void find_children(Contraction& contraction, Forest<Component>& forest) {
    children_.clear();
    towards_root_.resize(place_of(forest.end()));
    for (Component c(1); c < forest.end(); ++c) {
      if (forest.parent(c) != kNoComponent) continue;
      const Component above = forest.top(contraction.source(c));
      towards_root_[c] = above == Component(0) ? c : above;
      if (above == Component(0)) children_.push_back({W{}, c});
    }
    if (children_.size() == 1) return;
    for (Child& child : children_) child.highest_price = contraction.highest_price(child.component);
    std::make_heap(children_.begin(), children_.end(), std::greater<>());
  }

  // The same one for all that hang from the root by the same edge.
  Component child_above(Component c) {
    while (towards_root_[c] != c) c = towards_root_[c] = towards_root_[towards_root_[c]];
    return c;
  }

  std::vector<Child> children_;                 // of the root: a heap, the lowest price first
  Indexed<Component, Component> towards_root_;  // of outermost ones: something above, or itself
  std::vector<Component> cycle_;
};

}  // namespace coppice::engine
