// Every threshold, budget and count of steps by which the engine chooses between ways to the same
// answer. None of them changes which trees are found: tests run all engines with extreme ones.
#pragma once

#include <coppice/graph.hpp>
#include <cstddef>
#include <cstdint>

namespace coppice::engine {

struct Tuning {
  // --- the greedy case (section 10) ---

  // Lists of so many trees are made by listing combinations within a gap; shorter ones best first,
  // and none that are longer than that, for they keep more in memory.
  std::int64_t few_trees = 24, most_greedy = 4096;
  // Combinations that may be made before they are taken best first, and as many more per tree
  // wanted.
  std::int64_t combinations = 256, combinations_per_tree = 16;
  // Cyclic ones that may be met best first before the kernel takes over, and as many more per tree
  // found.
  std::int64_t dead_ends = 64, dead_ends_per_tree = 4;
  // Trees taken best first beyond three times the wanted number because they equal the last of
  // these within the slack: for each wanted one, and in all.
  std::int64_t tied_best_first_per_tree = 4, most_tied_best_first = 1024;

  // --- candidates (docs/engine.md, section 3) ---

  // Under the single-root rule the second best tree may take as long as a solve. In graphs of so
  // few edges a bound and a kernel take longer. Nor is it looked there whether the best tree can do
  // without a contraction.
  std::int64_t few_edges = 1 << 12;

  // In graphs of so many nodes, root included, collecting every edge is no more work than trying
  // another guess at the bound.
  Node small_graph = 12;
  // Guesses, each eight times the one before it, until the bound is taken for infinite. Twelve
  // reach from a millionth of the weights to all of them. No more than one for two trees wanted: a
  // guess costs no less than a tree of the queue.
  int most_guesses = 12;

  // Where more edges than this, than one of so many of the graph's and than so many per tree wanted
  // may matter, lists of them are no cheaper than the graph itself: the queue then works on that.
  std::size_t most_candidates = 256, edges_per_candidate = 64, candidates_per_tree = 16;
  // Where so many edges per node are collected, ties are likely, and whether sums round is worth a
  // look at all weights.
  std::size_t tied_candidates_per_node = 2;

  // --- kernel (section 4) ---

  // In kernels up to this size the company of an edge is found by walking up from it, which is
  // quadratic in deep trees but needs no sorting.
  std::int32_t small_kernel = 1024;
  // Dropping edges may make others hopeless; each round costs as much as building the kernel, and
  // after the first few little is gained. At least 1.
  int most_rounds = 32;
  // Of very deeply nested components not all are looked at to price one edge.
  int most_nested = 1 << 12;

  // --- enumeration (section 5) ---

  // Search states that a sweep may cost before the queue takes over, and as many more per tree
  // wanted. With contracted components the queue is the faster one sooner, and sweeps come in
  // turns.
  std::int64_t states = 256, states_per_tree = 16;
  std::int64_t contracted_states = 64, contracted_states_per_tree = 32;
  // There sweeps are tried within this part of the bound, and then within so much more than what
  // the number of trees found lets expect.
  double first_gap = 0.5, next_gap = 1.1;
  // The same for one stage of a stream, which has no second use for the trees.
  std::int64_t stream_states_per_tree = 64;
  // Larger kernels are not swept: a state copies sets of nodes. At most Sweep::kMostNodes.
  std::int32_t most_swept = 1024;
  // Of a family in the queue no more parts are kept: what comes after them is found by solving
  // again. At least 1.
  std::int64_t most_parts = 64;
  // Trees kept beyond the wanted ones because they equal the last of these within the slack, by the
  // sweep (beside twice the wanted number) and by the queue, where each costs a solve. Of trees
  // that equal the best one the sweep keeps no more than so many for each wanted one.
  std::int64_t most_tied_in_sweep = 4096, most_tied_in_queue = 256, tied_in_sweep_per_tree = 4;
  // Where a list within a gap is short because rounding put others first, it is made again from so
  // many more trees, and for each wanted one.
  std::int64_t most_tied_in_gap = 1 << 14, tied_in_gap_per_tree = 16;
  // Edges that the queue may look at for the sake of such trees: on large graphs they are too dear.
  std::int64_t tied_edges = 1 << 16;

  // --- rules (docs/rules.md) ---

  // For lists of no more trees it is worth a look whether enough of the best ones are legal.
  std::int64_t few_legal = 1 << 10;
  // Charts of more nodes are not worth their memory. Of so many projective trees it is tried
  // whether other rules allow them before a search begins.
  Node most_projective = 1024;
  std::int64_t projective_trees = 1 << 13;

  // --- report (section 8) ---

  // In graphs up to this size a table of all weights of sixteen trees stays in the cache, and is
  // added up sooner than the places are found where trees differ. In larger ones so many nodes are
  // added up, or left out, together.
  std::size_t small_table = 1024;
  Node sum_block = 32;
  // So few scores are put in order by counting the better ones of each, which is quadratic but has
  // no branches; so many by a radix sort, whose eight passes do not pay for fewer; others are dealt
  // once.
  std::size_t few_scores = 64, many_scores = 2048;
  // Lists of more heads than this are kept as changes until they are looked at.
  std::size_t long_list = std::size_t{1} << 22;
};

}  // namespace coppice::engine
