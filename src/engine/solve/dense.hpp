// The best tree of a dense graph, with a certificate, O(N^2) (docs/internals/proofs.md).
//
// Weights are read in rows as long as the best edges into all nodes are a tree, as
// they mostly are in parsers' scores. Columns of gains are made when they are first asked for.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/numbers/scale.hpp"
#include "engine/simd/simd.hpp"
#include "engine/solve/certified_tree.hpp"
#include "engine/solve/weight_rows.hpp"
#include "graph/constraints.hpp"

namespace coppice::engine {

class Dense {
 public:
  // The graph must stay where it is. Throws Error for the first bad weight.
  void load(const DenseView& view, const Constraints& constraints, const Problem& problem);

  // The best tree where the best edges into all nodes are one, and no rounding can have hidden it:
  // the heads, and true. It needs neither a scale nor columns.
  bool take_greedy_heads(Indexed<Node, Node>& heads);
  // After that, but of int64 weights: those of its edges as they are to be maximised, 0 for the
  // root.
  std::span<const double> greedy_weights() const { return {best_.data(), place_of(nodes_)}; }
  // The best tree with its certificate. False: there is none, or none without edges that the scale
  // leaves out.
  bool solve(CertifiedTree& tree);
  const Scale& scale() const { return scale_; }
  // A quick look: are all weights but the best ones far below 0 (numbers/scale.hpp)?
  bool hides_no_digits() const;
  // Makes whole numbers of all weights; before solve(). False: there is no tree, for nothing enters
  // some node.
  bool choose_scale();

  // --- after solve() ---
  bool single_root() const { return single_; }
  Node nodes() const { return nodes_; }
  std::size_t stride() const { return stride_; }
  // Of all edges into t by their source, without the price: missing ones -inf, padded to the
  // stride.
  const double* column(Node t) const {
    if (made_[t] == 0) make_column(t);
    return columns() + place_of(t) * stride_;
  }
  double root_gain(Node t) const { return root_[t]; }
  // The second best edge into t gains so much, -inf if there is none; under the single-root rule of
  // those that do not come from the root.
  double second(Node t) const { return second_[t]; }
  // Adds all edges of reduced cost <= limit that are not in the tree, by dependent. False once they
  // are more than `most`: then some are left out.
  bool collect(const CertifiedTree& tree, const ReducedCost& reduced, double limit,
               std::size_t most, CandidateList& candidates) const;

 private:
  Node best_root_child() const;
  bool is_tree_below(Node root_child);
  void take_greedy_tree(Node root_child, CertifiedTree& tree) const;
  bool contract(CertifiedTree& tree);
  void make_room(std::size_t columns) const;
  void make_column(Node t) const;
  void make_columns() const;
  double* columns() const { return columns_[0].lane; }

  WeightRows rows_;
  Node nodes_ = 0;
  bool single_ = false;
  std::size_t stride_ = 0;
  // Per column: the best edge (under the single-root rule of those not from the root), the second
  // best, the root edge. Weights at first; gains once there is a scale.
  Indexed<Node, double> best_, second_, root_;
  Indexed<Node, Node> source_;     // of the best edge
  Indexed<Node, double> largest_;  // the best weight of all, and ...
  Indexed<Node, double> lead_;     // ... by how much it is ahead of the second best of all
  simd::Tops tops_{};
  Scale scale_;
  Indexed<Node, Node> up_;  // of is_tree_below()
  // The best edges into all nodes are known to be no tree, this one hanging from the root.
  std::optional<Node> no_tree_below_;

  // One column per component; what is not written takes no memory.
  struct alignas(simd::kLanes * sizeof(double)) Lanes {
    double lane[simd::kLanes];
  };
  mutable std::size_t room_ = 0;  // so many numbers
  mutable std::unique_ptr<Lanes[]> columns_;
  mutable Indexed<Node, std::uint8_t> made_;
  simd::Contraction contraction_;
  mutable std::vector<std::int32_t> found_;
};

}  // namespace coppice::engine
