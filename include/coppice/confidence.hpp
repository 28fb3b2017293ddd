// How sure is each tree of a list, and each of its edges?
//
//   auto trees = coppice::kbest(graph, problem, {.k = 5});
//   auto sure = coppice::confidence(graph, problem, trees);
//   sure.probabilities[0];     // of the best tree, among all trees
//   sure.arcs(0)[v].head;      // that the head it gives to word v is right
//
// Weights are log-potentials, as in distribution.hpp; the probabilities are among all trees that
// `problem` allows, rules left aside. Labels are told apart by SentenceFacts::edge_labels, edges
// where there are none.
//
// Throws: Error as TreeDistribution does.
// Cost: O(N^3) once, and O(N^2) a tree (O(edges) in a multigraph).
// Threads: any number may call it at once.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <cstddef>
#include <span>
#include <vector>

namespace coppice {

// How sure a word's edge in a tree is.
struct ArcProbabilities {
  double head = 0.0;  // the probability that the word hangs from this head
  // Given that head, the probability of this label (where the graph has none: of this edge among
  // the parallel ones). 1 in a matrix.
  double label = 1.0;
  Node other_head = kNoNode;  // the likeliest other head, or none
  double other = 0.0;         // its probability
};

struct ListProbabilities {
  std::vector<double> probabilities;  // of the trees
  std::vector<ArcProbabilities> all;  // [tree][word 1..N]

  // Of the tree of that rank: [0] is word 1.
  std::span<const ArcProbabilities> arcs(std::size_t rank) const {
    const std::size_t words = all.size() / probabilities.size();
    return std::span(all).subspan(rank * words, words);
  }
};

ListProbabilities confidence(Graph graph, const Problem& problem, const TreeList& trees);

}  // namespace coppice
