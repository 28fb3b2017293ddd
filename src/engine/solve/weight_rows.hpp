// The weights of a dense graph as the vector code reads them: rows [head][dependent], where they
// are, or a copy where the caller's cannot be used.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <vector>

#include "engine/simd/simd.hpp"
#include "graph/constraints.hpp"
#include "graph/indexed.hpp"

namespace coppice::engine {

class WeightRows {
 public:
  // The graph must stay where it is.
  void load(const DenseView& view, const Constraints& constraints, Objective objective);

  bool integral() const { return view_->scalar() == Scalar::int64; }

  // Throws Error for the first bad weight.
  void find_tops(simd::Tops& tops) const;
  // As it is to be maximised; of integers less the best of its column.
  double weight(Node head, Node dependent) const {
    return rows_.weight(place_of(head), place_of(dependent));
  }
  // The gains of all edges into one node, or into all; `best` are the best weights of the columns.
  void read_column(Node t, const Scale& scale, double best, double* gains) const;
  void read_columns(const Scale& scale, const double* best, double* columns,
                    std::size_t stride) const;

 private:
  template <class T>
  void copy(const Constraints& constraints);
  void check() const;

  const DenseView* view_ = nullptr;
  simd::Rows rows_{};
  std::vector<double> copied_;
};

}  // namespace coppice::engine
