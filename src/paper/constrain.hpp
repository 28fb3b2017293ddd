// opt(G) with constrain(G): the best dependency tree (Gabow and Tarjan 1984).
//
// Start from the contracted graph whose greedy graph is a tree. While more than one edge leaves the
// root, take back the one that is cheapest to replace by an edge from elsewhere. If that closes a
// cycle, contract it: the component enters the root's list again, by the best of the root edges of
// its members. Those that were taken back are among them: what they lost against is inside now.
// (Deleting them for good, as the pseudocode can be read, gives wrong trees: docs/paper-notes.md.)
#pragma once

#include <vector>

#include "graph/poll.hpp"
#include "paper/opt.hpp"

namespace coppice::paper {

template <class W>
class Constrain {
 public:
  explicit Constrain(Contraction<W>& contraction) : contraction_(contraction) {}

  // False: there is no dependency tree. The greedy graph must be a tree.
  bool operator()() {
    collect_root_components();
    while (at_root_.size() > 1) {
      poll();
      if (!drop_cheapest_root_edge()) return false;
    }
    return true;
  }

 private:
  struct AtRoot {
    Component component;
    Node other;  // source of its best edge from elsewhere, or none: it cannot leave the root
    W cost;      // of replacing its root edge by that one
  };

  void collect_root_components() {
    for (Component c = 1; c < contraction_.components(); ++c)
      if (contraction_.parent(c) == kNoComponent && contraction_.picked_source(c) == 0)
        at_root_.push_back(replacement(c));
  }

  AtRoot replacement(Component c) const {
    Node best = kNoNode;
    for (Node s = 1; s < contraction_.table().nodes(); ++s)
      if (contraction_.edge(c, s) != kNone &&
          (best == kNoNode || contraction_.value(c, s) > contraction_.value(c, best)))
        best = s;
    if (best == kNoNode) return {c, kNoNode, W{}};
    return {c, best, contraction_.picked_weight(c) - contraction_.value(c, best)};
  }

  bool drop_cheapest_root_edge() {
    std::size_t cheapest = at_root_.size();
    for (std::size_t i = 0; i < at_root_.size(); ++i)
      if (at_root_[i].other != kNoNode &&
          (cheapest == at_root_.size() || at_root_[i].cost < at_root_[cheapest].cost))
        cheapest = i;
    if (cheapest == at_root_.size()) return false;
    AtRoot leaving = at_root_[cheapest];
    at_root_.erase(at_root_.begin() + static_cast<std::ptrdiff_t>(cheapest));
    contraction_.pick_from(leaving.component, leaving.other);
    if (closes_cycle(leaving.component)) {
      const Component merged = contraction_.merge(cycle_);
      contraction_.pick_from(merged, 0);
      at_root_.push_back(replacement(merged));
    }
    return true;
  }

  // Does c reach itself by picked edges? Then cycle_ is what it meets on the way.
  bool closes_cycle(Component c) {
    cycle_.clear();
    Component step = c;
    do {
      cycle_.push_back(step);
      if (contraction_.picked_source(step) == 0) return false;
      step = contraction_.top(contraction_.picked_source(step));
    } while (step != c);
    return true;
  }

  Contraction<W>& contraction_;
  std::vector<AtRoot> at_root_;
  std::vector<Component> cycle_;
};

// False: there is no dependency tree.
template <class W>
bool opt_dep(Contraction<W>& contraction, const Subgraphs& subgraphs, SubgraphId subgraph,
             Best<W>& best) {
  contraction.load(subgraphs, subgraph);
  if (!contraction.contract() || !Constrain<W>(contraction)()) return false;
  stitch(contraction, best);
  return true;
}

}  // namespace coppice::paper
