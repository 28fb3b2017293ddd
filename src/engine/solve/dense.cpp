#include "engine/solve/dense.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "graph/input.hpp"
#include "graph/large_arrays.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// So many columns take less than a millisecond.
void poll_at_column(Node t) {
  if (t % 32 == 0) poll();
}
// The columns of larger graphs are made all at once: one at a time they would come from far apart
// in memory.
constexpr Node kMostLazy = 256;

// The index of the largest gain, and the second largest.
struct TwoLargest {
  double first = -kInfinity, second = -kInfinity;
  Node owner = 1;  // if all are -inf

  void add(Node v, double gain) {
    if (gain > first) {
      second = first;
      first = gain;
      owner = v;
    } else {
      second = std::max(second, gain);
    }
  }
};

// What a root edge gains over the best other edge; a node without another one gains infinitely, one
// without any nothing that counts (NaN).
double root_edge_gain(double root, double best) { return root - best; }

}  // namespace

void Dense::load(const DenseView& view, const Constraints& constraints, const Which& which) {
  view_ = &view;
  nodes_ = view.nodes();
  single_ = which.root == RootRule::single;
  integral_ = view.scalar() == Scalar::int64;
  float32_ = view.scalar() == Scalar::float32;
  stride_ = simd::padded(place_of(nodes_));
  const bool minimize = which.objective == Objective::minimize;
  const auto columns = std::max(place_of(nodes_), simd::kBlock + 1);
  shape_ = {place_of(nodes_), columns, view.head_stride(), minimize,
            largest_weight(view.scalar(), nodes_)};
  rows_ = view.data();
  no_tree_below_.reset();
  if (view.dependent_stride() != 1 || columns > place_of(nodes_) || integral_ ||
      !constraints.empty()) {
    if (float32_)
      copy_rows<float>(constraints);
    else if (integral_)
      copy_rows<std::int64_t>(constraints);
    else
      copy_rows<double>(constraints);
  }
  if (best_.size() < columns) {
    for (auto* array : {&best_, &second_, &root_, &largest_, &lead_}) array->resize(columns);
    for (auto* array : {&source_, &met_from_}) array->resize(columns);
  }
  tops_ = {single_, best_.data(), source_.data(), second_.data(), root_.data()};
  poll();
  bool valid = false;
  with_rows([&](const auto* rows) {
    if constexpr (sizeof(*rows) == sizeof(float))
      valid = simd::kernels().tops_f32(rows, shape_, tops_);
    else
      valid = simd::kernels().tops_f64(rows, shape_, tops_);
  });
  if (!valid) check();
}

// Integers lose the best of their column, so that float64 holds those that are near it exactly.
template <class T>
void Dense::copy_rows(const Constraints& constraints) {
  const DenseView& view = *view_;
  shape_.stride = static_cast<std::ptrdiff_t>(shape_.columns);
  copied_.assign(place_of(nodes_) * shape_.columns, kNoWeight);
  [[maybe_unused]] std::vector<std::int64_t> best;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    best.assign(place_of(nodes_), std::numeric_limits<std::int64_t>::min());
    for (Node s = 0; s < nodes_; ++s) {
      poll();
      for (Node t = 1; t < nodes_; ++t) {
        const std::int64_t weight = view.at<T>(s, t);
        if (s != t && std::abs(static_cast<double>(weight)) > shape_.limit) check();
        if (s != t && constraints.allows(s, t, kNoEdge))
          best[place_of(t)] = std::max(best[place_of(t)], shape_.negate ? -weight : weight);
      }
    }
  }
  const bool all = constraints.empty();
  for (Node s = 0; s < nodes_; ++s) {
    poll();
    double* row = copied_.data() + place_of(s) * shape_.columns;
    if (all && !std::is_same_v<T, std::int64_t> && view.dependent_stride() == 1) {
      std::copy_n(static_cast<const T*>(view.data()) + s * view.head_stride(), nodes_, row);
      continue;
    }
    for (Node t = 1; t < nodes_; ++t) {
      if (s == t || (!all && !constraints.allows(s, t, kNoEdge))) continue;
      const T weight = view.at<T>(s, t);
      if constexpr (std::is_same_v<T, std::int64_t>)
        row[t] = static_cast<double>((shape_.negate ? -weight : weight) - best[place_of(t)]);
      else
        row[t] = static_cast<double>(weight);
    }
  }
  rows_ = copied_.data();
  float32_ = false;
  if (!integral_) return;
  shape_.negate = false;
  shape_.limit = std::numeric_limits<double>::max();
}

