#include "engine/best_alone.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "engine/exactness.hpp"
#include "engine/rounding.hpp"
#include "engine/scores.hpp"
#include "engine/solver.hpp"
#include "engine/tuning.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::engine {
namespace {

// Larger graphs are no faster here, and one that takes much longer would have to be interrupted.
// Those that have to be copied come from far apart in memory.
constexpr Node kMostNodes = 256, kMostForTwo = 2048, kMostCopied = 128;

// Levels with swaps that cost the same within rounding, and trees that equal the best one: see
// is_decided().
constexpr std::ptrdiff_t kManyTied = 8;
constexpr std::int64_t kMostEqual =
    2 * (3 + Tuning{}.tied_in_sweep_per_tree);  // of two wanted, as in Sweep

bool is_plain(const Which& which) {
  return which.required.empty() && which.forbidden.empty() && which.required_edges.empty() &&
         which.forbidden_edges.empty() && which.rules.empty();
}

// Sums of integers up to this one do not round (Solver::need_base).
double largest_weight_of(const DenseView& view) {
  return view.scalar() == Scalar::int64 ? 0x1p53 / 8 / view.nodes()
                                        : largest_weight(view.scalar(), view.nodes());
}

// The best weight of an edge into t.
std::int64_t best_into(Node t, const DenseView& view, bool minimize) {
  std::int64_t best = view.at<std::int64_t>(0, t);
  for (Node s = 1; s < view.nodes(); ++s) {
    if (s == t) continue;
    const auto weight = view.at<std::int64_t>(s, t);
    best = minimize ? std::min(best, weight) : std::max(best, weight);
  }
  return best;
}

// Or null, if this is not one for BestAlone.
const DenseView* view_of(const Graph& graph, const Which& which, Node most) {
  const DenseView* view = graph.dense();
  return view != nullptr && view->nodes() <= most && is_plain(which) ? view : nullptr;
}

// Calls visit(zero) with a zero of the type of the weights.
template <class Visit>
auto with_type(Scalar scalar, Visit visit) {
  if (scalar == Scalar::float32) return visit(0.0F);
  if (scalar == Scalar::int64) return visit(std::int64_t{0});
  return visit(0.0);
}

}  // namespace

bool BestAlone::run(Graph graph, const Which& which, TreeList& trees) {
  const DenseView* view = view_of(graph, which, kMostNodes);
  if (view == nullptr) return false;
  auto find = [&]<class T>(const T* rows, const simd::Rows& shape, const simd::Contraction& room) {
    if constexpr (std::is_same_v<T, float>)
      return simd::kernels().best_heads_f32(rows, shape, room, magnitude_);
    else
      return simd::kernels().best_heads_f64(rows, shape, room, magnitude_);
  };
  if (!contract(*view, which, find)) return false;
  return with_type(view->scalar(),
                   [&](auto zero) { return append_tree<decltype(zero)>(*view, trees); });
}

bool BestAlone::run_two(Graph graph, const Which& which, double max_gap, TreeList& trees) {
  const DenseView* view = view_of(graph, which, kMostForTwo);
  if (view == nullptr) return false;
  simd::SecondTree second = make_more_room(view->nodes());
  auto find = [&]<class T>(const T* rows, const simd::Rows& shape, const simd::Contraction& room) {
    if constexpr (std::is_same_v<T, float>)
      return simd::kernels().best_two_f32(rows, shape, room, second);
    else
      return simd::kernels().best_two_f64(rows, shape, room, second);
  };
  if (!contract(*view, which, find)) return false;
  if (second.none) return true;
  if (!is_decided(*view, which.root, second)) return false;
  with_type(view->scalar(), [&](auto zero) {
    append_two<decltype(zero)>(*view, second, which.objective, max_gap, trees);
  });
  return true;
}

