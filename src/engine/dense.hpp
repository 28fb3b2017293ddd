// One-best with a certificate on a dense graph, O(N^2) (docs/engine.md, sections 1 and 6).
#pragma once

#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <cstdint>
#include <vector>

#include "engine/solution.hpp"
#include "graph/constraints.hpp"

namespace coppice::engine {

class Dense {
 public:
  // Copies the weights, to be maximised, column by column: one column per dependent. Throws
  // std::invalid_argument for the first bad weight.
  void load(const DenseView& view, const Constraints& constraints, Objective objective);

  // False: there is no tree. Both root rules; an unconstrained certificate is given wherever the
  // unconstrained best tree obeys the rule.
  bool solve(RootRule rule, Solution& solution);

  Node nodes() const { return nodes_; }
  double weight(Node head, Node dependent) const { return column(dependent)[head]; }
  // A lower bound of what replacing the edge into v costs, ignoring cycles; after solve.
  double loss_of_second(Node v, double weight) const;

  // Calls visit(head, dependent, weight, kNoEdge) for all edges of reduced cost <= limit (and maybe
  // others that a quick test cannot tell from them), tree edges included.
  template <class Visit>
  void for_each_cheap(const ReducedCost& reduced, double limit, Visit visit);

 private:
  const double* column(Component c) const { return columns_.data() + at(c) * stride_; }
  double* column(Component c) { return columns_.data() + at(c) * stride_; }
  void check(const DenseView& view) const;

  bool greedy(Solution& solution);
  bool contract(bool root_last, Solution& solution);
  bool pick(Component c, bool root_last, Solution& solution);
  Component merge(Component last, Component first, Solution& solution);
  void expand(Solution& solution);
  Component top(Component c);

  Node nodes_ = 0;
  std::size_t stride_ = 0;
  std::vector<double> columns_;    // one per component
  std::vector<double> second_;     // per node: its second best entering weight
  std::vector<Node> best_source_;  // per node: where its best entering edge comes from

  // Of contract(): per component.
  std::vector<Node> source_;                  // where the picked edge comes from
  std::vector<Component> top_;                // union-find towards the outermost component
  std::vector<Component> child_;              // first member
  std::vector<Component> sibling_;            // next member of the same component
  std::vector<Node> first_node_, last_node_;  // its nodes as a linked list
  std::vector<Node> next_node_;
  std::vector<std::uint8_t> state_;
  std::vector<Component> path_;
  std::vector<std::int32_t> found_;
};

}  // namespace coppice::engine

#include "engine/simd.hpp"

namespace coppice::engine {

template <class Visit>
void Dense::for_each_cheap(const ReducedCost& reduced, double limit, Visit visit) {
  found_.resize(stride_);
  for (Node t = 1; t < nodes_; ++t) {
    std::size_t found =
        simd::kernels().at_least(column(t), reduced.least(t) - limit, stride_, found_.data());
    for (std::size_t i = 0; i < found; ++i)
      if (column(t)[found_[i]] != kNoWeight) visit(found_[i], t, column(t)[found_[i]], kNoEdge);
  }
}

}  // namespace coppice::engine