template <class Visit>
void Dense::with_rows(Visit visit) const {
  if (float32_)
    visit(static_cast<const float*>(rows_));
  else
    visit(static_cast<const double*>(rows_));
}

// As it is to be maximised.
double Dense::weight(Node head, Node dependent) const {
  double given = 0.0;
  with_rows([&](const auto* rows) {
    given = static_cast<double>(rows[head * shape_.stride + dependent]);
  });
  return shape_.negate && given != kNoWeight ? -given : given;
}

// The slow and exact check, with the message.
void Dense::check() const {
  double largest = 0.0;
  for (Node s = 0; s < nodes_; ++s) {
    poll();
    for (Node t = 1; t < nodes_; ++t) {
      if (s == t) continue;
      const double weight = view_->weight(s, t);
      check_weight(s, t, weight);
      if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
    }
  }
  if (view_->scalar() == Scalar::int64)
    check_magnitude(static_cast<std::uint64_t>(largest), nodes_);
  else
    check_magnitude(largest, nodes_);
}

Node Dense::best_root_child() const {
  TwoLargest gains;
  for (Node v = 1; v < nodes_; ++v) gains.add(v, root_edge_gain(root_[v], best_[v]));
  return gains.owner;
}

// Are the best edges into all nodes a tree, this one hanging from the root if it is a node? Goes up
// from every node to one that has been met before: on the same way only if there is a cycle.
bool Dense::is_tree_below(Node root_child) {
  Node* met_from = met_from_.data();
  std::fill_n(met_from, nodes_, 0);
  met_from[0] = kNoNode;
  if (root_child != kNoNode) met_from[root_child] = kNoNode;
  for (Node v = 1; v < nodes_; ++v) {
    Node up = v;
    for (; met_from[up] == 0; up = source_[up]) {
      met_from[up] = v;
      if (source_[up] < 0) return false;  // nothing enters it
    }
    if (met_from[up] == v) return false;
  }
  return true;
}

bool Dense::take_greedy_heads(Indexed<Node, Node>& heads) {
  // Weights that are nearer to each other may tie as whole numbers.
  const double near = 0x1p-48 * nodes_ * tops_.largest_loss;
  if (!(tops_.nearest > near)) return false;
  const Node root_child = single_ ? tops_.root_child : kNoNode;
  if (single_ && (std::isinf(tops_.root_gain) ||
                  !(tops_.root_gain - tops_.next_root_gain > 2.0 * near)))
    return false;
  if (!is_tree_below(root_child)) {
    no_tree_below_ = root_child;
    return false;
  }
  heads.assign(source_.begin(), source_.begin() + nodes_);
  heads[0] = kNoNode;
  best_[0] = 0.0;
  if (!single_) return true;
  heads[root_child] = 0;
  best_[root_child] = root_[root_child];
  return true;
}

