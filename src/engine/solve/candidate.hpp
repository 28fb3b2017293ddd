// An edge that is not in the best tree, but cheap enough to be in one of the wanted trees.
#pragma once

#include <coppice/graph.hpp>

#include "engine/solve/indices.hpp"

namespace coppice::engine {

struct Candidate {
  double reduced_cost;  // every tree with this edge is at least so much worse than the best
  double loss;          // gain of the tree edge it replaces minus its own
  Node head;
  Node dependent;
  EdgeId edge;  // kNoEdge in a dense graph
};

using CandidateList = Indexed<CandidateId, Candidate>;

}  // namespace coppice::engine
