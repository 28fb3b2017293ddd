// One-best with a certificate on a multigraph, O(E log N) (docs/engine.md, sections 1, 6 and 9).
#pragma once

#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <cstdint>
#include <vector>

#include "engine/solution.hpp"
#include "graph/constraints.hpp"

namespace coppice::engine {

// Edges in max-heaps that can be merged, each heap with an amount still to be taken off all its
// keys: skew heaps over arrays, one cell per edge.
class EdgeHeaps {
 public:
  using Cell = std::int32_t;
  static constexpr Cell kEmpty = -1;

  void reset(std::size_t cells) { cells_.resize(cells); }
  void make(Cell cell, double key) { cells_[at(cell)] = {key, 0.0, kEmpty, kEmpty}; }
  Cell merge(Cell a, Cell b);
  Cell pop(Cell top);
  double key(Cell top) const { return cells_[at(top)].key; }
  // Takes y off every key of the heap.
  void subtract(Cell top, double y) {
    cells_[at(top)].key -= y;
    cells_[at(top)].owed -= y;
  }

 private:
  void settle(Cell cell);

  struct Entry {
    double key;
    double owed;  // to be added to the keys below
    Cell left, right;
  };
  std::vector<Entry> cells_;
};

class Sparse {
 public:
  // Copies the usable edges, to be maximised, grouped by target. Throws std::invalid_argument for
  // weights whose sums could overflow.
  void load(const Multigraph& graph, const Constraints& constraints, Objective objective);

  // As Dense::solve; solution.edge holds edge ids of the multigraph.
  bool solve(RootRule rule, Solution& solution);

  Node nodes() const { return nodes_; }
  double loss_of_second(Node v, double weight) const;

  // Calls visit(head, dependent, weight, edge id) for all edges of reduced cost <= limit (and maybe
  // others that a quick test cannot tell from them), tree edges included.
  template <class Visit>
  void for_each_cheap(const ReducedCost& reduced, double limit, Visit visit) const {
    for (Node t = 1; t < nodes_; ++t) {
      double threshold = reduced.least(t) - limit;
      for (Index e = begin_[at(t)]; e < begin_[at(t) + 1]; ++e)
        if (weight_[at(e)] >= threshold && weight_[at(e)] != kNoWeight)
          visit(source_[at(e)], t, weight_[at(e)], id_[at(e)]);
    }
  }

 private:
  using Index = std::int32_t;  // into the arrays below

  void take_tree(Solution& solution) const;
  bool greedy(Solution& solution);
  bool contract(bool root_last, Solution& solution);
  bool pick(Component c, bool root_last, Solution& solution);
  bool pick_root_edge(Component c, Solution& solution);
  Component merge(Component first, Solution& solution);
  void build_heap(Node v, bool root_last);
  void expand(const Solution& solution);
  Component top(Component c);

  Node nodes_ = 0;
  std::vector<Index> begin_;  // of the edges into a node
  std::vector<Node> source_, target_;
  std::vector<double> weight_;
  std::vector<EdgeId> id_;
  std::vector<Index> best_;     // per node: its best entering edge
  std::vector<double> second_;  // per node: the weight of the next best

  // Of contract(): per component.
  EdgeHeaps heaps_;
  std::vector<EdgeHeaps::Cell> heap_;
  std::vector<Index> picked_;
  std::vector<Component> top_, child_, sibling_;
  std::vector<std::uint8_t> state_;
  std::vector<Component> path_;
  std::vector<EdgeHeaps::Cell> round_;
};

}  // namespace coppice::engine
