// How sure is the parser? The distribution over the trees of a graph.
//
// The weights are log-potentials: the probability of a tree is exp(score - log_partition), where
// the sum runs over the trees that are meant (problem.hpp): those of the root rule, with the
// required and without the forbidden edges. Parallel edges of a multigraph are one arc, the sum of
// their exp(weight) counting; log_prob of a tree that names its edges tells them apart. Any graph
// is taken as a matrix.
//
//   coppice::TreeDistribution trees(view, {.root = coppice::RootRule::single});
//   double sure = trees.marginal(head, dependent);      // of one arc
//   double surprise = -trees.log_prob(heads);           // of one tree
//   auto samples = trees.sample(100, seed);             // with replacement, exact
//   auto decoded = trees.min_risk();                    // most expected correct arcs
//
// Method: the matrix-tree theorem, in Koo et al.'s form for a single root, by an elimination that
// never subtracts: words are eliminated one by one, each passing its dependents on to its heads,
// and the pivots are sums of what is left. Numbers that leave the range of float64 are computed
// again with wider exponents. Samples are drawn by Wilson's algorithm or, where its walks get long,
// by undoing the elimination. See docs/distribution.md for all of it, with proofs.
//
// Cost: O(N^3) for the constructor, and again for the marginals when first asked for. A sample
// takes the steps of Wilson's random walk (a few for each word, as a rule) and never more than
// O(N^3) time; a sample without replacement O(N^3). log_prob and expected_correct are linear in the
// tree or, in a multigraph, the graph. Beside the marginals min_risk and expectation take O(N^2),
// variance, covariance and covariances O(N^3). Memory O(N^2), and O(N) for each sample.
//
// Exactness: probabilities have a relative error of about N * 2^-53, be the graph masked by -1e4,
// -1e300 or -inf, near-deterministic or full of cycles. Probabilities below about 1e-100 may come
// out as 0.
//
// References: Koo, Globerson, Carreras, Collins, EMNLP 2007 (single root); Grassmann, Taksar,
// Heyman, Oper. Res. 1985 (no subtraction); Wilson, STOC 1996 (sampling); Stanojevic, EMNLP 2022
// (why a root-constrained Wilson is biased).
//
// Throws: Error for NaN, +inf, weights whose sums could overflow, bad constraints, rules, costs to
// be minimised (these are no log-potentials), and for arguments as the methods say.
//
// Threads: a TreeDistribution may be used by several threads at once, and so may the functions; a
// MassStream is for one at a time.
//
// A graph without a tree is no error: log_partition is minus infinity, entropy and all marginals
// are 0, log_prob is minus infinity, there is no sample and no tree to decode.
#pragma once

#include <coppice/error.hpp>
#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <coppice/tree.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace coppice {

// When is a word of a tree right: if its head is, or if its edge is (in a labelled graph: head and
// label)? The same thing in a matrix.
enum class RiskUnit : std::uint8_t { head, edge };

// A tree and how many of its words are expected to be right.
struct RiskTree {
  Tree tree;  // its score is that of the graph
  double expected_correct = 0.0;
};

// Keeps its own copy of the weights. What takes longer (marginals, tables for sampling) is computed
// when first asked for and kept. Copies share everything.
class TreeDistribution {
 public:
  TreeDistribution(Graph graph, const Problem& problem);

  Node nodes() const;
  Node words() const { return nodes() - 1; }
  RootRule root() const;
  bool empty() const;  // there is no tree

  // log of the sum of exp(score) over all trees; minus infinity where there is none.
  double log_partition() const;

  // Probability of every arc, [head][dependent], row-major, nodes() x nodes(): the gradient of
  // log_partition. Each column but the root's adds up to 1.
  std::span<const double> marginals() const;
  double marginal(Node head, Node dependent) const;  // throws Error for no such node

  // In nats; 0 where one tree (or none) has all the mass.
  double entropy() const;

  // Minus infinity for what is no tree of the graph or breaks the root rule. Throws
  // Error unless there is a head 0..N for every word.
  double log_prob(std::span<const Node> heads) const;
  double log_prob(const Tree& tree) const;
  std::vector<double> log_probs(const TreeList& trees) const;
  // The mass that the trees of a list cover together: the sum of their probabilities.
  double mass(const TreeList& trees) const;

  // Expected number of words whose head is right, if the truth is drawn from the distribution.
  double expected_correct(std::span<const Node> heads) const;

  // The tree of which most words are expected to be right; nothing where there is no tree. In a
  // multigraph it has the likeliest edge of each arc.
  std::optional<RiskTree> min_risk(RiskUnit what = RiskUnit::head) const;

  // The probability of every edge of a multigraph (in a labelled graph: of every head with every
  // label); empty for a matrix.
  std::vector<double> edge_marginals() const;

