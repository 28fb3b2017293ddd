// The weights of a dense graph as the vector code reads them: rows [head][dependent], where they
// are, or a copy where the caller's cannot be used.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <vector>

#include "engine/simd/simd.hpp"
#include "graph/constraints.hpp"

namespace coppice::engine {

class WeightRows {
 public:
  // The graph must stay where it is.
  void load(const DenseView& view, const Constraints& constraints, Objective objective);

  bool integral() const { return view_->scalar() == Scalar::int64; }
  std::size_t columns() const { return shape_.columns; }  // at least kBlock + 1 of them

  // Throws Error for the first bad weight.
  void find_tops(simd::Tops& tops) const;
  // As it is to be maximised; of integers less the best of its column.
  double weight(Node head, Node dependent) const;
  // The gains of all edges into one node, or into all; `best` are the best weights of the columns.
  void read_column(Node t, const Scale& scale, double best, double* gains) const;
  void read_columns(const Scale& scale, const double* best, double* columns,
                    std::size_t stride) const;

 private:
  template <class T>
  void copy(const Constraints& constraints);
  template <class Visit>
  void with_rows(Visit visit) const;
  void check() const;

  const DenseView* view_ = nullptr;
  const void* rows_ = nullptr;
  bool float32_ = false;  // what rows_ are; else float64
  simd::Rows shape_{};
  std::vector<double> copied_;
};

}  // namespace coppice::engine
