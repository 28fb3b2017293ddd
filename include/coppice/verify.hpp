// Checking answers without trusting the code that gave them.
//
// Is this a tree? Does it obey the root rule? What is its score? And, for a best tree: here is a
// certificate; check it, and no better tree can exist.
//
// The certificate is a solution of the dual problem (docs/internals/proofs.md, section 1): a family
// of node sets, any two disjoint or nested, each with a number y(S). The reduced cost of an edge
// s -> t is
//
//   rc(s -> t) = sum of y(S) over the sets with t in S, s not in S, minus w(s -> t).
//
// If no rc is negative, y(S) <= 0 for every set of two or more nodes, and the y add up to the
// score of a tree, that tree is best: any tree enters every set at least once. Under
// RootRule::single root edges may pay a price.
//
// Throws: Error for heads, edges and graphs that do not fit each other, and for bad input as
// best(). What a certificate, a tree or a proof lacks is no exception but a text. Cost: is_tree,
// root_edges and score are O(N); certified_best is a best tree; check_certificate looks at every
// edge and the sets that it enters, at worst O(N^3) for a matrix; prove_best and check_proof take a
// best tree for every part of the proof. Threads: any number may call these at once.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace coppice {

// heads[0] = -1, every other node reaches the root.
bool is_tree(std::span<const Node> heads);

// Number of edges that leave the root; RootRule::single asks for exactly one.
Node root_edges(std::span<const Node> heads);
bool obeys(std::span<const Node> heads, RootRule rule);

// The plain float64 sum of the weights of a tree over nodes 1..N, in that order: a check that knows
// nothing of the engine. It may differ in its last digits from the score that a list reports
// (tree.hpp); of int64 weights it is the float64 nearest to the exact sum. edges is for
// multigraphs. Throws Error where heads (or edges) do not fit the graph, or int64
// weights add up to more than an int64; minus infinity where an edge is missing.
double score(Graph graph, std::span<const Node> heads, std::span<const EdgeId> edges = {});
std::int64_t integer_score(Graph graph, std::span<const Node> heads,
                           std::span<const EdgeId> edges = {});

// Sets 0..N are the single nodes (0, the root, takes no part); later ones are unions of earlier
// ones. parent[S] is the smallest set that contains S, or -1.
struct Certificate {
  std::vector<Node> parent;
  std::vector<double> y;
  // RootRule::single: taken off the weights of all root edges. Every tree has one of them, so that
  // the tree that is best at some price, among trees with any number of root edges, is best.
  double root_price = 0.0;
};

// A best tree with its certificate, or nothing where there is no tree; rules do not count. The
// weights are those of the objective: minimising negates them.
struct CertifiedTree {
  Tree tree;
  Certificate certificate;
};
std::optional<CertifiedTree> certified_best(Graph graph, const Problem& problem);

// What is wrong with the claim that tree is a best tree of the graph (among those that are meant),
// or an empty string. Sums are compared with a tolerance that covers rounding.
std::string check_certificate(Graph graph, const Problem& problem, const Tree& tree,
                              const Certificate& certificate);

// Why no legal tree is better than a given one (problem.rules): the trees that are meant, split by
// clauses into parts, and of every part that is not split further a best tree with its certificate,
// no better than the given one. Parts stand in the order in which they are split: behind a part the
// ways to mend its clause, each with its own parts. That every legal tree obeys the clauses is the
// promise of the rules (rule.hpp).
//
// Where rules::projective() is among the rules, the best tree of a part is the best projective one,
// without a certificate: whoever checks the proof finds its weight by dynamic programming.
struct Proof {
  struct Part {
    std::optional<CertifiedTree> best;  // of all trees of the part; none: it has no tree
    std::optional<Clause> clause;       // that this tree breaks and that splits the part
  };
  std::vector<Part> parts;
};

// Nothing where there is a better legal tree.
std::optional<Proof> prove_best(Graph graph, const Problem& problem, const Tree& tree);

// What is wrong with the claim that the tree is a best legal one, or an empty string. Knows nothing
// of how the proof was found; asks the rules whether their clauses are theirs.
std::string check_proof(Graph graph, const Problem& problem, const Tree& tree, const Proof& proof);

}  // namespace coppice