bool Dense::choose_scale() {
  poll();
  made_.assign(place_of(nodes_), 0);
  for (Node v = 1; v < nodes_; ++v) {
    largest_[v] = single_ ? std::max(best_[v], root_[v]) : best_[v];
    if (largest_[v] == kNoWeight) return false;
    const double other = single_ ? std::max(second_[v], std::min(best_[v], root_[v])) : second_[v];
    lead_[v] = largest_[v] - other;
  }
  scale_ = scale_of(nodes_, tops_.largest_loss, integral_);
  if ((!integral_ || scale_.wide) && may_be_uneven(nodes_, tops_.largest_loss, lead_))
    scale_ = scale_of_uneven(nodes_, integral_, [&](auto visit) {
      for (Node s = 0; s < nodes_; ++s) {
        poll();
        for (Node t = 1; t < nodes_; ++t)
          if (const double w = s == t ? kNoWeight : weight(s, t); w != kNoWeight)
            visit(w, largest_[t]);
      }
    });
  for (Node v = 1; v < nodes_; ++v) {
    best_[v] = scale_.gain(best_[v], largest_[v]);
    second_[v] = scale_.gain(second_[v], largest_[v]);
    root_[v] = single_ ? scale_.gain(root_[v], largest_[v]) : kNoWeight;
    if (best_[v] == kNoWeight) source_[v] = kNoNode;
  }
  // Weights that differed may tie as whole numbers: of equal edges the first is the best.
  for (Node v = 1; v < nodes_ && !integral_; ++v)
    if (second_[v] == best_[v] && best_[v] != kNoWeight) {
      const double* gains = column(v);
      source_[v] = single_ ? 1 : 0;
      while (gains[source_[v]] != best_[v]) ++source_[v];
      no_tree_below_.reset();
    }
  return true;
}

bool Dense::hides_no_digits() const {
  for (Node v = 1; v < nodes_; ++v)
    if (largest_[v] - lead_[v] > -kSmallWeight * scale_.unit) return false;
  return true;
}

bool Dense::solve(CertifiedTree& tree) {
  const Node root_child = single_ ? best_root_child() : kNoNode;
  if (single_ && root_[root_child] == kNoWeight) return false;  // no root edge at all
  tree.reset(nodes_);
  if (no_tree_below_ == root_child || !is_tree_below(root_child)) return contract(tree);
  take_greedy_tree(root_child, tree);
  return true;
}

void Dense::take_greedy_tree(Node root_child, CertifiedTree& tree) const {
  for (Node v = 1; v < nodes_; ++v) {
    tree.head[v] = source_[v];
    tree.gain[v] = tree.y[Component(v)] = best_[v];
  }
  if (root_child == kNoNode) return;
  // At a price near 0 at which this node alone wants a root edge.
  const double gain = root_edge_gain(root_[root_child], best_[root_child]);
  double price = std::min(gain, 0.0);
  for (Node v = 1; v < nodes_; ++v)
    if (v != root_child) price = std::max(price, root_edge_gain(root_[v], best_[v]));
  tree.root_price = price;
  tree.head[root_child] = 0;
  tree.gain[root_child] = tree.y[Component(root_child)] = root_[root_child] - price;
}

// Makes room for so many columns.
void Dense::make_room(std::size_t columns) const {
  if (columns * stride_ <= room_) return;
  room_ = columns * stride_;
  columns_ = std::make_unique_for_overwrite<Lanes[]>(room_ / simd::kLanes);
  prefer_large_pages(columns_.get(), room_ * sizeof(double));
  made_.assign(place_of(nodes_), 0);
}

void Dense::make_column(Node t) const {
  if (nodes_ > kMostLazy) return make_columns();
  make_room(place_of(nodes_));
  made_[t] = 1;
  double* gains = columns() + place_of(t) * stride_;
  with_rows([&](const auto* rows) {
    for (Node s = 0; s < nodes_; ++s) gains[s] = static_cast<double>(rows[s * shape_.stride + t]);
  });
  if (shape_.negate)
    for (Node s = 0; s < nodes_; ++s) gains[s] = gains[s] == kNoWeight ? kNoWeight : -gains[s];
  const Scale scale = scale_;
  const double largest = largest_[t];
  for (Node s = 0; s < nodes_; ++s) gains[s] = scale.gain(gains[s], largest);
  gains[t] = kNoWeight;
  std::fill(gains + nodes_, gains + stride_, kNoWeight);
}

