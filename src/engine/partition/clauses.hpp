// The clauses that rules have returned, in terms of the edges of a listed graph (docs/rules.md):
// which of them a tree breaks, in which ways they can be mended, and what that costs at least.
//
// Clauses hold for all trees, so all that have been seen are tested on every tree. A clause is
// mended by another edge into one of its words, which costs that edge's reduced cost or more;
// clauses that have no word in common add up.
#pragma once

#include <algorithm>
#include <coppice/rule.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/partition/legality.hpp"
#include "engine/partition/tree_source.hpp"

namespace coppice::engine {

template <class W>
class Clauses {
 public:
  // A way to mend a broken clause: the node takes one of these edges, or none of them.
  struct Way {
    Node node;
    bool take;
    std::vector<Slot> edges;
    bool names(Slot edge) const { return std::ranges::find(edges, edge) != edges.end(); }
  };

  void start(const ListedGraph<W>& graph, Legality& legality);

  // Looks at the tree that the lists hold. False: it breaks a clause that cannot be mended in the
  // subproblem, which has no legal tree.
  bool look();
  // What all legal trees of the subproblem cost at least beside this one.
  W cost_of_all();
  // Asks the rules unless the tree breaks a clause that is known. True: it is legal; else ways()
  // are those of a clause that it breaks.
  bool is_legal();
  const std::vector<Way>& ways() const { return *ways_; }
  // What every tree of the subproblem that mends in this way costs at least; nothing where there is
  // none.
  std::optional<W> cost(const Way& way);
  // Calls exclude(edge) so that the clause is mended in this way, or in no such way.
  template <class Exclude>
  void keep(const Way& way, bool mended, Exclude exclude) const {
    const bool named = way.take != mended;  // exclude those that are named, or the others
    for (Slot e = lists().begin(way.node); e < lists().end(way.node); ++e)
      if (way.names(e) == named) exclude(e);
  }

 private:
  struct Broken {
    W cost;  // of mending it, at least
    const std::vector<Way>* ways;
  };

  Sparse<W>& lists() const { return *graph_->lists; }
  void learn();
  bool list_ways(const std::vector<ClauseEdge>& edges, bool take, std::vector<Way>& ways) const;
  bool is_broken(const std::vector<Way>& ways) const;

  const ListedGraph<W>* graph_ = nullptr;
  Legality* legality_ = nullptr;
  std::vector<Node> node_of_;  // of the lists, per word; 0 where they know none
  std::vector<Node> heads_;    // the tree under judgement
  std::vector<EdgeId> edges_;

  std::size_t learnt_ = 0;                 // so many clauses
  std::vector<std::vector<Way>> clauses_;  // of those that a tree of the lists may break: all ways
  std::vector<Broken> broken_;
  const std::vector<Way>* ways_ = nullptr;
  std::vector<std::uint8_t> marked_;  // per node of the lists
};

}  // namespace coppice::engine
