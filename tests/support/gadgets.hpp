// Graphs of any size whose K best scores are known.
//
// A gadget is a handful of nodes whose edges come from each other, from one node outside (its
// entry) and perhaps from the root. Entries belong to gadgets placed earlier, so the trees of the
// whole graph are exactly the combinations of one tree of each gadget: its K best scores are the K
// largest sums with one term from each gadget's own list, which is small enough to try everything.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "support/generate.hpp"

namespace coppice::testing {

class Gadgets {
 public:
  enum class Shape {
    chain,  // each below the one before it: a deep tree
    bush,   // each below any earlier one
    fan,    // all below the root: no tree has a single root, unless there is one gadget
  };
  struct Spec {
    Node words = 100;  // or a few more
    Shape shape = Shape::bush;
    std::int64_t largest = 1000;  // weights are 0..4 * largest; a small one makes many ties
    bool root_edges = true;       // gadgets have edges from the root, too
    bool parallel = false;        // a multigraph: some edges are there twice
    // Edges everywhere else, each worse than all gadgets together: no tree of the list has one.
    bool background = false;
    std::uint64_t seed = 1;
  };
  explicit Gadgets(const Spec& spec);

  Node nodes() const { return nodes_; }
  std::size_t gadgets() const { return lists_.size(); }

  // The k best scores, fewer if there are no more trees without background, when every weight is
  // multiplied by a positive unit, in units.
  std::vector<std::int64_t> best_scores(RootRule rule, std::size_t k) const;

  // The graph, each weight multiplied by the unit.
  Multigraph multigraph(double unit) const;
  Multigraph integer_multigraph(std::int64_t unit) const;
  Matrix matrix(double unit) const;                                   // not of parallel edges
  std::vector<std::int64_t> integer_matrix(std::int64_t unit) const;  // with background

 private:
  struct Edge {
    Node source, target;
    std::int64_t weight;
  };
  // Of one gadget: the scores of its trees, best first, under either rule.
  struct Lists {
    std::vector<std::int64_t> any, single;
  };

  void place(Node first, Node size, Node entry, const Spec& spec, std::mt19937_64& random);
  void add_background(const Spec& spec, std::mt19937_64& random);

  Node nodes_ = 1;
  std::vector<Edge> edges_;
  std::vector<Lists> lists_;
};

}  // namespace coppice::testing