void Dense::make_columns() const {
  make_room(place_of(nodes_));
  if (std::find(made_.begin() + 1, made_.end(), 0) == made_.end()) return;
  with_rows([&](const auto* rows) {
    if constexpr (sizeof(*rows) == sizeof(float))
      simd::kernels().columns_f32(rows, shape_, scale_, largest_.data(), columns(), stride_);
    else
      simd::kernels().columns_f64(rows, shape_, scale_, largest_.data(), columns(), stride_);
  });
  std::fill(made_.begin(), made_.end(), 1);
}

bool Dense::contract(CertifiedTree& tree) {
  const std::size_t most = 2 * stride_;
  make_room(most);
  make_columns();
  if (stack_.size() < most) {
    for (auto* array : {&y_, &root_gain_}) array->resize(most + simd::kLanes);
    picked_.resize(most + simd::kLanes);
    place_.resize(most);
    for (auto* array : {&stack_, &members_, &end_, &parent_}) array->resize(most);
  }
  std::copy_n(best_.begin(), nodes_, y_.begin());
  std::copy_n(root_.begin(), nodes_, root_gain_.begin());
  std::copy_n(source_.begin(), nodes_, picked_.begin());
  std::fill_n(root_gain_.begin() + nodes_, simd::kLanes, kNoWeight);
  std::fill_n(y_.begin() + nodes_, simd::kLanes, 0.0);
  y_[0] = 0.0;
  root_gain_[0] = kNoWeight;
  picked_[0] = kNoNode;
  simd::Contraction room{place_of(nodes_), single_,        stride_,
                         columns(),        y_.data(),      root_gain_.data(),
                         picked_.data(),   place_.data(),  stack_.data(),
                         members_.data(),  end_.data(),    parent_.data()};
  if (!simd::kernels().contract(room)) return false;
  tree.root_price = room.price;
  for (Node v = 1; v < nodes_; ++v) {
    const Node head = tree.head[v] = picked_[place_of(v)];
    tree.gain[v] = column(v)[head] - (head == 0 ? room.price : 0.0);
  }
  tree.y.assign(y_.begin(), y_.begin() + room.components);
  tree.parent.clear();
  for (std::int32_t c = 0; c < room.components; ++c)
    tree.parent.push_back(Component(parent_[place_of(c)]));
  return true;
}

bool Dense::collect(const CertifiedTree& tree, const ReducedCost& reduced, double limit,
                    std::size_t most, CandidateList& candidates) const {
  constexpr std::size_t kManyFound = 32;
  make_columns();
  found_.resize(stride_);
  const Node first = single_ ? 1 : 0;
  for (Node t = 1; t < nodes_; ++t) {
    poll_at_column(t);
    if (candidates.size() > most) return false;
    const double* gains = column(t);
    auto add = [&](Node s, double gain) {
      const double cost = reduced(s, t, gain);
      if (gain != kNoWeight && cost <= limit && s != tree.head[t])
        candidates.push_back({cost, tree.gain[t] - gain, s, t, kNoEdge});
    };
    const std::size_t found =
        simd::kernels().at_least(gains, reduced.least(t) - limit, stride_, found_.data());
    if (single_) add(0, gains[0] - tree.root_price);
    // Most of them may be dear by the components they enter, which is quickly seen for many at
    // once.
    if (reduced.contracted() && found > kManyFound) {
      reduced.for_each_ring(t, [&](std::span<const Node> sources, double sum) {
        for (Node s : sources)
          if (gains[s] >= sum - limit && s >= first) add(s, gains[s]);
      });
      continue;
    }
    for (const Node s : std::span(found_).first(found))
      if (s >= first) add(s, gains[s]);
  }
  return candidates.size() <= most;
}

}  // namespace coppice::engine
