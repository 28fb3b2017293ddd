// Ties: how many best trees there are, and how many of them have each edge.
//
//   coppice::Ties ties(graph, {.root = coppice::RootRule::any});
//   std::string many = ties.count().decimal();    // exact
//   double magnitude = ties.log_count();          // its natural logarithm, quickly
//   std::vector<double> share = ties.support();   // of every edge, among all best trees
//
// Method: a tree is best if all its edges have reduced cost 0 and it enters every component whose
// dual number is negative exactly once. Such trees are counted by weighted matrix-tree sums along
// the nested components, members first (docs/internals/proofs.md, section 11). Nothing is listed: a
// hundred nodes may well have 10^100 best trees.
//
// Cost: that of the best tree, and an elimination for every group of nodes that tied edges
// connect strongly: O(N^3) at worst, little where such groups are small or sparse. count() repeats
// the elimination once for every 62 binary digits of the number.
//
// Exactness: trees tie if the weights, as they were given, add up to the same number: there is no
// tolerance, and 0.1 + 0.2 does not tie with 0.3. Lists with max_gap = 0 also have the trees that
// are worse by less than the engine's rounding (kbest.hpp), of weights 1 and 1e-17, say. Parallel
// edges make different trees.
//
// Throws: Error as best() does, and for rules.
// Threads: a Ties may be used by several threads at once.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace coppice {

// A number of trees, however large.
struct BigCount {
  std::vector<std::uint64_t> words;  // from the lowest to the highest, which is not 0; none: zero

  std::string decimal() const;
  friend bool operator==(const BigCount&, const BigCount&) = default;
};

// Keeps what it needs of the graph. Copies share everything.
class Ties {
 public:
  Ties(Graph graph, const Problem& problem);

  bool empty() const;          // there is no tree
  double log_count() const;    // natural logarithm; minus infinity where there is none
  BigCount count() const;      // exactly
  double count_steps() const;  // about how many multiplications count() takes

  // The share of the best trees that have the edge: of a matrix [head][dependent], row-major; of a
  // multigraph for every edge. All 0 where there is no tree. Throws Error where more than 10,000
  // nodes reach each other by tied edges.
  std::vector<double> support() const;

 private:
  class Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace coppice
