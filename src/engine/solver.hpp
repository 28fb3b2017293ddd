// What a solver of either kind of graph does for the engine: the best tree, and questions about
// edges that later steps ask.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <cstdint>
#include <span>

#include "engine/candidate.hpp"
#include "engine/exactness.hpp"
#include "engine/root_children.hpp"
#include "engine/solution.hpp"
#include "graph/forest.hpp"

namespace coppice::engine {

// The largest of some gains, whose it is, and the second largest.
struct TwoLargest {
  double first = -kNever, second = -kNever;
  Component owner = kNoComponent;  // of equals the one that came first

  void add(Component c, double gain) {
    if (gain > first) {
      second = first;
      first = gain;
      owner = c;
    } else {
      second = std::max(second, gain);
    }
  }
};

class Solver {
 public:
  virtual ~Solver() = default;

  // False: there is no tree. Once for every graph that is loaded. An unconstrained certificate is
  // given wherever the unconstrained best tree obeys the rule, or does at some price of root edges.
  // Where the tree alone is wanted, there need not be one.
  enum class Wanted : std::uint8_t { certificate, tree };
  bool solve(RootRule rule, Solution& solution, Wanted wanted = Wanted::certificate);

  // All edges of reduced cost <= limit that are not in the best tree, by dependent. False once they
  // are more than `most`: then some are left out.
  virtual bool collect(const Solution& solution, const ReducedCost& reduced, double limit,
                       std::size_t most, CandidateList& candidates) = 0;

  // The edges of the graph by number; those that are missing have weight kNoWeight.
  struct Numbered {
    Node head, dependent;
    double weight;
    EdgeId edge;
  };
  virtual std::int64_t edges() const = 0;
  virtual Numbered edge(std::int64_t number) const = 0;

  // Do sums of these weights round?
  virtual Exactness exactness() const = 0;

  // A lower bound of what replacing the edge of this weight into v costs, ignoring cycles.
  double loss_of_second(Node v, double weight) const {
    // Where the tree does not use the best edge into v, that edge is another one.
    return std::max(0.0, weight - second_[v]);
  }

  // The second best weight of an edge into v, -inf if there is one only.
  double second(Node v) const { return second_[v]; }

  // What was subtracted from the weights of all edges into v, so that float64 holds large integers
  // exactly where they are near the largest one: a tree has one of these edges, so that no gap
  // changes.
  double base(Node v) const { return base_.empty() ? 0.0 : base_[v]; }

  // Would sums of integers of this size, over all nodes, round?
  static bool need_base(double largest, Node nodes) { return 8.0 * nodes * largest > 0x1p53; }

  // Of a root edge as it was given, to be maximised: without the price that solve() put on all.
  virtual double unpriced(Node dependent, EdgeId edge) const = 0;

  // Of a graph with int64 weights: the weight to be maximised, neither rounded nor less the base.
  virtual std::int64_t integer_weight(Node head, Node dependent, EdgeId edge) const = 0;

 protected:
  Solver() = default;
  Solver(const Solver&) = default;
  Solver& operator=(const Solver&) = default;

  // --- the steps of solve() ---

  // The best edge into every node, its weight as y, and the second best weight. False: there is a
  // node that nothing enters.
  virtual bool find_best_edges(Solution& solution) = 0;
  // Takes the best edges for the tree, if they are one.
  virtual bool greedy(Solution& solution) = 0;
  // Are the best edges a tree if this node hangs from the root?
  virtual bool breaks_all_cycles(Node root_child) = 0;
  // Takes this price off all root edges, and nothing else.
  virtual void set_price(double price) = 0;
  // What the best root edge into a node weighs more than its best other edge, of all nodes that
  // have root edges; infinity where there is no other.
  virtual TwoLargest root_gains(const Solution& solution) = 0;
  // The best edge into a node once more, where the price was another; from the root or not.
  virtual void find_best_edge(Node v, bool from_root, double old_price, Solution& solution) = 0;

  virtual void start_contraction() = 0;
  // Every component picks its best edge, and cycles are contracted until there are none.
  virtual bool contract(Solution& solution) = 0;
  // Where the edge that a component picked comes from.
  virtual Component source(Component c) const = 0;
  virtual Component merge(std::span<const Component> cycle, Solution& solution) = 0;
  // The price at which the best root edge into a component is no better than its best other edge.
  virtual double highest_price(Component c, const Solution& solution) = 0;
  // What an outermost component picks.
  virtual void pick_root_edge(Component c, Solution& solution) = 0;
  virtual void pick_other_edge(Component c, Solution& solution) = 0;
  // Of two components that hang from the root: is it seen at once that the last gives up its root
  // edge, however the first is contracted?
  virtual bool last_gives_up(RootChildren<double>& /*two*/, const Solution& /*solution*/) {
    return false;
  }
  // The tree, from what the components picked.
  virtual void expand(Solution& solution) = 0;

  // The component that is to have the only root edge, and the price of root edges for that, above
  // which the given one counts. kNoComponent: there is no such tree.
  Component leave_one_root_edge(double& price, Solution& solution);
  // With one outermost component that hangs from the root, and by now all others from it: contracts
  // it with what its best edge but the root's comes from. Returns what it becomes.
  Component contract_root_child(Component c, Solution& solution);

  Forest<Component> forest_;
  Indexed<Node, double> base_;
  Indexed<Node, double> second_;  // the second best entering weight, set by solve()

 private:
  bool greedy_at_a_price(Solution& solution);
  bool settle_root_edge(Wanted wanted, Solution& solution);
  void find_best_edges_at(double price, Node root_child, Solution& solution);

  struct Picks;  // for RootChildren
  RootChildren<double> root_children_;
};

// Adds an edge to the candidates if its reduced cost is within the limit.
inline void add_if_cheap(const Solution& solution, const ReducedCost& reduced, double limit,
                         Node head, Node dependent, double weight, EdgeId edge,
                         CandidateList& candidates) {
  const double reduced_cost = reduced(head, dependent, weight);
  if (!(reduced_cost <= limit) || reduced_cost == kNever) return;
  candidates.push_back(
      {reduced_cost, solution.weight[dependent] - weight, weight, head, dependent, edge});
}

}  // namespace coppice::engine