template <class Find>
bool BestAlone::contract(const DenseView& view, const Which& which, Find find) {
  poll();
  const simd::Contraction room = make_room(view.nodes(), which.root);
  simd::Rows shape{place_of(view.nodes()), view.head_stride(), 0,
                   which.objective == Objective::minimize, largest_weight_of(view)};
  const bool in_rows = view.dependent_stride() == 1 && shape.nodes > simd::kLanes;
  if (in_rows && view.scalar() == Scalar::float32)
    return find(static_cast<const float*>(view.data()), shape, room);
  if (in_rows && view.scalar() == Scalar::float64)
    return find(static_cast<const double*>(view.data()), shape, room);
  if (view.nodes() > kMostCopied) return false;
  with_type(view.scalar(), [&](auto zero) { copy_rows<decltype(zero)>(view); });
  shape.stride = static_cast<std::ptrdiff_t>(room.stride + 1);
  lowered_ = false;
  if (find(std::as_const(rows_).data(), shape, room)) return true;
  lowered_ = view.scalar() == Scalar::int64 && lower_columns(view, shape);
  return lowered_ && find(std::as_const(rows_).data(), shape, room);
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

// Integers that float64 cannot hold, or sums of them, lose the best of their column, as in Dense:
// what is left is small where it matters. False: there is no need, or they are too large for
// anybody.
bool BestAlone::lower_columns(const DenseView& view, simd::Rows& shape) {
  const auto stride = static_cast<std::size_t>(shape.stride);
  double largest = 0.0;
  for (Node s = 0; s < view.nodes(); ++s)
    for (Node t = 1; t < view.nodes(); ++t)
      if (s != t) largest = std::max(largest, std::abs(rows_[place_of(s) * stride + place_of(t)]));
  const double most = largest_weight(view.scalar(), view.nodes());
  if (!Solver::need_base(largest, view.nodes()) || largest > most) return false;
  shape.limit = 2.0 * most;
  for (Node t = 1; t < view.nodes(); ++t) {
    const std::int64_t best = best_into(t, view, shape.negate);
    for (Node s = 0; s < view.nodes(); ++s)
      if (s != t)
        rows_[place_of(s) * stride + place_of(t)] =
            static_cast<double>(view.at<std::int64_t>(s, t) - best);
  }
  return true;
}

simd::Contraction BestAlone::make_room(Node nodes, RootRule rule) {
  const std::size_t stride = simd::padded(place_of(nodes)), components = 2 * stride;
  if (stack_.size() < components) {
    // What is not written takes no memory.
    columns_ = std::make_unique_for_overwrite<Lanes[]>(components * stride / simd::kLanes);
    for (auto* array : {&y_, &root_}) array->resize(components + simd::kLanes);
    source_.resize(components + simd::kLanes);
    place_.resize(components);
    for (auto* array : {&stack_, &members_, &end_}) array->resize(components);
  }
  source_[0] = kNoNode;
  return {rule == RootRule::single, stride,        columns(),     y_.data(),       root_.data(),
          source_.data(),           place_.data(), stack_.data(), members_.data(), end_.data()};
}

simd::SecondTree BestAlone::make_more_room(Node nodes) {
  const std::size_t stride = simd::padded(place_of(nodes)), components = 2 * stride;
  if (indices_.size() < 7 * components) {
    indices_.resize(7 * components);
    numbers_.resize(4 * components);
  }
  std::int32_t* i = indices_.data();
  double* x = numbers_.data();
  auto next = [components](auto*& at) { return std::exchange(at, at + components); };
  return {.heads = next(i),
          .second = next(i),
          .parent = next(i),
          .level = next(i),
          .entry = next(i),
          .outermost = next(i),
          .sibling = next(i),
          .cost = next(x),
          .above = next(x),
          .order = next(x),
          .end = next(x)};
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

// Can no other tree have a better score than the second one? Not if it is worse by more than the
// slack, several times over; nor where no sum rounds. Where so many swaps tie that trees made by
// several of them are legion, any of the best will do, as in the queue; or where so many equal the
// best tree that the sweep would look at no more.
bool BestAlone::is_decided(const DenseView& view, RootRule rule,
                           const simd::SecondTree& second) const {
  const double slack = 4.0 * Rounding::slack(view.nodes(), second.magnitude, second.gap);
  if (second.gap == kNever || second.next_gap > second.gap + slack) return true;
  if (view.scalar() == Scalar::int64)
    return !lowered_ || Rounding::is_exact(second.magnitude, second.gap);
  const auto tied = std::count_if(second.cost + 1, second.cost + second.components,
                                  [&](double cost) { return cost <= second.gap + slack; });
  const bool many = tied >= kManyTied || has_many_equals(view.nodes(), rule, second);
  if (many && !is_coarse(view, second)) return true;
  const auto nodes = place_of(view.nodes()), stride = simd::padded(nodes);
  Exactness weights(false);
  weights.see(columns() + stride, (nodes - 1) * stride);
  const double sums = 4.0 * (second.magnitude + weights.largest()) + 2.0 * second.gap;
  return weights.of_terms(8.0 * view.nodes()) || weights.up_to(sums);
}

// Then trees that seem equal may have scores far apart.
bool BestAlone::is_coarse(const DenseView& view, const simd::SecondTree& second) {
  double weights = 0.0;
  for (Node v = 1; v < view.nodes(); ++v) weights += std::abs(view.weight(second.heads[v], v));
  return Rounding::is_coarse(second.magnitude, weights, false);
}

// Counts the trees that one swap makes of the best tree, by the edges that it brings in.
bool BestAlone::has_many_equals(Node nodes, RootRule rule, const simd::SecondTree& second) const {
  const double slack = Rounding::slack(nodes, second.magnitude, 0.0);
  const std::size_t stride = simd::padded(place_of(nodes));
  std::int64_t equal = 1;
  for (std::int32_t c = 1; c < second.components && equal < kMostEqual; ++c) {
    if (second.cost[c] > slack) continue;
    const double* column = columns() + place_of(c) * stride;
    const double begin = second.order[second.entry[c]], end = second.end[second.entry[c]];
    for (Node s = rule == RootRule::single ? 1 : 0; s < nodes; ++s) {
      const bool below = second.order[s] >= begin && second.order[s] < end;
      if (s != source_[c] && !below && y_[place_of(c)] - column[s] <= slack) ++equal;
    }
  }
  return equal >= kMostEqual;
}

// The one of the better score first.
template <class T>
void BestAlone::append_two(const DenseView& view, const simd::SecondTree& second,
                           Objective objective, double max_gap, TreeList& trees) const {
  using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
  auto append = [&](Sum score, const std::int32_t* heads) {
    const auto integer_score = std::is_integral_v<T> ? static_cast<std::int64_t>(score) : 0;
    const auto row = TreeBuilder(trees).append(static_cast<double>(score), integer_score);
    row.heads[0] = kNoNode;
    std::copy_n(heads + 1, row.heads.size() - 1, row.heads.begin() + 1);
  };
  auto score_of = [&](const std::int32_t* heads) {
    Sum score = 0;
    for (Node v = 1; v < view.nodes(); ++v) score += static_cast<Sum>(view.at<T>(heads[v], v));
    return score;
  };
  const Sum best = score_of(second.heads);
  if (second.gap == kNever) return append(best, second.heads);
  const Sum other = score_of(second.second);
  const Sum gap = objective == Objective::minimize ? other - best : best - other;
  append(gap < 0 ? other : best, gap < 0 ? second.second : second.heads);
  if (!is_within(gap < 0 ? -gap : gap, max_gap)) return;
  append(gap < 0 ? best : other, gap < 0 ? second.heads : second.second);
}

}  // namespace coppice::engine
