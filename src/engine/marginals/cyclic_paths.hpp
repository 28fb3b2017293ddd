// Max-marginals of any matrix, also where greedy heads form cycles: slower than GreedyPaths. Why
// they are right: docs/internals/proofs.md.
#pragma once

#include <coppice/graph.hpp>
#include <vector>

#include "engine/solve/sparse.hpp"

namespace coppice::engine {

template <class W>
class CyclicPaths {
 public:
  // Gains [dependent][head], lowest<W>() where there is no edge. What must not be in a tree if it
  // can be helped (more root edges than one) has paid a penalty.
  CyclicPaths(std::vector<W> gains, Node nodes);

  // How much more the best tree with an arc loses than the best tree, [head][dependent]; highest<W>()
  // where no tree has the arc. False: there is no tree.
  bool find(std::vector<W>& losses);
  const W& best_gain() const { return best_gain_; }

 private:
  static W far() { return highest<W>(); }
  std::size_t at(Node dependent, Node head) const {
    return place_of(dependent) * place_of(nodes_) + place_of(head);
  }
  const W& reduced(Node head, Node dependent) const { return reduced_[at(dependent, head)]; }
  const std::vector<Node>& members(Component set) const { return members_[set]; }

  bool solve();
  void find_reduced_costs();
  // cost[h]: of the cheapest path from the root to h that avoids the dependent.
  void find_below(Node dependent, std::vector<W>& cost);
  void find_around(Node dependent, const std::vector<Component>& around, std::vector<W>& cost);

  std::vector<W> gains_;
  Node nodes_;
  Indexed<Component, Component> parent_;
  Indexed<Component, W> y_;
  Indexed<Component, std::vector<Node>> members_;
  Indexed<Node, Node> heads_;
  W best_gain_{};
  Preorder preorder_;
  std::vector<W> reduced_;  // [dependent][head]
};

}  // namespace coppice::engine
