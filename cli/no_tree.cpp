#include "no_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <coppice/legal.hpp>
#include <utility>
#include <vector>

#include "graph/constraints.hpp"
#include "graph/strong_components.hpp"

namespace coppice::cli {
namespace {

using Edges = std::vector<std::pair<Node, Node>>;

Edges usable_edges(Graph graph, const Problem& problem) {
  Constraints constraints;
  constraints.load(graph, problem);
  Edges edges;
  const auto add = [&](Node head, Node dependent, EdgeId edge, double weight) {
    if (head == dependent || dependent == 0 || weight == kNoWeight) return;
    if (constraints.empty() || constraints.allows(head, dependent, edge))
      edges.emplace_back(head, dependent);
  };
  if (const Multigraph* multigraph = graph.multigraph()) {
    for (EdgeId edge = 0; edge < multigraph->edges(); ++edge)
      add(multigraph->source(edge), multigraph->target(edge), edge, multigraph->weight(edge));
  } else {
    for (Node head = 0; head < graph.nodes(); ++head)
      for (Node dependent = 1; dependent < graph.nodes(); ++dependent)
        add(head, dependent, kNoEdge, graph.dense()->weight(head, dependent));
  }
  return edges;
}

// A node that the root does not reach, or kNoNode.
Node find_unreached(Node nodes, const Edges& edges) {
  std::vector<std::vector<Node>> next(static_cast<std::size_t>(nodes));
  for (const auto& [head, dependent] : edges)
    next[static_cast<std::size_t>(head)].push_back(dependent);
  std::vector<bool> reached(next.size(), false);
  std::vector<Node> queue(1, 0);
  reached[0] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (Node node : next[static_cast<std::size_t>(queue[i])])
      if (!reached[static_cast<std::size_t>(node)]) {
        reached[static_cast<std::size_t>(node)] = true;
        queue.push_back(node);
      }
  const auto found = std::ranges::find(reached, false);
  return found == reached.end() ? kNoNode : static_cast<Node>(found - reached.begin());
}

// One node of each group that nothing but the root reaches from outside.
std::vector<Node> find_sources(Node nodes, Edges edges) {
  std::erase_if(edges, [](const auto& edge) { return edge.first == 0; });
  const StrongComponents strong = strong_components(nodes, edges);
  std::vector<bool> entered(static_cast<std::size_t>(strong.count), false);
  for (const auto& [head, dependent] : edges) {
    const auto from = strong.of[static_cast<std::size_t>(head)];
    const auto to = strong.of[static_cast<std::size_t>(dependent)];
    if (from != to) entered[static_cast<std::size_t>(to)] = true;
  }
  std::vector<Node> sources;
  for (Node node = 1; node < nodes; ++node) {
    const auto group = static_cast<std::size_t>(strong.of[static_cast<std::size_t>(node)]);
    if (entered[group]) continue;
    entered[group] = true;  // one will do
    sources.push_back(node);
  }
  return sources;
}

}  // namespace

std::string why_no_tree(const io::Sentence& sentence, const Problem& asked) {
  if (!sentence.no_tree.empty()) return sentence.no_tree;
  const auto graph = sentence.graph();
  if (!graph) return kNoTree;
  Problem problem = asked;
  if (sentence.undirected() != nullptr) problem.required.clear();  // they have no direction
  const Edges edges = usable_edges(*graph, problem);
  const auto quoted = [&](Node node) { return fmt::format("'{}'", sentence.node_name(node)); };
  for (const auto& [head, dependent] : problem.required)
    if (std::ranges::find(edges, std::pair(head, dependent)) == edges.end())
      return fmt::format("{}: the required edge {} -> {} has no score or is forbidden", kNoTree,
                         quoted(head), quoted(dependent));
  const std::string root = sentence.named() ? quoted(0) : "the root, node 0";
  if (const Node node = find_unreached(graph->nodes(), edges); node != kNoNode) {
    // Of an edge list, and no matrix with labels: perhaps its numbers are names.
    const bool no_root = graph->multigraph() != nullptr && !sentence.named() &&
                         (sentence.edge_labels.empty() || !sentence.edge_places.empty()) &&
                         std::ranges::none_of(edges, [](const auto& e) { return e.first == 0; });
    return fmt::format("{}: {} cannot be reached from {}{}", kNoTree, quoted(node), root,
                       no_root ? "; with --any-root or --root-node numbers are names" : "");
  }
  const auto by_the_rules = [&]() -> std::string {  // the graph has a tree
    if (problem.rules.empty() || sentence.undirected() != nullptr) return kNoTree;
    io::Sentence::Known known;
    std::vector<std::string> names;
    for (Node node = 0; node < graph->nodes(); ++node) names.push_back(quoted(node));
    const std::string why = why_none_legal(*sentence.graph(known), problem, names);
    return why.empty() ? kNoTree : fmt::format("{}: {}", kNoTree, why);
  };
  if (problem.root == RootRule::any) return by_the_rules();
  const std::vector<Node> sources = find_sources(graph->nodes(), edges);
  if (sources.size() > 1)
    return fmt::format("{}{}: no {} reaches both {} and {}", kNoTree,
                       sentence.added_root ? "" : " with one root edge",
                       sentence.added_root ? "node" : "other node", quoted(sources[0]),
                       quoted(sources[1]));
  return by_the_rules();
}

}  // namespace coppice::cli
