// Max-marginals of any matrix, also where greedy heads form cycles: slower than GreedyPaths. Why
// they are right: docs/engine.md, section 11.
#pragma once

#include <coppice/graph.hpp>
#include <vector>

namespace coppice::engine {

// A weight with a rank above it: what must not be in a tree if it can be helped (missing edges,
// and for a single root the root's) outweighs any sum of weights.
struct Ranked {
  double rank = 0.0, weight = 0.0;

  friend Ranked operator+(Ranked a, Ranked b) { return {a.rank + b.rank, a.weight + b.weight}; }
  friend Ranked operator-(Ranked a, Ranked b) { return {a.rank - b.rank, a.weight - b.weight}; }
  friend bool operator==(const Ranked&, const Ranked&) = default;
  friend bool operator<(Ranked a, Ranked b) {
    return a.rank < b.rank || (a.rank == b.rank && a.weight < b.weight);
  }
};

class CyclicPaths {
 public:
  // Weights [dependent][head], minus infinity where there is no edge.
  CyclicPaths(std::vector<double> weights, Node nodes, bool single);

  // [head][dependent]; minus infinity where no tree has the arc.
  std::vector<double> find();
  // The largest number that losses were computed with: errors are of its rounding.
  double scale() const;

 private:
  using Set = Node;  // 0..N are the nodes, later ones unions of earlier ones
  struct Arc {
    Node head, dependent;
  };

  Ranked weight(Node head, Node dependent) const;

  // Edmonds' algorithm: contraction of cycles, and the way back.
  void solve();
  Set top_of(Node node) const { return top_[static_cast<std::size_t>(node)]; }
  void choose(Set set);
  void contract(const std::vector<Set>& cycle);
  void expand();

  void find_reduced_costs();
  Ranked reduced(Node head, Node dependent) const {
    return reduced_[static_cast<std::size_t>(dependent) * static_cast<std::size_t>(nodes_) +
                    static_cast<std::size_t>(head)];
  }

  // cost[h]: of the cheapest path from the root to h that avoids the dependent.
  void find_below(Node dependent, std::vector<Ranked>& cost);
  void find_around(Node dependent, const std::vector<Set>& around, std::vector<Ranked>& cost);

  std::vector<double> weights_;
  Node nodes_;
  bool single_;

  std::vector<Set> top_;                    // of each node, the largest set around it
  std::vector<std::vector<Node>> members_;  // of each set
  std::vector<Set> parent_;                 // of each set, or kNoNode
  std::vector<Ranked> y_;
  std::vector<Arc> entered_by_;  // of each set
  std::vector<Ranked> paid_;     // of each node, the y of the sets around it that have a parent
  std::vector<Node> heads_;
  std::vector<Node> order_;  // preorder: v and its descendants are order_[at_[v]..last_[v])
  std::vector<Node> at_, last_;
  Ranked best_;
  std::vector<Ranked> reduced_;  // [dependent][head]
};

}  // namespace coppice::engine
