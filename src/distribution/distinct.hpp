// Sampling without replacement.
//
// The trees that have not been drawn are kept as a partition into branches. A branch fixes the
// heads of some words that together with the root form a subtree, and forbids some arcs; the rest
// of its trees is a distribution over a smaller graph with the subtree as its root. To draw is to
// choose a branch by its mass and a tree of it; the tree splits its branch into one branch for each
// word that was free, in the order of the tree from the root down: the words before it keep their
// heads, its own arc is forbidden. One elimination in that order gives the masses of all these
// branches, without a subtraction even where the trees drawn have nearly all the mass
// (docs/distribution.md).
#pragma once

#include <coppice/graph.hpp>
#include <optional>
#include <vector>

#include "distribution/potentials.hpp"
#include "distribution/random.hpp"
#include "distribution/unfolding.hpp"

namespace coppice::distribution {

using Heads = std::vector<Node>;

// The trees of a graph, less those that were taken out. The graph must outlive it.
class Remainder {
 public:
  explicit Remainder(const Potentials& graph) : graph_(graph) {}

  // Takes out a tree of the graph that is still in.
  void remove(const Heads& tree);

  // Draws a tree of those that are left and takes it out; nothing where none is left. At least one
  // must have been taken out before.
  std::optional<Heads> draw(Random& random);

 private:
  // A tree that was taken out, and the branches that this made.
  struct Fan {
    Heads tree;
    std::vector<Node> free;           // the words without a fixed head, from the root down
    std::vector<Arc> forbidden;       // in the branch that the tree was taken from
    std::vector<double> log_mass;     // of the branch at each free word; minus infinity once split
    std::vector<std::size_t> splits;  // the fan that split it, or 0
    double total;                     // log of the sum of the masses
  };

  struct Branch {
    Heads tree;               // has the heads of the fixed words
    std::vector<Node> free;   // numbered from 1 in this order; all fixed words together are 0
    std::vector<bool> fixed;  // of each node, the root counted in
    std::vector<Arc> forbidden;
    Matrix<double> log_weights;  // of all nodes, less what is forbidden
    bool single;                 // the root edge is still to be chosen
  };

  Branch make_branch(const Heads& tree, std::vector<Node> free, std::vector<Arc> forbidden) const;
  Branch branch_at(const Fan& fan, std::size_t position) const;
  Fan make_fan(Branch branch, const Heads& tree) const;
  void split(std::size_t fan, std::size_t position, const Heads& tree);

  static Matrix<double> reduced(const Branch& branch);
  static Heads draw(Branch branch, Random& random);
  template <class T>
  static std::optional<std::vector<double>> log_masses(const Branch& branch, const Heads& tree,
                                                       const Unfolding<T>& unfolding);

  const Potentials& graph_;
  std::vector<Fan> fans_;
};

}  // namespace coppice::distribution
