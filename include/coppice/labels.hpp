// Labelled trees: every arc of a dense graph with several labels, each a choice of its own.
//
// A labelled dependency tree is a tree of the multigraph that has one edge per (head, dependent,
// label), its weight being arc score + label score. Its K best trees are distinct as labelled
// trees.
//
//   auto labelled = coppice::label_arcs(arcs, {.scores = lp, .ids = ids, .per_arc = 3});
//   auto trees = coppice::kbest(labelled.graph, {.root = coppice::RootRule::single}, {.k = 10});
//   auto label = labelled.labels[trees.edges(0)[v]];
//
// Throws: Error for wrong sizes, NaN or +inf, naming the arc.
// Cost: time and memory O(N^2 per_arc).
// Threads: any number may call it at once.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace coppice {

// Label scores [head][dependent][choice], row-major, (N+1) x (N+1) x per_arc.
struct LabelScores {
  std::span<const float> scores;
  // Which label each score is for; empty: choice c is label c.
  std::span<const std::int32_t> ids = {};
  int per_arc = 1;
};

struct LabelledGraph {
  Multigraph graph;
  std::vector<std::int32_t> labels;  // of every edge
};

// Edges whose arc or label score is minus infinity are left out.
LabelledGraph label_arcs(const DenseView& arcs, const LabelScores& label_scores);

}  // namespace coppice
