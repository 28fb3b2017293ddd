#include <algorithm>
#include <coppice/error.hpp>
#include <coppice/max_marginals.hpp>
#include <coppice/undirected.hpp>
#include <coppice/verify.hpp>
#include <utility>

#include "graph/constraints.hpp"
#include "graph/indexed.hpp"
#include "graph/phrases.hpp"
#include "undirected/joined_parts.hpp"
#include "undirected/kruskal.hpp"
#include "undirected/rooting.hpp"

namespace coppice {
namespace {

double larger(double one, double other) { return std::max(one, other); }
double smaller(double one, double other) { return std::min(one, other); }

}  // namespace

template <class W>
UndirectedGraph UndirectedGraph::build(std::int64_t nodes, std::span<const Node> ends,
                                       std::span<const Node> other_ends,
                                       std::span<const W> weights) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<EdgeId>::max() / 2);
  if (ends.size() != other_ends.size() || ends.size() != weights.size() || ends.size() > kMost)
    throw Error(ErrorCode::bad_graph,
                ends.size() > kMost
                    ? counted(ends.size(), "edge") + ", at most " + std::to_string(kMost)
                    : "edge arrays differ in length: " + counted(ends.size(), "end") + ", " +
                          counted(other_ends.size(), "other end") + ", " +
                          counted(weights.size(), "weight"));
  const auto twice = [](auto first, auto second) {
    std::vector<typename decltype(first)::value_type> both;
    both.reserve(first.size() + second.size());
    both.insert(both.end(), first.begin(), first.end());
    both.insert(both.end(), second.begin(), second.end());
    return both;
  };
  return UndirectedGraph(Multigraph::from_edges(nodes, twice(ends, other_ends),
                                                twice(other_ends, ends),
                                                std::span<const W>(twice(weights, weights))));
}

UndirectedGraph UndirectedGraph::from_edges(std::int64_t nodes, std::span<const Node> ends,
                                            std::span<const Node> other_ends,
                                            std::span<const double> weights) {
  return build(nodes, ends, other_ends, weights);
}

UndirectedGraph UndirectedGraph::from_edges(std::int64_t nodes, std::span<const Node> ends,
                                            std::span<const Node> other_ends,
                                            std::span<const std::int64_t> weights) {
  return build(nodes, ends, other_ends, weights);
}

std::vector<Node> UndirectedGraph::first_of_each_part() const {
  JoinedParts parts(nodes());
  for (EdgeId edge = 0; edge < edges(); ++edge)
    if (scalar() == Scalar::int64 || arcs_.weights()[place_of(edge)] != kNoWeight)
      parts.join(end(edge), other_end(edge));
  std::vector<Node> result;
  for (Node node = 0; node < nodes(); ++node)
    if (parts.of(node) == node) result.push_back(node);
  return result;
}

std::optional<Tree> best(const UndirectedGraph& graph, const Problem& problem) {
  const TreeList trees = kbest(graph, problem, {.k = 1});
  if (trees.empty()) return std::nullopt;
  return trees.copy(0);
}

TreeList kbest(const UndirectedGraph& graph, const Problem& problem, const Request& request) {
  const Rooting rooting(graph, problem);
  if (request.k == 1 && rooting.is_free()) {
    check_limits(request, true);
    return best_tree(graph, problem.root, problem.objective);
  }
  TreeList trees = kbest(rooting.graph(), rooting.problem(), request);
  rooting.name_edges(trees);
  return trees;
}

class SpanningTreeStream::Impl {
 public:
  Impl(const UndirectedGraph& graph, const Problem& problem, const Request& request)
      : graph_(graph),
        rooting_(graph_, problem),
        stream_(rooting_.graph(), rooting_.problem(), request) {}

  std::optional<Tree> next() {
    std::optional<Tree> tree = stream_.next();
    if (tree) rooting_.name_edges(*tree);
    return tree;
  }

 private:
  UndirectedGraph graph_;
  Rooting rooting_;
  TreeStream stream_;
};

SpanningTreeStream::SpanningTreeStream(const UndirectedGraph& graph, const Problem& problem,
                                       const Request& request)
    : impl_(std::make_unique<Impl>(graph, problem, request)) {}
SpanningTreeStream::SpanningTreeStream(SpanningTreeStream&&) noexcept = default;
SpanningTreeStream& SpanningTreeStream::operator=(SpanningTreeStream&&) noexcept = default;
SpanningTreeStream::~SpanningTreeStream() = default;

std::optional<Tree> SpanningTreeStream::next() { return impl_->next(); }

