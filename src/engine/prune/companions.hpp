// Edges that only help in company of others, and what the company costs at least
// (docs/internals/proofs.md): an edge into v from below v needs another edge that enters what hangs
// from v; under the single-root rule a second root edge needs the root's child to leave the root,
// and the other way round.
#pragma once

#include <limits>
#include <vector>

#include "engine/solve/indices.hpp"

namespace coppice::engine {

class ReducedGraph;

class Companions {
 public:
  void find(const ReducedGraph& graph);

  // The least reduced cost of an edge, other than those into v itself, that enters what hangs
  // from v.
  double reentry(KernelNode v) const { return reentry_[v]; }
  // The cheapest way for the root's child to leave the root, and for another node to hang from it.
  double inner() const { return inner_; }
  double other_root() const { return other_root_; }
  // What must be paid beside the edge from head to v.
  double cost(const ReducedGraph& graph, KernelNode v, KernelNode head) const;

 private:
  void find_reentries(const ReducedGraph& graph);

  struct Entry {
    double reduced_cost;
    KernelNode node, head;
  };
  Indexed<KernelNode, double> reentry_;
  double inner_ = 0.0, other_root_ = 0.0;
  std::vector<Entry> by_cost_;
  Indexed<KernelNode, KernelNode> open_;  // towards the nearest node upwards that has no answer
};

}  // namespace coppice::engine
