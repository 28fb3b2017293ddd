// The best tree of a small dense graph for those who ask for no other and for no certificate: the
// same contraction as that of Dense, with less to keep (docs/engine.md, section 6).
#pragma once

#include <coppice/tree.hpp>
#include <coppice/which.hpp>
#include <cstdint>
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

 private:
  bool find_heads(const DenseView& view, RootRule rule, Objective objective);
  simd::Contraction make_room(Node nodes, RootRule rule);
  template <class T>
  void copy_rows(const DenseView& view);
  template <class T>
  bool append_tree(const DenseView& view, TreeList& trees) const;

  double magnitude_ = 0.0;
  std::vector<double> rows_;  // where the caller's cannot be used as they are
  // See simd::Contraction.
  struct alignas(simd::kLanes * sizeof(double)) Lanes {
    double lane[simd::kLanes];
  };
  std::vector<Lanes> columns_;
  std::vector<double> y_, root_;
  Indexed<Node, Node> source_;
  std::vector<std::int64_t> place_;
  std::vector<std::int32_t> stack_, members_, end_;
};

}  // namespace coppice::engine
