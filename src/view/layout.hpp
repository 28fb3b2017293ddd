// Where the arcs of a diagram lie: the words stand in a row, every arc above all the arcs it spans.
// The page asks the same code (wasm/api.cpp).
#pragma once

#include <coppice/graph.hpp>
#include <span>
#include <vector>

namespace coppice::view {

struct ArcPlace {
  int level = 0;   // how high it lies; 0: it comes from the root, straight down
  double leg = 0;  // where it leaves its head, from the middle of the word
};

// Of different arcs, be they of one tree or of several that are to share their heights: an arc lies
// above every shorter arc that shares room with it. At a head the longest arc on either side starts
// nearest to the middle, so that nested arcs do not cross. room: of every node, how far to either
// side of its middle legs may stand.
std::vector<ArcPlace> place_arcs(std::span<const Arc> arcs, std::span<const double> room,
                                 double leg_gap);

}  // namespace coppice::view
