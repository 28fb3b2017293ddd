// One-best with a certificate on a dense graph, O(N^2) (docs/engine.md, sections 1 and 6).
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/simd.hpp"
#include "engine/solver.hpp"
#include "graph/constraints.hpp"

namespace coppice::engine {

class Dense final : public Solver {
 public:
  // The weights, to be maximised, one column per dependent. Columns of a matrix that lies in rows
  // are copied when they are first asked for: for the best tree alone none need be. Throws
  // std::invalid_argument for the first bad weight.
  void load(const DenseView& view, const Constraints& constraints, Objective objective);

  bool collect(const Solution& solution, const ReducedCost& reduced, double limit, std::size_t most,
               CandidateList& candidates) override;
  std::int64_t edges() const override;
  Numbered edge(std::int64_t number) const override;
  Exactness exactness() const override;
  double unpriced(Node dependent, EdgeId edge) const override;
  std::int64_t integer_weight(Node head, Node dependent, EdgeId edge) const override;

  // --- subproblems (section 5), after a first solve ---

  // From now on until restore() the edge must be in every tree, or in none.
  void require(Node head, Node dependent);
  void exclude(Node head, Node dependent);
  void restore();
  // As solve(), but that weights and columns stay as they were, and the price of root edges that
  // the solution has is one more than they pay already.
  bool solve_again(RootRule rule, Solution& solution);
  // Has nothing been done since solve()?
  bool is_as_solved() const { return is_as_solved_; }

  Node nodes() const { return nodes_; }
  std::size_t stride() const { return stride_; }
  // Of a component after a solve, [source]: the best weight of an edge into it, less what was
  // picked inside.
  const double* column(Component c) const {
    if (lazy_ && is_node(c) && !made_[c.value()]) make_column(c.value());
    return columns_.data() + place_of(c) * stride_;
  }
  // Of the root edge into a node.
  double root_weight(Node dependent) const {
    if (!lazy_) return weight(0, dependent);
    return price_ != 0.0 ? priced_[dependent] : view_weight(0, dependent);
  }
  double weight(Node head, Node dependent) const { return column(Component(dependent))[head]; }
  // Of the best edge into a component that does not come from the root.
  double best_other_weight(Component c) { return best_inner(c).best; }
  // Calls visit(v) for every node of a component.
  template <class Visit>
  void for_each_node(Component c, Visit visit) const {
    if (is_node(c)) return visit(c.value());
    for (Node v = first_node_[c];; v = next_node_[v]) {
      visit(v);
      if (v == last_node_[c]) break;
    }
  }

 private:
  double* column(Component c) { return const_cast<double*>(std::as_const(*this).column(c)); }
  bool is_node(Component c) const { return c < Component(nodes_); }
  double view_weight(Node head, Node dependent) const {
    const double weight = view_->weight(head, dependent);
    return objective_ == Objective::minimize && weight != kNoWeight ? -weight : weight;
  }
  bool look_at_rows();
  void make_column(Node dependent) const;
  bool make_columns();
  void check(const DenseView& view) const;
  void subtract_base();

  bool find_best_edges(Solution& solution) override;
  bool find_best_source(Node dependent, Solution& solution);
  bool greedy(Solution& solution) override;
  bool breaks_all_cycles(Node root_child) override;
  void set_price(double price) override;
  void set_root_weight(Node v, double weight);
  TwoLargest root_gains(const Solution& solution) override;
  void find_best_edge(Node v, bool from_root, double old_price, Solution& solution) override;
  simd::Top best_inner(Component c);
  void start_contraction() override;
  bool contract(Solution& solution) override;
  Component source(Component c) const override { return Component(source_[c]); }
  double highest_price(Component c, const Solution& solution) override;
  void pick_root_edge(Component c, Solution& solution) override;
  void pick_other_edge(Component c, Solution& solution) override;
  bool pick(Component c, Solution& solution);
  Component merge(std::span<const Component> cycle, Solution& solution) override;
  void expand(Solution& solution) override;

  Node nodes_ = 0;
  std::optional<DenseView> view_;
  Objective objective_ = Objective::maximize;
  std::size_t stride_ = 0;
  mutable std::vector<double> columns_;       // one per component
  bool lazy_ = false;                         // columns of nodes are made when asked for,
  mutable Indexed<Node, std::uint8_t> made_;  // these are
  Indexed<Node, double> best_;                // lazy: the best entering weight
  Indexed<Node, Node> best_source_;           // where the best entering edge comes from
  TreeTest is_tree_;
  // Taken off all root edges in columns_. Where there is a price: what they were, and are.
  double price_ = 0.0;
  Indexed<Node, double> root_weights_, priced_;

  // What restore() puts back, the latest last: one weight, or a column that lies in kept_.
  struct Change {
    Node dependent, head;  // head: kNoNode for a column
    double weight;
  };
  std::vector<Change> changes_;
  std::vector<double> kept_;
  std::vector<Node> changed_;  // columns whose best source must be found again
  std::vector<std::int32_t> found_;
  bool is_as_solved_ = false;

  // Of contract().
  Indexed<Component, Node> source_;                  // where the picked edge comes from
  Indexed<Component, Node> first_node_, last_node_;  // its nodes as a linked list
  Indexed<Node, Node> next_node_;
};

}  // namespace coppice::engine
