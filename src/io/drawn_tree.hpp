// A tree as those who draw it want it: from the root down, with names, weights and labels.
#pragma once

#include <coppice/io.hpp>
#include <string>
#include <vector>

namespace coppice::io {

class DrawnTree {
 public:
  DrawnTree(const Parses& parses, std::size_t rank);

  // Node 0, or what hangs from it where it was added.
  Node root() const { return root_; }
  const std::vector<Node>& children(Node node) const {
    return children_[static_cast<std::size_t>(node)];
  }
  Node head(Node node) const { return parses_.trees.heads(rank_)[static_cast<std::size_t>(node)]; }
  // Each of them once: a word that occurs again has its number behind it.
  const std::string& name(Node node) const { return names_[static_cast<std::size_t>(node)]; }
  // Of the edge into a node other than the root.
  std::string weight(Node node) const;  // the shortest text of the number
  std::string label(Node node) const;   // "" where there are none
  bool differs_from_best(Node node) const;
  std::string score() const;
  std::string gap() const;

  // All nodes but the root, each behind its head.
  std::vector<Node> in_order() const;

 private:
  void name_nodes();
  EdgeId edge(Node node, std::size_t rank) const;

  const Parses& parses_;
  std::size_t rank_;
  Node root_ = 0;
  std::vector<std::vector<Node>> children_;
  std::vector<std::string> names_;
};

// A graph with names, one node on a row, indented by its depth.
std::size_t append_outline(const Parses& parses, bool colour, std::string& out);

}  // namespace coppice::io
