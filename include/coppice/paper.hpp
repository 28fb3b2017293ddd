// The algorithms of "On Finding the K-best Non-projective Dependency Trees" (Zmigrod, Vieira,
// Cotterell, ACL 2021), one by one as published.
//
// These are the reference, readable beside the paper. Those who want trees fast use kbest.hpp,
// which gives the same lists, but for ties and rounding (engines.hpp). Where the paper is silent or
// its published code goes wrong, docs/paper-notes.md says what we do.
//
//   coppice::paper::KBestDep trees(view);
//   while (auto tree = trees.next()) use(*tree);
//
// Symbols: G is the graph, e an edge, G - e the graph without e, G + e the graph in which e is the
// only edge into its target (and, for dependency trees, the only root edge if e is one).
//
// Throws: Error for bad input, and for a multigraph too large for the matrix that is kept.
// Cost: O(N^2) for opt and next; two solves of O(N^2) for every tree of KBest and KBestDep, three
// of Camerini's. Memory O(N^2), for a multigraph O(N^2 + E). Threads: the functions are for any
// number at once, an Enumeration for one at a time.
//
// Needs the library coppice::paper.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace coppice::paper {

// Work done, to be compared with the paper's analysis.
struct Counts {
  std::int64_t opt = 0;           // solves that find a best tree
  std::int64_t next = 0;          // solves that also (or, for Camerini, only) find the second best
  std::int64_t contractions = 0;  // critical cycles contracted
};

// opt(G): the best tree, O(N^2). Nothing where there is none.
std::optional<Tree> opt(Graph graph, Objective objective = Objective::maximize);

// opt(G) with constrain(G): the best dependency tree, O(N^2).
std::optional<Tree> opt_dep(Graph graph, Objective objective = Objective::maximize);

// next(G): the best tree and, unless it is the only one, the score of the second best and the edge
// e of the best tree such that second = best of G - e.
struct Next {
  Tree best;
  struct Second {
    double score;
    Arc arc;      // e
    EdgeId edge;  // e in a multigraph, else -1
  };
  std::optional<Second> second;
};
std::optional<Next> next(Graph graph, Objective objective = Objective::maximize);

// The K-best algorithms, each an iterator: next() gives the next best tree, or nothing when all
// have been given. They keep a copy of the weights.
class Enumeration {
 public:
  Enumeration(Enumeration&&) noexcept;
  Enumeration& operator=(Enumeration&&) noexcept;
  virtual ~Enumeration();

  std::optional<Tree> next();
  const Counts& counts() const;
  // The edge whose removal led to the tree given last (-1 -> -1 for the first).
  Arc deleted() const;

  class Impl;

 protected:
  explicit Enumeration(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

// kbest(G): trees. Two calls of next per tree.
class KBest : public Enumeration {
 public:
  explicit KBest(Graph graph, Objective objective = Objective::maximize);
};

// kbest_dep(G): dependency trees. Two calls of next, or two of opt and one of next, per tree.
class KBestDep : public Enumeration {
 public:
  explicit KBestDep(Graph graph, Objective objective = Objective::maximize);
};

// Camerini, Fratta and Maffioli's original: three solves per tree.
class Camerini : public Enumeration {
 public:
  explicit Camerini(Graph graph, Objective objective = Objective::maximize);
};

// Dependency trees from a queue that starts with one solve per root edge: O(N^3 + K N^2).
class NaiveDep : public Enumeration {
 public:
  explicit NaiveDep(Graph graph, Objective objective = Objective::maximize);
};

}  // namespace coppice::paper
