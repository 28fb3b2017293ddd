// The spanning trees of an undirected graph as arborescences of a directed one.
#pragma once

#include <coppice/undirected.hpp>
#include <optional>
#include <span>
#include <vector>

namespace coppice {

// What is required of the trees, and what is forbidden, is built into the directed graph: arcs that
// no tree may use lead from a node to itself. Required edges make pieces. A piece hangs from its
// first node by its required edges, and every other arc into the piece leads to that node.
class Rooting {
 public:
  // Throws Error for rules, and for constraints that contradict each other. The undirected graph
  // must outlive it.
  Rooting(const UndirectedGraph& graph, const Problem& problem);

  Graph graph() const { return rooted_ ? *rooted_ : graph_->arcs(); }
  const Problem& problem() const { return problem_; }  // without constraints
  bool is_free() const { return !rooted_; }            // there were none

  // Trees that were found in graph() become those that callers know: each hangs from node 0, its
  // edges by their numbers.
  void name_edges(std::span<Node> heads, std::span<EdgeId> edges) const;
  void name_edges(Tree& tree) const { name_edges(tree.heads, tree.edges); }
  void name_edges(TreeList& trees) const;
  // The other way round; a tree without edges has none then, either. Throws Error for an edge that
  // is not between these nodes.
  Tree arcs_of(Tree tree) const;

  // What the tree, as callers know it, weighs.
  void set_scores(Tree& tree) const;

  // One number for the two arcs of each edge: their sum, as probabilities add up, or what both()
  // says.
  std::vector<double> shares(std::span<const double> of_arcs) const;
  std::vector<double> by_edge(std::span<const double> of_arcs,
                              double (*both)(double, double)) const;

 private:
  struct Wanted;
  void make_pieces(const Wanted& wanted);
  void lead_arcs(const Wanted& wanted);
  EdgeId back(EdgeId arc) const {
    return arc < graph_->edges() ? arc + graph_->edges() : arc - graph_->edges();
  }
  EdgeId arc_of(EdgeId edge, Node head, Node node) const;

  const UndirectedGraph* graph_;
  Problem problem_;
  std::optional<Multigraph> rooted_;  // none: there are no constraints
  // Where there are some: of every node the first one of its piece, and what it hangs from there.
  std::vector<Node> piece_, hangs_from_;
  std::vector<Node> firsts_;  // of pieces of several nodes
};

}  // namespace coppice