  // Of order 0 (the logarithm of the number of trees), 1 (entropy()), any other one, or infinity
  // (minus the log-probability of the likeliest tree). Throws Error for negative
  // orders and NaN.
  double renyi_entropy(double order) const;

  // The mean of -log probability under `other`, and of the logarithm of how much likelier trees are
  // here than there; infinite where a tree of this distribution is none of the other. Throws
  // Error for graphs of different sizes.
  double cross_entropy(const TreeDistribution& other) const;
  double kl(const TreeDistribution& other) const;

  // --- Functions that are sums over the arcs of a tree, [head][dependent] as marginals(); what
  // they are for arcs that do not exist does not matter. Throws Error for another
  // size.
  double expectation(std::span<const double> values) const;
  double variance(std::span<const double> values) const;
  double covariance(std::span<const double> values, std::span<const double> others) const;
  // With every arc: the gradient of expectation(), as a function of the weights. With 1 for the
  // arcs of a tree and 0 for all others it is that of expected_correct(). O(N^3).
  std::vector<double> covariances(std::span<const double> values) const;

  // Independent samples, in the order in which they are drawn, of a multigraph with their edges.
  // The same seed gives the same trees, and fewer samples are a prefix of more.
  TreeList sample(std::size_t count, std::uint64_t seed) const;

  // Trees of different heads, each drawn from what the earlier ones left; all trees, in random
  // order, where there are no more than count.
  TreeList sample_distinct(std::size_t count, std::uint64_t seed) const;

  // Samples among the trees that are accepted, by rejection: draws until there are `count` of them
  // or `most_draws` were made. The same draws as sample() makes.
  struct Accepted {
    TreeList trees;
    std::size_t drawn = 0;

    // Accepted / drawn: an estimate of the probability that a tree is accepted (unbiased where all
    // `most_draws` were made), and its standard error.
    double rate() const;
    double standard_error() const;
  };
  Accepted sample_where(const std::function<bool(const TreeRef& tree)>& accept, std::size_t count,
                        std::size_t most_draws, std::uint64_t seed) const;
  // Among the trees that obey all rules; `graph` is what the constructor was given, with what the
  // rules need to know.
  Accepted sample_legal(Graph graph, std::span<const Rule> rules, std::size_t count,
                        std::size_t most_draws, std::uint64_t seed) const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

// --- K-best lists as distributions -------------------------------------------------------------

// The best trees with their probabilities, one by one from the best, until together they cover
// `mass` of the distribution ("the trees that make up 95 %").
//
//   coppice::MassStream stream(view, {.root = coppice::RootRule::single}, 0.95);
//   while (auto tree = stream.next()) use(tree->tree, tree->probability);
class MassStream {
 public:
  struct Item {
    Tree tree;
    double probability;
    double covered;  // by this tree and all before it
  };

  // Throws Error unless 0 < mass <= 1, and as TreeDistribution does.
  MassStream(Graph graph, const Problem& problem, double mass);

  // The next tree, or nothing once the mass is covered or no tree is left.
  std::optional<Item> next();
  double covered() const { return covered_; }
  const TreeDistribution& distribution() const { return distribution_; }

 private:
  TreeDistribution distribution_;
  TreeStream stream_;
  double mass_;
  double covered_ = 0.0;
};

// Probability of each tree if the list were all there is: softmax of the scores.
std::vector<double> list_probabilities(const TreeList& trees);

// For each tree the number of arcs that it is expected to share with a tree drawn from the list:
// the tree of the largest is the minimum-risk choice within the list.
std::vector<double> expected_attachment(const TreeList& trees);

// --- Many sentences ----------------------------------------------------------------------------

struct DistributionOptions {
  Problem problem;
  bool marginals = false;
  bool entropy = false;
  bool min_risk = false;
  std::size_t samples = 0;
  std::size_t distinct_samples = 0;
  std::uint64_t seed = 0;
};

// What was asked for; the rest is empty or 0.
struct DistributionResult {
  double log_partition = kNoWeight;
  std::vector<double> marginals;
  double entropy = 0.0;
  std::optional<RiskTree> min_risk;
  TreeList samples;
  TreeList distinct_samples;
  Failure failure;

  bool ok() const { return failure.code == ErrorCode::none; }
};

// Results are in the order of the input and do not depend on the number of threads. A sentence with
// bad weights is reported at its index. Sentence i is sampled with sentence_seed(options.seed, i).
// Stopped (stop.hpp) ends the whole call. Throws Error where threads < 1.
std::vector<DistributionResult> distribution_batch(std::span<const Graph> graphs,
                                                   const DistributionOptions& options, int threads);

std::uint64_t sentence_seed(std::uint64_t seed, std::size_t sentence);

}  // namespace coppice
