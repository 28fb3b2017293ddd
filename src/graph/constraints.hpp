// The one place that validates which trees are meant and how many, and says which edges that
// allows.
#pragma once

#include <coppice/problem.hpp>
#include <string>
#include <vector>

namespace coppice {

// Throws std::invalid_argument for k < 1, for a max_gap that is negative or NaN, for no budget and
// no time; where a list must have an end, also if k and max_gap are both missing.
void check_limits(const Request& request, bool must_end);

class Constraints {
 public:
  Constraints() = default;

  // Throws std::invalid_argument for ids out of range and for contradictions: two heads for one
  // node, an edge both required and forbidden, a cycle of required edges, two required root edges
  // under RootRule::single.
  void load(Graph graph, const Problem& problem);

  bool empty() const { return empty_; }
  // edge is kNoEdge for a dense graph.
  bool allows(Node head, Node dependent, EdgeId edge) const;

 private:
  void require(Graph graph, Arc arc, EdgeId edge, RootRule rule);
  std::string cycle_of(Node node) const;

  bool empty_ = true;
  std::vector<Node> required_head_;            // per dependent, or kNoNode
  std::vector<EdgeId> required_edge_;          // per dependent, or kNoEdge
  std::vector<std::uint64_t> forbidden_arcs_;  // sorted
  std::vector<EdgeId> forbidden_edges_;        // sorted
};

}  // namespace coppice
