// Every threshold, budget and count of steps by which the engine chooses between ways to the same
// answer. None of them changes which trees are found: tests run all engines with extreme ones.
#pragma once

#include <coppice/graph.hpp>
#include <cstddef>
#include <cstdint>

namespace coppice::engine {

struct Tuning {
  // --- best first, combinations ---

  // Lists of so many trees are made by listing combinations within a gap.
  std::int64_t few_trees = 24;
  // Combinations that may be made before they are taken best first, and as many more per tree
  // wanted.
  std::int64_t combinations = 256, combinations_per_tree = 16;

  // No lists that are longer, for it keeps much in memory.
  std::int64_t most_greedy = 4096;
  // Cyclic or illegal combinations that may be met before the fallback, and as many more per tree
  // found.
  std::int64_t dead_ends = 64, dead_ends_per_tree = 4;

  // --- candidates ---

  // Guesses, each eight times the one before it, until the bound is taken for infinite. Twelve
  // reach from a millionth of the weights to all of them. Of sparse graphs no more than one for two
  // trees wanted: there a guess costs no less than a tree of the queue.
  int most_guesses = 12;
  // Where more edges than this, than one of so many of the graph's and than so many per tree wanted
  // may matter, lists of them are no cheaper than the graph itself.
  std::size_t most_candidates = 256, edges_per_candidate = 64, candidates_per_tree = 16;

  // --- reduced graph ---

  // Dropping edges may make others hopeless; each round costs as much as building the graph, and
  // after the first few little is gained. At least 1.
  int most_rounds = 32;
  // Of very deeply nested components not all are looked at to price one edge.
  int most_nested = 1 << 12;

  // --- sweep ---

  // Search states that a sweep may cost before the queue takes over, and as many more per tree
  // wanted.
  std::int64_t states = 64, states_per_tree = 32;
  // With contracted components sweeps are tried within this part of the bound, and then within so
  // much more than what the number of trees found lets expect.
  double first_gap = 0.5, next_gap = 1.1;
  // The same for one stage of a stream, which has no second use for the trees.
  std::int64_t stream_states_per_tree = 64;
  // Larger graphs are not swept: a state copies sets of nodes. At most Sweep::kMostNodes.
  std::int32_t most_swept = 1024;

  // --- partition queue ---

  // Of a family in the queue no more parts are kept: what comes after them is found by solving
  // again. At least 1.
  std::int64_t most_parts = 64;
  // For lists of no more trees it is worth a look whether enough of the best ones are legal.
  std::int64_t few_legal = 1 << 10;
  // Charts of more nodes are not worth their memory. Of so many projective trees it is tried
  // whether other rules allow them before a search begins.
  Node most_projective = 1024;
  std::int64_t projective_trees = 1 << 13;

  // Lists of more heads than this are kept as changes until they are looked at.
  std::size_t long_list = std::size_t{1} << 22;
};

}  // namespace coppice::engine
