// Subproblems of a dense graph for the queue: as ListSolver, where so many edges matter that lists
// of them would be slower than whole columns. A solve and its swaps take O(N^2) in long vectors.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/dense.hpp"
#include "engine/solution.hpp"
#include "engine/tied_trees.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

class DenseSolver {
 public:
  using Weight = double;
  using Edge = std::int64_t;
  static constexpr Edge kNone = -1;
  struct Swap {
    double cost;
    Edge edge;
  };

  // The graph must have been solved, with this solution, and stay where it is. Leaves it changed.
  void load(Dense& dense, RootRule rule, const Solution& solution);

  void clear();
  void require(Edge edge);
  void exclude(Edge edge) { dense_->exclude(head(edge), node(edge)); }
  bool solve();

  double weight() const { return weight_; }
  Node nodes() const { return dense_->nodes(); }
  Edge tree(Node v) const { return edge_of(solution_.head[v], v); }
  const Indexed<Node, Node>& heads() const { return solution_.head; }
  Edge edge_of(Node head, Node dependent) const {
    return static_cast<Edge>(dependent) * nodes() + head;
  }
  Node node(Edge edge) const { return static_cast<Node>(edge / nodes()); }
  Node head(Edge edge) const { return static_cast<Node>(edge % nodes()); }
  double weight(Edge edge) const { return dense_->weight(head(edge), node(edge)); }

  Edge open_root_edge() const { return open_root_edge_; }
  std::optional<double> root_swap() const;
  // Are there so many trees that weigh what this one does, beside it?
  bool list_ties(std::int64_t least, TiedTrees& ties);
  bool swaps(double limit, std::size_t most, std::vector<Swap>& swaps);

 private:
  double cheapest_swap(Node v);
  Component outermost(Node v) const;

  Dense* dense_ = nullptr;
  RootRule rule_ = RootRule::any;
  Node root_child_ = kNoNode;  // that must be; or the root is open
  bool solved_ = false;        // solution_ is that of the graph as it was given
  Solution solution_;
  ReducedCost reduced_;
  Preorder preorder_;
  std::vector<double> place_;  // per node, in preorder
  std::vector<Node> heavy_;
  Edge open_root_edge_ = kNone;
  double weight_ = 0.0;
};

}  // namespace coppice::engine
