// The best tree of a small dense graph, or the best two, for those who ask for no other and for no
// certificate: the same contraction as that of Dense, with less to keep (docs/engine.md, section
// 6).
#pragma once

#include <coppice/tree.hpp>
#include <coppice/which.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/simd.hpp"
#include "graph/indexed.hpp"

namespace coppice::engine {

class BestAlone {
 public:
  // Appends the best tree to a list that is empty. False where all the rest of the engine is
  // needed: a graph that is sparse, large or bad, that may have no tree, or whose best tree
  // rounding may hide; required or forbidden edges; rules.
  bool run(Graph graph, const Which& which, TreeList& trees);
  // The same of the best two trees, of which the second may be worse by max_gap; none is appended
  // if there is certainly none. False too where few others tie with it within rounding.
  bool run_two(Graph graph, const Which& which, double max_gap, TreeList& trees);

 private:
  // Calls find(rows, shape, room) with the weights in rows, of float or double.
  template <class Find>
  bool contract(const DenseView& view, const Which& which, Find find);
  simd::Contraction make_room(Node nodes, RootRule rule);
  simd::SecondTree make_more_room(Node nodes);
  template <class T>
  void copy_rows(const DenseView& view);
  bool lower_columns(const DenseView& view, simd::Rows& shape);
  template <class T>
  bool append_tree(const DenseView& view, TreeList& trees) const;
  bool is_decided(const DenseView& view, RootRule rule, const simd::SecondTree& second) const;
  static bool is_coarse(const DenseView& view, const simd::SecondTree& second);
  bool has_many_equals(Node nodes, RootRule rule, const simd::SecondTree& second) const;
  template <class T>
  void append_two(const DenseView& view, const simd::SecondTree& second, Objective objective,
                  double max_gap, TreeList& trees) const;

  double magnitude_ = 0.0;
  bool lowered_ = false;      // the best of its column was taken off every integer
  std::vector<double> rows_;  // where the caller's cannot be used as they are
  // See simd::Contraction.
  struct alignas(simd::kLanes * sizeof(double)) Lanes {
    double lane[simd::kLanes];
  };
  double* columns() const { return columns_[0].lane; }
  std::unique_ptr<Lanes[]> columns_;
  std::vector<double> y_, root_;
  Indexed<Node, Node> source_;
  std::vector<std::int64_t> place_;
  std::vector<std::int32_t> stack_, members_, end_;
  // See simd::SecondTree: all its arrays, one behind the other.
  std::vector<std::int32_t> indices_;
  std::vector<double> numbers_;
};

}  // namespace coppice::engine
