// One-best with a certificate on a multigraph, O(E log N) (docs/engine.md, sections 1, 6 and 9).
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/heaps.hpp"
#include "engine/solver.hpp"
#include "engine/tuning.hpp"
#include "graph/constraints.hpp"
#include "graph/forest.hpp"

namespace coppice::engine {

class Sparse final : public Solver {
 public:
  explicit Sparse(const Tuning& tuning = {}) : edges_per_pop_(tuning.edges_per_pop) {}

  // Copies the usable edges, to be maximised, grouped by target. Throws std::invalid_argument for
  // weights whose sums could overflow.
  void load(const Multigraph& graph, const Constraints& constraints, Objective objective);

  // solution.edge holds edge ids of the multigraph.
  bool solve(RootRule rule, Solution& solution) override;
  bool collect(const Solution& solution, const ReducedCost& reduced, double limit, std::size_t most,
               CandidateList& candidates) override;
  std::int64_t edges() const override;
  Numbered edge(std::int64_t number) const override;
  Exactness exactness() const override;
  std::int64_t integer_weight(Node head, Node dependent, EdgeId edge) const override;

 private:
  void subtract_base();
  Slot begin(Node t) const { return begin_[t]; }
  Slot end(Node t) const { return begin_[t + 1]; }
  bool is_node(Component c) const { return c < Component(nodes_); }

  void take_tree(Solution& solution) const;
  bool greedy(Solution& solution);
  bool contract(bool root_last, Solution& solution);
  Node outer_root_edges() const;
  bool pick(Component c, bool root_last, Solution& solution);
  Slot best_inner(Node v) const;
  bool pick_root_edge(Component c, Solution& solution);
  Component merge(std::span<const Component> cycle, Solution& solution);
  void build_heap(Node v, bool root_last);
  Slot merge_all(std::vector<Slot>& heaps);
  template <class Visit>
  void for_each_edge_into(Component c, const Solution& solution, Visit visit);
  void expand();

  std::int64_t edges_per_pop_;
  Node nodes_ = 0;
  const Multigraph* graph_ = nullptr;
  Objective objective_ = Objective::maximize;
  Indexed<Node, Slot> begin_;  // of the edges into a node
  Indexed<Slot, Node> source_, target_;
  Indexed<Slot, double> weight_;
  Indexed<Slot, EdgeId> id_;
  Indexed<Node, Slot> best_;  // the best entering edge
  TreeTest is_tree_;

  // Of contract().
  Forest<Component> forest_;
  Heaps heaps_;
  Indexed<Component, Slot> heap_;
  Indexed<Component, Slot> picked_;
  Indexed<Component, std::int64_t> edges_into_;       // its nodes
  Indexed<Component, std::int64_t> popped_;           // in vain, since all were looked at
  std::vector<Slot> own_, members_;                   // heaps to be merged
  std::vector<std::pair<Component, double>> inside_;  // with what was picked around them
};

}  // namespace coppice::engine