BigCount count_optimal(const UndirectedGraph& graph, const Problem& problem) {
  const Rooting rooting(graph, problem);
  return Ties(rooting.graph(), rooting.problem()).count();
}

double log_count_optimal(const UndirectedGraph& graph, const Problem& problem) {
  const Rooting rooting(graph, problem);
  return Ties(rooting.graph(), rooting.problem()).log_count();
}

std::vector<double> optimal_support(const UndirectedGraph& graph, const Problem& problem) {
  const Rooting rooting(graph, problem);
  return rooting.shares(Ties(rooting.graph(), rooting.problem()).support());
}

std::vector<double> max_marginals(const UndirectedGraph& graph, const Problem& problem) {
  const Rooting rooting(graph, problem);
  if (rooting.is_free()) return best_with_each_edge(graph, problem.root, problem.objective);
  return rooting.by_edge(max_marginals(rooting.graph(), rooting.problem()),
                         problem.objective == Objective::minimize ? smaller : larger);
}

class SpanningTreeDistribution::Impl {
 public:
  Impl(const UndirectedGraph& given, const Problem& wanted)
      : graph(given),
        problem(wanted),
        rooting(graph, problem),
        trees(rooting.graph(), rooting.problem()) {}

  TreeList named(TreeList found) const {
    rooting.name_edges(found);
    return found;
  }

  UndirectedGraph graph;
  Problem problem;
  Rooting rooting;
  TreeDistribution trees;
};

SpanningTreeDistribution::SpanningTreeDistribution(const UndirectedGraph& graph,
                                                   const Problem& problem)
    : impl_(std::make_shared<Impl>(graph, problem)) {}

Node SpanningTreeDistribution::nodes() const { return impl_->graph.nodes(); }
bool SpanningTreeDistribution::empty() const { return impl_->trees.empty(); }
double SpanningTreeDistribution::log_partition() const { return impl_->trees.log_partition(); }
double SpanningTreeDistribution::entropy() const { return impl_->trees.entropy(); }
double SpanningTreeDistribution::renyi_entropy(double order) const {
  return impl_->trees.renyi_entropy(order);
}

std::vector<double> SpanningTreeDistribution::edge_marginals() const {
  return impl_->rooting.shares(impl_->trees.edge_marginals());
}

double SpanningTreeDistribution::log_prob(const Tree& tree) const {
  const Tree arcs = impl_->rooting.arcs_of(tree);
  return arcs.edges.empty() ? impl_->trees.log_prob(arcs.heads) : impl_->trees.log_prob(arcs);
}

double SpanningTreeDistribution::expected_correct(std::span<const EdgeId> edges) const {
  const std::vector<double> marginals = edge_marginals();
  double expected = 0.0;
  for (std::size_t v = 1; v < edges.size(); ++v) {
    if (edges[v] < 0 || place_of(edges[v]) >= marginals.size())
      throw Error(ErrorCode::bad_tree, "edge of " + std::to_string(v) + " is " +
                                           std::to_string(edges[v]) + ", not an edge 0.." +
                                           std::to_string(impl_->graph.edges() - 1));
    expected += marginals[place_of(edges[v])];
  }
  return expected;
}

// An edge that is merely too unlikely for float64 still is an edge.
std::optional<RiskTree> SpanningTreeDistribution::min_risk() const {
  if (empty()) return std::nullopt;
  const UndirectedGraph& graph = impl_->graph;
  std::vector<double> marginals = edge_marginals();
  for (EdgeId edge = 0; edge < graph.edges(); ++edge)
    if (graph.weight(edge) == kNoWeight) marginals[place_of(edge)] = kNoWeight;
  const auto edges = place_of(graph.edges());
  const UndirectedGraph likely = UndirectedGraph::from_edges(
      graph.nodes(), graph.arcs().sources().first(edges), graph.arcs().targets().first(edges),
      std::span<const double>(marginals));
  Problem problem = impl_->problem;
  problem.objective = Objective::maximize;
  std::optional<Tree> tree = best(likely, problem);
  if (!tree) return std::nullopt;
  const double expected = tree->score;
  impl_->rooting.set_scores(*tree);
  return RiskTree{*std::move(tree), expected};
}

TreeList SpanningTreeDistribution::sample(std::size_t count, std::uint64_t seed) const {
  return impl_->named(impl_->trees.sample(count, seed));
}

TreeList SpanningTreeDistribution::sample_distinct(std::size_t count, std::uint64_t seed) const {
  return impl_->named(impl_->trees.sample_distinct(count, seed));
}

}  // namespace coppice
