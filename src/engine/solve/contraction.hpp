// The best tree of the subproblem that edge lists hold, with a certificate, O(m log n): every
// component picks its best entering edge; cycles of picked edges become components. Under the
// single-root rule all root edges then pay a price, which rises until one of them is left
// (docs/internals/proofs.md).
#pragma once

#include <coppice/graph.hpp>
#include <span>
#include <vector>

#include "engine/solve/edge_lists.hpp"
#include "engine/solve/entering_edges.hpp"
#include "graph/forest.hpp"

namespace coppice::engine {

template <class W>
class Contraction {
 public:
  // False: there is no tree. Where the root is open, root edges pay a price at which there is one
  // of them. The lists must stay where they are.
  bool solve(const EdgeLists<W>& lists);

  const W& gain() const { return gain_; }  // of the tree, the price left out
  const W& price() const { return price_; }
  Slot tree(Node v) const { return tree_[v]; }
  // The only root edge of a tree that was found with an open root, else kNoSlot.
  Slot open_root_edge() const { return open_root_edge_; }
  const Indexed<Component, Component>& parents() const { return forest_.parents(); }
  Component parent(Component c) const { return forest_.parent(c); }
  Component end() const { return forest_.end(); }
  // The key of the edge that each component picked.
  const Indexed<Component, W>& y() const { return y_; }
  // The largest component that the edge of the tree into v enters: the one that picked it.
  Component picked_by(Node v) const { return level_[Component(v)]; }

 private:
  // A component that hangs from the root.
  struct Child {
    W highest_price;  // at which its root edge is no better than any other
    Component component;
    bool operator>(const Child& other) const {
      return highest_price > other.highest_price ||
             (highest_price == other.highest_price && component > other.component);
    }
  };

  bool is_node(Component c) const { return c < Component(lists_->nodes()); }
  Entering<W> from_root(Component c) const;
  bool pick(Component c);
  void pick(Component c, const Entering<W>& edge);
  Component source(Component c) const { return Component(picked_[c].source); }
  Component merge(std::span<const Component> cycle);
  bool leave_one_root_edge();
  void find_children();
  W highest_price(Component c);
  void give_up_root_edge(Component c);
  void expand();

  const EdgeLists<W>* lists_ = nullptr;
  Forest<Component> forest_;
  EnteringEdges<W> inner_;  // those that do not come from the root
  // The best root edge into a component that is no node, whatever the price; its key is without it.
  Indexed<Component, Entering<W>> from_root_;
  Indexed<Component, Pick> picked_;
  Indexed<Component, W> y_;

  std::vector<Child> children_;                 // of the root: a heap, the lowest price first
  Indexed<Component, Component> towards_root_;  // of outermost ones: on the way there, or itself
  std::vector<Component> cycle_;

  Indexed<Node, Slot> tree_;
  Indexed<Component, Component> level_;  // the largest that the edge of the tree enters
  W gain_{}, price_{};
  Slot open_root_edge_;
};

}  // namespace coppice::engine
