#include "engine/solve/weight_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "graph/indexed.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {

void WeightRows::load(const DenseView& view, const Constraints& constraints, Objective objective) {
  view_ = &view;
  const std::size_t nodes = place_of(view.nodes());
  const std::size_t columns = std::max(nodes, simd::kBlock + 1);
  shape_ = {nodes, columns, view.head_stride(), objective == Objective::minimize,
            largest_weight(view.scalar(), view.nodes())};
  rows_ = view.data();
  float32_ = view.scalar() == Scalar::float32;
  if (integral())
    copy<std::int64_t>(constraints);
  else if (view.dependent_stride() == 1 && columns == nodes && constraints.empty())
    return;
  else if (float32_)
    copy<float>(constraints);
  else
    copy<double>(constraints);
}

// Integers lose the best of their column, so that float64 holds those that are near it exactly.
template <class T>
void WeightRows::copy(const Constraints& constraints) {
  constexpr bool kIntegral = std::is_same_v<T, std::int64_t>;
  const DenseView& view = *view_;
  const Node nodes = view.nodes();
  const bool negate = kIntegral && shape_.negate;
  auto given = [&](Node s, Node t) { return negate ? -view.at<T>(s, t) : view.at<T>(s, t); };
  const bool all = constraints.empty();
  auto is_usable = [&](Node s, Node t) {
    return s != t && (all || constraints.allows(s, t, kNoEdge));
  };
  std::vector<T> best;
  if constexpr (kIntegral) {
    best.assign(place_of(nodes), std::numeric_limits<T>::min());
    for (Node s = 0; s < nodes; ++s) {
      poll();
      for (Node t = 1; t < nodes; ++t) {
        if (s != t && std::abs(view.weight(s, t)) > shape_.limit) check();
        if (is_usable(s, t)) best[place_of(t)] = std::max(best[place_of(t)], given(s, t));
      }
    }
    shape_.negate = false;
    shape_.limit = std::numeric_limits<double>::max();
  }
  shape_.stride = static_cast<std::ptrdiff_t>(shape_.columns);
  copied_.assign(place_of(nodes) * shape_.columns, kNoWeight);
  for (Node s = 0; s < nodes; ++s) {
    poll();
    double* row = copied_.data() + place_of(s) * shape_.columns;
    if (!kIntegral && all && view.dependent_stride() == 1) {
      std::copy_n(static_cast<const T*>(view.data()) + s * view.head_stride(), nodes, row);
      continue;
    }
    for (Node t = 1; t < nodes; ++t)
      if (is_usable(s, t))
        row[t] = static_cast<double>(kIntegral ? given(s, t) - best[place_of(t)] : given(s, t));
  }
  rows_ = copied_.data();
  float32_ = false;
}

template <class Visit>
void WeightRows::with_rows(Visit visit) const {
  if (float32_)
    visit(static_cast<const float*>(rows_));
  else
    visit(static_cast<const double*>(rows_));
}

void WeightRows::find_tops(simd::Tops& tops) const {
  poll();
  const bool valid =
      float32_ ? simd::kernels().tops_f32(static_cast<const float*>(rows_), shape_, tops)
               : simd::kernels().tops_f64(static_cast<const double*>(rows_), shape_, tops);
  if (!valid) check();
}

double WeightRows::weight(Node head, Node dependent) const {
  double given = 0.0;
  with_rows([&](const auto* rows) {
    given = static_cast<double>(rows[head * shape_.stride + dependent]);
  });
  return shape_.negate && given != kNoWeight ? -given : given;
}

void WeightRows::read_column(Node t, const Scale& scale, double best, double* gains) const {
  const auto nodes = static_cast<Node>(shape_.nodes);
  with_rows([&](const auto* rows) {
    for (Node s = 0; s < nodes; ++s) gains[s] = static_cast<double>(rows[s * shape_.stride + t]);
  });
  if (shape_.negate)
    for (Node s = 0; s < nodes; ++s) gains[s] = gains[s] == kNoWeight ? kNoWeight : -gains[s];
  const Scale own = scale;  // nothing else can be where its members are
  for (Node s = 0; s < nodes; ++s) gains[s] = own.gain(gains[s], best);
  gains[t] = kNoWeight;
  std::fill(gains + nodes, gains + simd::padded(place_of(nodes)), kNoWeight);
}

void WeightRows::read_columns(const Scale& scale, const double* best, double* columns,
                              std::size_t stride) const {
  with_rows([&](const auto* rows) {
    if constexpr (sizeof(*rows) == sizeof(float))
      simd::kernels().columns_f32(rows, shape_, scale, best, columns, stride);
    else
      simd::kernels().columns_f64(rows, shape_, scale, best, columns, stride);
  });
}

// The slow and exact check, with the message.
void WeightRows::check() const {
  double largest = 0.0;
  for (Node s = 0; s < view_->nodes(); ++s) {
    poll();
    for (Node t = 1; t < view_->nodes(); ++t) {
      if (s == t) continue;
      const double weight = view_->weight(s, t);
      check_weight(s, t, weight);
      if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
    }
  }
  if (view_->scalar() == Scalar::int64)
    check_magnitude(static_cast<std::uint64_t>(largest), view_->nodes());
  else
    check_magnitude(largest, view_->nodes());
}

}  // namespace coppice::engine
