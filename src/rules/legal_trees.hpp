// Every legal tree of a graph, once: one word after another takes an edge, those with the fewest
// edges to choose from first, and what cannot become a legal tree any more is given up.
//
// A tree is a choice of an edge for every word, and choices are gone through in the order of their
// lists, so every tree comes at most once. It comes at all: a word's edge is passed over only where
// no legal tree has it and the edges before it, by the promise of Growth, or where it closes a
// cycle or is a second root edge under the single-root rule. Rules that do not grow judge whole
// trees. Memory: that of the edges, whatever the number of trees.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/rule.hpp>
#include <coppice/tree.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace coppice::rules {

class LegalTrees {
 public:
  // Throws Error for bad weights and constraints. The graph must stay where it is.
  LegalTrees(Graph graph, const Problem& problem);

  // How many there are; nothing where there are more than that. From the beginning. Polls.
  std::optional<std::int64_t> count(std::int64_t limit);
  // Goes on to the next tree, and makes at most so many steps to it, a whole tree that is judged
  // counting as ten thousand; false where there is none left, or the steps did not suffice. Polls.
  bool next(std::int64_t most_steps = std::numeric_limits<std::int64_t>::max());
  TreeRef tree() const { return {heads_, edges_}; }

  // A word that no edge can enter in a legal tree, or kNoNode.
  Node blocked() const { return blocked_; }

 private:
  struct Choice {
    ClauseEdge edge;
    double weight;
  };
  struct Level {
    std::size_t begin, next, end;  // of the choices
    bool may_close;                // a cycle: some word before may have taken this one as its head
  };

  void list_choices(Graph graph, const Problem& problem);
  void note_cycles();
  bool allows(const Level& level, const ClauseEdge& edge) const;
  bool closes_cycle(const ClauseEdge& edge) const;
  bool is_last() const { return depth_ + 1 == levels_.size(); }
  void place(const ClauseEdge& edge);
  void take_back(const ClauseEdge& edge);
  bool step();
  bool is_legal();

  bool single_root_;
  std::vector<std::unique_ptr<Growth>> growths_;
  std::vector<Rule::Judge> judges_;
  Clause broken_;
  std::vector<Choice> choices_;
  std::vector<Level> levels_;
  Node blocked_ = kNoNode;

  std::size_t depth_ = 0;
  bool placed_ = false;  // does the word of this level have an edge?
  int root_edges_ = 0;
  std::vector<Node> heads_;
  std::vector<EdgeId> edges_;
};

}  // namespace coppice::rules
