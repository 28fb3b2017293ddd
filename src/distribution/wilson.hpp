// Wilson's algorithm: from every word walk up along random heads, forgetting loops, until a word is
// met that is already in the tree.
//
// A single root edge by rejection: sample with any number of root edges from the graph whose root
// edges are scaled by one factor, until there is one root edge only. The factor changes all trees
// with one root edge alike.
//
// A walk may be given up for taking too long without any bias: the loops that are forgotten say
// nothing about the tree that is left (docs/distribution.md).
#pragma once

#include <coppice/graph.hpp>
#include <span>
#include <vector>

#include "distribution/potentials.hpp"
#include "distribution/random.hpp"

namespace coppice::distribution {

class Wilson {
 public:
  explicit Wilson(const Potentials& graph);

  // False, and heads undefined, where it took too many steps.
  bool sample(Random& random, std::span<Node> heads) const;

 private:
  // Walker's alias method: one of two heads.
  struct Slot {
    double threshold;
    Node head;
    Node other;
  };

  void add_table(std::span<const double> weights, std::span<const Node> heads);
  Node draw_head(Random& random, Node dependent) const;
  bool walk(Random& random, std::span<Node> heads, std::vector<bool>& in_tree, long& steps) const;

  std::vector<Slot> slots_;
  std::vector<std::size_t> first_slot_;  // of each word, and the end
  bool single_;
};

}  // namespace coppice::distribution
