// What a solver of either kind of graph does for the engine: the best tree, and questions about
// edges that later steps ask.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <cstdint>

#include "engine/candidate.hpp"
#include "engine/exactness.hpp"
#include "engine/solution.hpp"

namespace coppice::engine {

class Solver {
 public:
  virtual ~Solver() = default;

  // False: there is no tree. Both root rules; an unconstrained certificate is given wherever the
  // unconstrained best tree obeys the rule.
  virtual bool solve(RootRule rule, Solution& solution) = 0;

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

  // Of a graph with int64 weights: the weight to be maximised, neither rounded nor less the base.
  virtual std::int64_t integer_weight(Node head, Node dependent, EdgeId edge) const = 0;

 protected:
  Solver() = default;
  Solver(const Solver&) = default;
  Solver& operator=(const Solver&) = default;

  // Would sums of integers of this size, over all nodes, round?
  static bool need_base(double largest, Node nodes) { return 8.0 * nodes * largest > 0x1p53; }

  Indexed<Node, double> base_;
  Indexed<Node, double> second_;  // the second best entering weight, set by solve()
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
