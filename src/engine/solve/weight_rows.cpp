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
  rows_ = {.data = view.data(),
           .float32 = view.scalar() == Scalar::float32,
           .nodes = nodes,
           .stride = view.head_stride(),
           .negate = objective == Objective::minimize,
           .limit = largest_weight(view.scalar(), view.nodes())};
  if (integral())
    copy<std::int64_t>(constraints);
  else if (view.dependent_stride() == 1 && constraints.empty())
    return;
  else if (rows_.float32)
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
  const bool negate = kIntegral && rows_.negate;
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
        if (s != t && std::abs(view.weight(s, t)) > rows_.limit) check();
        if (is_usable(s, t)) best[place_of(t)] = std::max(best[place_of(t)], given(s, t));
      }
    }
    rows_.negate = false;
    rows_.limit = std::numeric_limits<double>::max();
  }
  rows_.stride = nodes;
  copied_.assign(place_of(nodes) * place_of(nodes), kNoWeight);
  for (Node s = 0; s < nodes; ++s) {
    poll();
    double* row = copied_.data() + place_of(s) * place_of(nodes);
    for (Node t = 1; t < nodes; ++t)
      if (is_usable(s, t))
        row[t] = static_cast<double>(kIntegral ? given(s, t) - best[place_of(t)] : given(s, t));
  }
  rows_.data = copied_.data();
  rows_.float32 = false;
}

void WeightRows::find_tops(simd::Tops& tops) const {
  poll();
  if (!simd::kernels().tops(rows_, tops)) check();
}

void WeightRows::read_column(Node t, const Scale& scale, double best, double* gains) const {
  const simd::Rows rows = rows_;
  const Scale own = scale;  // nothing else can be where its members are
  for (std::size_t s = 0; s < rows.nodes; ++s)
    gains[s] = own.gain(rows.weight(s, place_of(t)), best);
  gains[t] = kNoWeight;
  std::fill(gains + rows.nodes, gains + simd::padded(rows.nodes), kNoWeight);
}

void WeightRows::read_columns(const Scale& scale, const double* best, double* columns,
                              std::size_t stride) const {
  simd::kernels().columns(rows_, scale, best, columns, stride);
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
