// Undirected graphs, and their spanning trees.
//
//   auto graph = coppice::UndirectedGraph::from_edges(nodes, ends, other_ends, weights);
//   auto trees = coppice::kbest(graph, {.root = coppice::RootRule::any}, {.k = 50});
//   for (std::size_t rank = 0; rank < trees.size(); ++rank) use(trees.edges(rank));
//
// The functions are those of directed graphs, and promise the same. An edge has one number,
// whichever way a tree uses it, and parallel edges are different choices. A tree is reported as it
// hangs from node 0: heads[v] is the next node on the way from v to node 0, edges[v] the edge
// between the two. RootRule::single asks for trees in which node 0 has one edge. Required and
// forbidden pairs of nodes mean edges in either direction. Rules are of directed graphs alone.
//
// Method: a spanning tree is one arborescence of the graph that has every edge in both directions.
// Required edges make pieces of the tree that are entered anywhere: edges into a piece are led to
// one node of it, from which the piece hangs, and each tree that is found is turned to where it
// enters the piece in truth. One best tree without required or forbidden edges is found by
// Kruskal's algorithm, O(E log E), which compares the weights as they were given: where trees tie,
// it may be another one than the first of a longer list.
//
// Throws, cost, threads: as the functions of directed graphs, with twice as many edges.
#pragma once

#include <coppice/distribution.hpp>
#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <coppice/problem.hpp>
#include <coppice/ties.hpp>
#include <coppice/tree.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace coppice {

class UndirectedGraph {
 public:
  // Edge i is between ends[i] and other_ends[i]. Throws as Multigraph::from_edges does.
  static UndirectedGraph from_edges(std::int64_t nodes, std::span<const Node> ends,
                                    std::span<const Node> other_ends,
                                    std::span<const double> weights);
  static UndirectedGraph from_edges(std::int64_t nodes, std::span<const Node> ends,
                                    std::span<const Node> other_ends,
                                    std::span<const std::int64_t> weights);

  Node nodes() const { return arcs_.nodes(); }
  EdgeId edges() const { return arcs_.edges() / 2; }
  Scalar scalar() const { return arcs_.scalar(); }
  Node end(EdgeId edge) const { return arcs_.source(edge); }
  Node other_end(EdgeId edge) const { return arcs_.target(edge); }
  double weight(EdgeId edge) const { return arcs_.weight(edge); }
  std::int64_t integer_weight(EdgeId edge) const { return arcs_.integer_weight(edge); }

  // The directed graph: arc e leads from one end of edge e to the other, arc e + edges() back.
  const Multigraph& arcs() const { return arcs_; }
  // The first node of each part that is connected: one, 0, where the graph has a tree.
  std::vector<Node> first_of_each_part() const;

 private:
  explicit UndirectedGraph(Multigraph arcs) : arcs_(std::move(arcs)) {}
  template <class W>
  static UndirectedGraph build(std::int64_t nodes, std::span<const Node> ends,
                               std::span<const Node> other_ends, std::span<const W> weights);

  Multigraph arcs_;
};

std::optional<Tree> best(const UndirectedGraph& graph, const Problem& problem);
TreeList kbest(const UndirectedGraph& graph, const Problem& problem, const Request& request);

// As TreeStream. Keeps its own copy of the graph.
class SpanningTreeStream {
 public:
  SpanningTreeStream(const UndirectedGraph& graph, const Problem& problem,
                     const Request& request = {});
  SpanningTreeStream(SpanningTreeStream&&) noexcept;
  SpanningTreeStream& operator=(SpanningTreeStream&&) noexcept;
  ~SpanningTreeStream();

  std::optional<Tree> next();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// As the functions of ties.hpp and max_marginals.hpp; of every edge one number.
BigCount count_optimal(const UndirectedGraph& graph, const Problem& problem);
double log_count_optimal(const UndirectedGraph& graph, const Problem& problem);
std::vector<double> optimal_support(const UndirectedGraph& graph, const Problem& problem);
std::vector<double> max_marginals(const UndirectedGraph& graph, const Problem& problem);

// The distribution over the spanning trees, as TreeDistribution; what is right is an edge,
// whichever way the tree uses it.
class SpanningTreeDistribution {
 public:
  SpanningTreeDistribution(const UndirectedGraph& graph, const Problem& problem);

  Node nodes() const;
  bool empty() const;
  double log_partition() const;
  double entropy() const;
  double renyi_entropy(double order) const;
  // The probability of every edge.
  std::vector<double> edge_marginals() const;
  // With the edges of the tree or, where it has none, as all trees with edges between these nodes.
  double log_prob(const Tree& tree) const;
  // How many edges the tree is expected to share with one that is drawn.
  double expected_correct(std::span<const EdgeId> edges) const;
  std::optional<RiskTree> min_risk() const;
  TreeList sample(std::size_t count, std::uint64_t seed) const;
  TreeList sample_distinct(std::size_t count, std::uint64_t seed) const;

 private:
  class Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace coppice
