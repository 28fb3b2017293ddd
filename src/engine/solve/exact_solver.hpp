// The best tree of a graph in numbers that are wide enough for any weights, and the edges that may
// replace its edges at no cost.
#pragma once

#include <coppice/problem.hpp>
#include <vector>

#include "engine/solve/certified_tree.hpp"

namespace coppice::engine {

struct ExactTree {
  // Its y and the price are in the weights, rounded, but 0 only where they are.
  CertifiedTree tree;
  // Edges of reduced cost 0 that are not in the tree.
  struct Tight {
    Node head, dependent;
    EdgeId edge;
  };
  std::vector<Tight> tight;
};

// False: there is no tree.
bool solve_exactly(Graph graph, const Problem& problem, ExactTree& found);

}  // namespace coppice::engine
