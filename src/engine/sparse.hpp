// One-best with a certificate on a multigraph, O(E log N) (docs/engine.md, sections 1, 6 and 9).
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/heaps.hpp"
#include "engine/solver.hpp"
#include "engine/swap.hpp"
#include "engine/tuning.hpp"
#include "graph/constraints.hpp"
#include "graph/forest.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

class Sparse final : public Solver {
 public:
  explicit Sparse(const Tuning& tuning = {}) : few_edges_(tuning.few_edges) {}

  // Copies the usable edges, to be maximised, grouped by target. Throws std::invalid_argument for
  // weights whose sums could overflow.
  void load(const Multigraph& graph, const Constraints& constraints, Objective objective);

  // A tree that is the best one but for entering a component by another edge (section 5).
  struct Swap {
    double cost;  // how much worse it is
    Slot edge;
    Component entered;  // kNoComponent: all that the only root edge enters
  };
  // The cheapest of them, at most `most`: each makes another tree, and the first the second best of
  // all. What is given is of the solution that solve() gave.
  void find_swaps(const Solution& solution, const ReducedCost& reduced, const Preorder& preorder,
                  RootRule rule, std::size_t most, std::vector<Swap>& swaps);
  // The edges of such a tree that the best one lacks, by dependent.
  void list_edges(const Swap& swap, const Solution& solution, std::vector<Numbered>& edges);

  bool collect(const Solution& solution, const ReducedCost& reduced, double limit, std::size_t most,
               CandidateList& candidates) override;
  std::int64_t edges() const override;
  Numbered edge(std::int64_t number) const override;
  Exactness exactness() const override;
  double unpriced(Node dependent, EdgeId edge) const override;
  std::int64_t integer_weight(Node head, Node dependent, EdgeId edge) const override;

 private:
  struct Edge {
    double weight;  // from the root: less the price
    Node source;
    EdgeId id;
  };
  template <class Weight>
  double sort_by_target(std::span<const Weight> weights, const Constraints& constraints);
  void subtract_base();
  Slot begin(Node t) const { return begin_[t]; }
  Slot end(Node t) const { return begin_[t + 1]; }
  Node target(Slot e) const { return graph_->target(edges_[e].id); }
  bool is_node(Component c) const { return c < Component(nodes_); }

  struct Keyed {
    Slot edge;
    double key = kNoWeight;
  };
  // An edge, and where it comes from: whoever follows edges need not look at all of them.
  struct Picked {
    Slot edge;
    Node source = kNoNode;
  };
  Picked picked(Slot e) const { return e == kNoSlot ? Picked{} : Picked{e, edges_[e].source}; }

  bool find_best_edges(Solution& solution) override;
  bool greedy(Solution& solution) override;
  void take_tree(Solution& solution) const;
  void open(Component entered, Slot edge);
  bool breaks_all_cycles(Node root_child) override;
  void set_price(double price) override;
  TwoLargest root_gains(const Solution& solution) override;
  void find_best_edge(Node v, bool from_root, double old_price, Solution& solution) override;
  void start_contraction() override;
  bool contract(Solution& solution) override;
  Component source(Component c) const override { return Component(picked_[c].source); }
  double highest_price(Component c, const Solution& solution) override;
  void pick_root_edge(Component c, Solution& solution) override;
  void pick_other_edge(Component c, Solution& solution) override;
  bool pick(Component c, Solution& solution);
  Keyed best_inner(Component c);
  Component merge(std::span<const Component> cycle, Solution& solution) override;
  bool is_inside(Node v, Component c) { return forest_.top(Component(v)) == c; }
  Heap merge_heaps(std::span<const Component> cycle, const Solution& solution);
  void ask_for(Node v) const;
  Slot next_edge(Node v, Component around);
  std::size_t sort_edges(Node v);
  bool last_gives_up(RootChildren<double>& two, const Solution& solution) override;
  void expand(Solution& solution) override;

  using Cheapest = CheapestSwaps<double, Swap>;
  void swap_inner(const Solution& solution, const ReducedCost& reduced, const Preorder& preorder,
                  RootRule rule, Cheapest& swaps) const;
  bool may_change_root(const Solution& solution, const ReducedCost& reduced, double limit) const;
  void contract_words(const Solution& solution, double limit, bool one_is_enough);
  void sum_up_to_path_of(Node v);
  void swap_root(const Solution& solution, Cheapest& swaps);

  std::int64_t few_edges_;
  Node nodes_ = 0;
  const Multigraph* graph_ = nullptr;
  Objective objective_ = Objective::maximize;
  Indexed<Node, Slot> begin_;  // of the edges into a node
  Indexed<Slot, Edge> edges_;
  Indexed<Node, Slot> next_;          // free place of an edge into a node
  Indexed<Node, Picked> best_;        // the best entering edge
  Indexed<Node, Slot> root_edge_;     // the best one from the root
  std::vector<Slot> root_edges_;      // all
  std::vector<double> root_weights_;  // where there is a price: as they were
  double price_ = 0.0;
  TreeTest is_tree_;
  Indexed<Node, Slot> tree_;

  // Of contract().
  bool contracted_ = false;  // what follows is of this graph
  Heaps heaps_;              // by edges that do not come from the root
  Indexed<Component, Heap> heap_;
  // The edge by which a node is in its heap, if it has been looked for, and its place among those
  // that are sorted, if they are.
  static constexpr std::size_t kUnsorted = std::numeric_limits<std::size_t>::max();
  struct Entering {
    Slot edge;
    std::size_t place = kUnsorted;
  };
  Indexed<Node, Entering> entering_;
  std::vector<Slot> sorted_;  // where they had to be: the edges into one node after the other
  // The best root edge into a component: it stays the best, whatever the price, and is never
  // inside. The key is without the price.
  Indexed<Component, Keyed> from_root_;
  double other_root_edge_ = kNever;  // by how much the next best into another member is worse
  Indexed<Component, Picked> picked_;
  Indexed<Component, std::uint8_t> opened_;  // entered from further out
  Indexed<Node, std::uint8_t> below_last_;   // of last_gives_up()

  // Of swap_root(): the words are one component, as far as they have to be. Its y, and the only
  // root edge of the best tree.
  Component words_ = kNoComponent;
  Solution rooted_;
  Slot root_edge_of_tree_;
  // Sums of y, and up to where (sum_up_to_path_of).
  Indexed<Component, double> above_;
  Indexed<Component, Component> meets_;
};

}  // namespace coppice::engine
