#include "engine/best_alone.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/rounding.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::engine {
namespace {

// Larger graphs are no faster here. Those that have to be copied come from far apart in memory.
constexpr Node kMostNodes = 256, kMostCopied = 128;

bool is_plain(const Which& which) {
  return which.required.empty() && which.forbidden.empty() && which.required_edges.empty() &&
         which.forbidden_edges.empty() && which.rules.empty();
}

// Sums of integers up to this one do not round (Solver::need_base).
double largest_weight_of(const DenseView& view) {
  return view.scalar() == Scalar::int64 ? 0x1p53 / 8 / view.nodes()
                                        : largest_weight(view.scalar(), view.nodes());
}

}  // namespace

bool BestAlone::run(Graph graph, const Which& which, TreeList& trees) {
  const DenseView* view = graph.dense();
  if (view == nullptr || view->nodes() > kMostNodes || !is_plain(which)) return false;
  poll();
  if (!find_heads(*view, which.root, which.objective)) return false;
  switch (view->scalar()) {
    case Scalar::float32:
      return append_tree<float>(*view, trees);
    case Scalar::float64:
      return append_tree<double>(*view, trees);
    case Scalar::int64:
      return append_tree<std::int64_t>(*view, trees);
  }
  return false;
}

bool BestAlone::find_heads(const DenseView& view, RootRule rule, Objective objective) {
  const simd::Contraction room = make_room(view.nodes(), rule);
  simd::Rows shape{place_of(view.nodes()), view.head_stride(), 0, objective == Objective::minimize,
                   largest_weight_of(view)};
  const bool in_rows = view.dependent_stride() == 1 && shape.nodes > simd::kLanes;
  if (in_rows && view.scalar() == Scalar::float32)
    return simd::kernels().best_heads_f32(static_cast<const float*>(view.data()), shape, room,
                                          magnitude_);
  if (in_rows && view.scalar() == Scalar::float64)
    return simd::kernels().best_heads_f64(static_cast<const double*>(view.data()), shape, room,
                                          magnitude_);
  if (view.nodes() > kMostCopied) return false;
  if (view.scalar() == Scalar::float32)
    copy_rows<float>(view);
  else if (view.scalar() == Scalar::float64)
    copy_rows<double>(view);
  else
    copy_rows<std::int64_t>(view);
  shape.stride = static_cast<std::ptrdiff_t>(room.stride + 1);
  return simd::kernels().best_heads_f64(rows_.data(), shape, room, magnitude_);
}

// With room for a strip of nodes behind the root.
template <class T>
void BestAlone::copy_rows(const DenseView& view) {
  const auto nodes = place_of(view.nodes()), stride = simd::padded(nodes) + 1;
  if (rows_.size() < nodes * stride) rows_.resize(nodes * stride);
  for (Node s = 0; s < view.nodes(); ++s) {
    double* row = rows_.data() + place_of(s) * stride;
    for (Node t = 1; t < view.nodes(); ++t) row[t] = static_cast<double>(view.at<T>(s, t));
    std::fill(row + nodes, row + stride, kNoWeight);
  }
}

simd::Contraction BestAlone::make_room(Node nodes, RootRule rule) {
  const std::size_t stride = simd::padded(place_of(nodes)), components = 2 * stride;
  if (stack_.size() < components) {
    columns_.resize(components * stride / simd::kLanes);
    for (auto* array : {&y_, &root_}) array->resize(components + simd::kLanes);
    source_.resize(components + simd::kLanes);
    place_.resize(components);
    for (auto* array : {&stack_, &members_, &end_}) array->resize(components);
  }
  source_[0] = kNoNode;
  return {rule == RootRule::single, stride,        columns_[0].lane, y_.data(),       root_.data(),
          source_.data(),           place_.data(), stack_.data(),    members_.data(), end_.data()};
}

// Unless the arithmetic was so coarse that another one may have the best score (section 8).
template <class T>
bool BestAlone::append_tree(const DenseView& view, TreeList& trees) const {
  using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
  Sum score = 0;
  double weights = 0.0;
  for (Node v = 1; v < view.nodes(); ++v) {
    const auto weight = static_cast<Sum>(view.at<T>(source_[v], v));
    score += weight;
    weights += std::abs(static_cast<double>(weight));
  }
  if (Rounding::is_coarse(magnitude_, weights, std::is_integral_v<T>)) return false;
  const auto integer_score = std::is_integral_v<T> ? static_cast<std::int64_t>(score) : 0;
  const auto row = TreeBuilder(trees).append(static_cast<double>(score), integer_score);
  std::copy_n(source_.begin(), row.heads.size(), row.heads.begin());
  return true;
}

}  // namespace coppice::engine
