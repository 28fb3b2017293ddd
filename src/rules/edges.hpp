// The edges of a graph by the word they enter and by the node they leave, found when first asked
// for: most trees break no rule, and then nobody asks.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/rules.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::rules {

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class EdgeLists {
 public:
  explicit EdgeLists(Graph graph) : graph_(graph) {}

  // Of a multigraph, by id.
  std::span<const EdgeId> into(Node v);
  std::span<const EdgeId> out_of(Node v);

  // Every word that an edge from v enters, in order.
  void append_arcs_out_of(Node v, std::vector<ClauseEdge>& arcs);

 private:
  struct Lists {
    std::vector<std::size_t> begin;
    std::vector<EdgeId> edges;
  };
  void build(std::span<const Node> ends, Lists& lists) const;

  Graph graph_;
  Lists into_, out_of_;
};

// A labelled graph: its edge lists, and the label of each edge.
class LabelledEdges {
 public:
  // Throws std::invalid_argument where the graph has no labels, in the name of the rule.
  LabelledEdges(Graph graph, std::string_view rule);

  std::span<const std::string> names() const { return facts_->label_names; }
  std::int32_t label(EdgeId edge) const { return facts_->edge_labels[at(edge)]; }

  // Appends the edges into v for which wanted(head, label) holds.
  template <class Wanted>
  void append_into(Node v, Wanted wanted, std::vector<ClauseEdge>& edges) {
    for (EdgeId e : lists_.into(v))
      if (wanted(graph_->source(e), label(e))) edges.push_back({graph_->source(e), v, e});
  }
  // The same for edges out of v; wanted(dependent, label).
  template <class Wanted>
  void append_out_of(Node v, Wanted wanted, std::vector<ClauseEdge>& edges) {
    for (EdgeId e : lists_.out_of(v))
      if (wanted(graph_->target(e), label(e))) edges.push_back({v, graph_->target(e), e});
  }

 private:
  const Multigraph* graph_;
  const SentenceFacts* facts_;
  EdgeLists lists_;
};

// Edges with certain labels, in one labelled graph.
class Marked {
 public:
  // Throws Error where the graph has no labels or none of these, in the name of the rule.
  Marked(Graph graph, const std::string& rule, const std::vector<std::string>& labels,
         Subtypes subtypes);

  bool operator()(const TreeRef& tree, Node v) const {
    return marked_[at(edges_.label(tree.edges[at(v)]))] != 0;
  }
  // Appends the edges into v with these labels: all of them, or those from one head.
  void append_into(Node v, std::vector<ClauseEdge>& edges) {
    edges_.append_into(
        v, [&](Node, std::int32_t label) { return marked_[at(label)] != 0; }, edges);
  }
  void append_arc(Node head, Node v, std::vector<ClauseEdge>& edges) {
    edges_.append_into(
        v, [&](Node h, std::int32_t label) { return h == head && marked_[at(label)] != 0; }, edges);
  }

 private:
  LabelledEdges edges_;
  std::vector<std::uint8_t> marked_;  // per label
};

}  // namespace coppice::rules
