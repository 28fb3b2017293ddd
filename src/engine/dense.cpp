#include "engine/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/simd.hpp"
#include "graph/input.hpp"
#include "graph/large_arrays.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// So many columns take less than a millisecond.
void poll_at_column(Node t) {
  if (t % 32 == 0) poll();
}

constexpr std::size_t kManyFound = 32;

// The columns of larger graphs are copied all at once: one at a time they would come from far apart
// in memory.
constexpr Node kMostLazy = 256;

// columns[t][s] = sign * element of head s and dependent t. Blocks of columns, so that both sides
// of a transposition stay in the cache; of a full block the compiler knows the size.
template <class T, class At>
void copy_blocks(std::size_t nodes, double sign, At element, double* columns, std::size_t stride) {
  constexpr std::size_t kBlock = 8;
  std::size_t t = 0;
  for (; t + kBlock <= nodes; t += kBlock) {
    poll();
    for (std::size_t s = 0; s < nodes; ++s)
      for (std::size_t i = 0; i < kBlock; ++i)
        columns[(t + i) * stride + s] = sign * static_cast<double>(element(s, t + i));
  }
  for (std::size_t s = 0; s < nodes; ++s)
    for (std::size_t rest = t; rest < nodes; ++rest)
      columns[rest * stride + s] = sign * static_cast<double>(element(s, rest));
}

template <class T>
void copy_columns(const DenseView& view, bool minimize, double* columns, std::size_t stride) {
  const T* data = static_cast<const T*>(view.data());
  const double sign = minimize ? -1.0 : 1.0;
  const auto nodes = place_of(view.nodes());
  const std::ptrdiff_t heads = view.head_stride(), dependents = view.dependent_stride();
  auto offset = [](std::size_t i, std::ptrdiff_t step) {
    return static_cast<std::ptrdiff_t>(i) * step;
  };
  if (heads == 1) {
    for (std::size_t t = 0; t < nodes; ++t) {
      poll();
      for (std::size_t s = 0; s < nodes; ++s)
        columns[t * stride + s] =
            sign * static_cast<double>(data[offset(t, dependents) + offset(s, 1)]);
    }
  } else if (dependents == 1) {
    copy_blocks<T>(
        nodes, sign,
        [&](std::size_t s, std::size_t t) { return data[offset(s, heads) + offset(t, 1)]; },
        columns, stride);
  } else {
    copy_blocks<T>(
        nodes, sign,
        [&](std::size_t s, std::size_t t) {
          return data[offset(s, heads) + offset(t, dependents)];
        },
        columns, stride);
  }
}

}  // namespace

void Dense::load(const DenseView& view, const Constraints& constraints, Objective objective) {
  nodes_ = view.nodes();
  view_ = view;
  objective_ = objective;
  stride_ = simd::padded(place_of(nodes_));
  second_.resize(place_of(nodes_));
  best_source_.resize(place_of(nodes_));
  base_.clear();
  price_ = 0.0;
  lazy_ = view.dependent_stride() == 1 && view.scalar() != Scalar::int64 && constraints.empty() &&
          place_of(nodes_) > simd::kBlock && nodes_ <= kMostLazy;
  if (lazy_) {
    if (!look_at_rows()) check(view);
    made_.assign(place_of(nodes_), 0);
    return;
  }
  bool valid = make_columns();
  const double limit = largest_weight(view.scalar(), nodes_);
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  for (std::size_t begin = 0; begin < columns_.size() && valid; begin += kAtOnce) {
    poll();
    valid = simd::kernels().valid(columns_.data() + begin, limit,
                                  std::min(kAtOnce, columns_.size() - begin));
  }
  if (!valid) check(view);
  if (view.scalar() == Scalar::int64) subtract_base();
  if (constraints.empty()) return;
  for (Node t = 1; t < nodes_; ++t) {
    poll();
    for (Node s = 0; s < nodes_; ++s)
      if (!constraints.allows(s, t, kNoEdge)) column(Component(t))[s] = kNoWeight;
  }
}

// The best and the second best edge into every node. False: a weight is bad.
bool Dense::look_at_rows() {
  best_.resize(place_of(nodes_));
  simd::Rows shape{place_of(nodes_), view_->head_stride(), 1, objective_ == Objective::minimize,
                   largest_weight(view_->scalar(), nodes_)};
  const simd::Tops tops{best_.data(), best_source_.data(), second_.data()};
  const auto last = place_of(nodes_) - simd::kBlock;
  bool valid = true;
  while (true) {
    poll();
    valid &= view_->scalar() == Scalar::float32
                 ? simd::kernels().top_of_columns_f32(static_cast<const float*>(view_->data()),
                                                      shape, tops)
                 : simd::kernels().top_of_columns_f64(static_cast<const double*>(view_->data()),
                                                      shape, tops);
    if (shape.begin == last) return valid;
    shape.begin = std::min(shape.begin + simd::kBlock, last);
  }
}

void Dense::make_column(Node t) const {
  if (columns_.size() < place_of(nodes_) * stride_) columns_.resize(place_of(nodes_) * stride_);
  made_[t] = 1;
  double* weights = columns_.data() + place_of(t) * stride_;
  auto copy = [&](const auto* element) {
    for (Node s = 0; s < nodes_; ++s) weights[s] = element[s * view_->head_stride()];
  };
  if (view_->scalar() == Scalar::float32)
    copy(static_cast<const float*>(view_->data()) + t);
  else
    copy(static_cast<const double*>(view_->data()) + t);
  if (objective_ == Objective::minimize)
    for (Node s = 0; s < nodes_; ++s)
      weights[s] = weights[s] == kNoWeight ? kNoWeight : -weights[s];
  weights[t] = kNoWeight;
  if (price_ != 0.0) weights[0] = priced_[t];
  std::fill(weights + nodes_, weights + stride_, kNoWeight);
}

bool Dense::make_columns() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bool valid = true;
  lazy_ = false;
  resize_large(columns_, place_of(nodes_) * stride_);
  const bool minimize = objective_ == Objective::minimize;
  switch (view_->scalar()) {
    case Scalar::float32:
      copy_columns<float>(*view_, minimize, columns_.data(), stride_);
      break;
    case Scalar::float64:
      copy_columns<double>(*view_, minimize, columns_.data(), stride_);
      break;
    case Scalar::int64:
      copy_columns<std::int64_t>(*view_, minimize, columns_.data(), stride_);
      break;
  }
  // What no tree can use is missing: loops, padding, and everything into the root.
  std::fill(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(stride_), kNoWeight);
  for (Node t = 1; t < nodes_; ++t) {
    double* weights = column(Component(t));
    weights[t] = minimize ? kInfinity : kNoWeight;
    std::fill(weights + nodes_, weights + stride_, kNoWeight);
    if (minimize)
      for (Node s = 0; s < nodes_; ++s) {
        valid &= weights[s] != kNoWeight;
        weights[s] = weights[s] == kInfinity ? kNoWeight : weights[s];
      }
    if (price_ != 0.0) weights[0] = priced_[t];
  }
  return valid;
}

void Dense::subtract_base() {
  double largest = 0.0;
  for (const double weight : columns_)
    if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
  if (!need_base(largest, nodes_)) return;
  base_.assign(place_of(nodes_), 0.0);
  for (Node t = 1; t < nodes_; ++t) {
    poll_at_column(t);
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    for (Node s = 0; s < nodes_; ++s)
      if (s != t) best = std::max(best, integer_weight(s, t, kNoEdge));
    base_[t] = static_cast<double>(best);
    for (Node s = 0; s < nodes_; ++s)
      if (s != t)
        column(Component(t))[s] = static_cast<double>(integer_weight(s, t, kNoEdge) - best);
  }
}

// The slow and exact check, with the message.
void Dense::check(const DenseView& view) const {
  double largest = 0.0;
  for (Node s = 0; s < nodes_; ++s) {
    poll();
    for (Node t = 1; t < nodes_; ++t) {
      if (s == t) continue;
      const double weight = view.weight(s, t);
      check_weight(s, t, weight);
      if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
    }
  }
  if (view.scalar() == Scalar::int64)
    check_magnitude(static_cast<std::uint64_t>(largest), nodes_);
  else
    check_magnitude(largest, nodes_);
}

bool Dense::find_best_edges(Solution& solution) {
  solution.reset(nodes_);
  changes_.clear();
  kept_.clear();
  changed_.clear();
  is_as_solved_ = true;
  for (Node t = 1; t < nodes_; ++t) {
    poll_at_column(t);
    if (!find_best_source(t, solution)) return false;
  }
  return true;
}

bool Dense::find_best_source(Node t, Solution& solution) {
  if (lazy_) {
    solution.y[Component(t)] = best_[t];
    return best_source_[t] >= 0;
  }
  const simd::Top top = simd::kernels().top(column(Component(t)), stride_);
  best_source_[t] = top.index;
  solution.y[Component(t)] = top.best;
  second_[t] = top.second;
  return top.index >= 0;
}

void Dense::require(Node head, Node dependent) {
  is_as_solved_ = false;
  if (lazy_) make_columns();
  double* weights = column(Component(dependent));
  const double weight = weights[head];
  changes_.push_back({dependent, kNoNode, 0.0});
  kept_.insert(kept_.end(), weights, weights + stride_);
  std::fill(weights, weights + stride_, kNoWeight);
  weights[head] = weight;
  changed_.push_back(dependent);
}

void Dense::exclude(Node head, Node dependent) {
  if (lazy_) make_columns();
  double& weight = column(Component(dependent))[head];
  if (weight == kNoWeight) return;
  is_as_solved_ = false;
  changes_.push_back({dependent, head, weight});
  weight = kNoWeight;
  if (best_source_[dependent] == head) changed_.push_back(dependent);
}

void Dense::restore() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    double* weights = column(Component(change.dependent));
    if (change.head != kNoNode) {
      weights[change.head] = change.weight;
      const Node best = best_source_[change.dependent];  // of what is left of the column
      if (best < 0 || !(weights[best] > change.weight)) changed_.push_back(change.dependent);
      continue;
    }
    changed_.push_back(change.dependent);
    const auto kept = kept_.end() - static_cast<std::ptrdiff_t>(stride_);
    std::copy(kept, kept_.end(), weights);
    kept_.erase(kept, kept_.end());
  }
}

bool Dense::solve_again(RootRule rule, Solution& solution) {
  is_as_solved_ = false;
  solution.reset(nodes_);
  for (Node t : changed_) find_best_source(t, solution);
  changed_.clear();
  for (Node t = 1; t < nodes_; ++t) {
    if (best_source_[t] < 0) return false;
    solution.y[Component(t)] = weight(best_source_[t], t);
  }
  const bool single = rule == RootRule::single;
  if (greedy(solution) && (!single || solution.root_edges() == 1)) return true;
  start_contraction();
  if (!contract(solution)) return false;
  if (single) {
    double price = 0.0;  // beyond what the weights have paid: hardly ever more
    const Component child = leave_one_root_edge(price, solution);
    if (child == kNoComponent) return false;
    pick_root_edge(child, solution);
    solution.root_price = price;
    solution.y[child] -= price;
  }
  expand(solution);
  return true;
}

bool Dense::collect(const Solution& solution, const ReducedCost& reduced, double limit,
                    std::size_t most, CandidateList& candidates) {
  if (lazy_) make_columns();
  found_.resize(stride_);
  for (Node t = 1; t < nodes_; ++t) {
    poll_at_column(t);
    if (candidates.size() > most) return false;
    const double* weights = column(Component(t));
    const std::size_t found =
        simd::kernels().at_least(weights, reduced.least(t) - limit, stride_, found_.data());
    auto add = [&](Node s) {
      add_if_cheap(solution, reduced, limit, s, t, weights[s], kNoEdge, candidates);
    };
    // Most of them may be dear by the components they enter, which is quickly seen for many at
    // once.
    if (reduced.contracted() && found > kManyFound) {
      if (weights[0] != kNoWeight && solution.head[t] != 0) add(0);
      reduced.for_each_ring(t, [&](std::span<const Node> sources, double sum) {
        for (Node s : sources)
          if (weights[s] >= sum - limit && weights[s] != kNoWeight && s != 0 &&
              s != solution.head[t])
            add(s);
      });
      continue;
    }
    for (std::size_t i = 0; i < found; ++i) {
      const Node s = found_[i];
      if (weights[s] != kNoWeight && s != solution.head[t]) add(s);
    }
  }
  return candidates.size() <= most;
}

std::int64_t Dense::edges() const { return static_cast<std::int64_t>(nodes_) * nodes_; }

Solver::Numbered Dense::edge(std::int64_t number) const {
  const auto dependent = static_cast<Node>(number / nodes_);
  const auto head = static_cast<Node>(number % nodes_);
  return {head, dependent, weight(head, dependent), kNoEdge};
}

Exactness Dense::exactness() const {
  Exactness exactness(view_->scalar() == Scalar::int64);
  for (Node t = 1; t < nodes_; ++t) exactness.see(column(Component(t)), stride_);
  if (price_ != 0.0) exactness.see(root_weights_.data() + 1, place_of(nodes_) - 1);
  return exactness;
}

double Dense::unpriced(Node dependent, EdgeId /*edge*/) const {
  return price_ == 0.0 ? root_weight(dependent) : root_weights_[dependent];
}

std::int64_t Dense::integer_weight(Node head, Node dependent, EdgeId /*edge*/) const {
  const auto weight = view_->at<std::int64_t>(head, dependent);
  return objective_ == Objective::minimize ? -weight : weight;
}

bool Dense::breaks_all_cycles(Node root_child) {
  return is_tree_(nodes_, [&](Node v) { return v == root_child ? 0 : best_source_[v]; });
}

void Dense::set_price(double price) {
  if (price_ == 0.0) {
    root_weights_.resize(place_of(nodes_));
    for (Node v = 1; v < nodes_; ++v) root_weights_[v] = root_weight(v);
  }
  const double rise = price - std::exchange(price_, price);
  priced_.resize(place_of(nodes_));
  for (Node v = 1; v < nodes_; ++v) set_root_weight(v, root_weights_[v] - price);
  if (lazy_) return;  // nothing is contracted
  const Component end(static_cast<std::int32_t>(columns_.size() / stride_));
  for (Component c(nodes_); c < end; ++c) column(c)[0] -= rise;
}

void Dense::set_root_weight(Node v, double weight) {
  priced_[v] = weight;
  if (!lazy_ || made_[v]) column(Component(v))[0] = weight;
}

double Dense::highest_price(Component c, const Solution& solution) {
  return solution.root_price + (column(c)[0] - best_inner(c).best);
}

void Dense::pick_root_edge(Component c, Solution& solution) {
  source_[c] = 0;
  solution.y[c] = column(c)[0];
}

void Dense::pick_other_edge(Component c, Solution& solution) {
  const simd::Top inner = best_inner(c);
  source_[c] = inner.index;
  solution.y[c] = inner.best;
  if (!is_node(c)) return;
  best_source_[c.value()] = inner.index;
  changed_.push_back(c.value());  // at another price the root edge may be better
}

TwoLargest Dense::root_gains(const Solution& solution) {
  TwoLargest gains;
  for (Node v = 1; v < nodes_; ++v) {
    const double root = root_weight(v);
    const double inner = best_source_[v] == 0 ? second_[v] : solution.y[Component(v)];
    if (root != kNoWeight) gains.add(Component(v), root - inner);
  }
  return gains;
}

void Dense::find_best_edge(Node v, bool from_root, double old_price, Solution& solution) {
  simd::Top inner{solution.y[Component(v)], best_source_[v], second_[v]};
  const bool was_root = inner.index == 0 || root_weights_[v] - old_price >= inner.second;
  if (was_root) inner = best_inner(Component(v));
  // Rounding must not turn around which one is better.
  const double rounded = root_weight(v);
  const double root = from_root ? std::max(rounded, inner.best) : std::min(rounded, inner.best);
  set_root_weight(v, root);
  best_source_[v] = from_root ? 0 : inner.index;
  solution.y[Component(v)] = from_root ? root : inner.best;
  second_[v] = from_root ? inner.best : std::max(inner.second, root);
}

// Are the best entering edges a tree already? For parsers' scores they mostly are.
bool Dense::greedy(Solution& solution) {
  if (!is_tree_(nodes_, [&](Node v) { return best_source_[v]; })) return false;
  for (Node v = 1; v < nodes_; ++v) {
    solution.head[v] = best_source_[v];
    solution.weight[v] = solution.y[Component(v)];
  }
  return true;
}

// The component picks its best entering edge. False: nothing enters it.
bool Dense::pick(Component c, Solution& solution) {
  const double* weights = column(c);
  if (is_node(c)) {
    source_[c] = best_source_[c.value()];
    solution.y[c] = weights[source_[c]];
    return true;
  }
  const simd::Top inner = best_inner(c);
  const double root = weights[0];
  source_[c] = inner.index;
  solution.y[c] = inner.best;
  if (root == kNoWeight || (inner.index >= 0 && root <= inner.best)) return inner.index >= 0;
  source_[c] = 0;
  solution.y[c] = root;
  return true;
}

// The best edge into a component that does not come from the root.
simd::Top Dense::best_inner(Component c) {
  double* weights = column(c);
  const double root = std::exchange(weights[0], kNoWeight);
  const simd::Top top = simd::kernels().top(weights, stride_);
  weights[0] = root;
  return top;
}

Component Dense::merge(std::span<const Component> cycle, Solution& solution) {
  const Component merged = forest_.merge(cycle);
  solution.add_component();
  source_.push_back(kNoNode);
  columns_.resize(place_of(forest_.end()) * stride_);
  double* weights = column(merged);
  auto subtract = simd::kernels().subtract;  // the first one writes
  for (Component member : cycle) {
    poll();
    subtract(weights, column(member), solution.y[member], stride_);
    subtract = simd::kernels().subtract_max;
  }
  // Its nodes are those of all members; none of them is a source of what enters it.
  for (std::size_t i = 0; i + 1 < cycle.size(); ++i)
    next_node_[last_node_[cycle[i]]] = first_node_[cycle[i + 1]];
  first_node_.push_back(first_node_[cycle.front()]);
  last_node_.push_back(last_node_[cycle.back()]);
  for (Node v = first_node_[merged];; v = next_node_[v]) {
    weights[v] = kNoWeight;
    if (v == last_node_[merged]) break;
  }
  return merged;
}

void Dense::start_contraction() {
  if (lazy_) make_columns();
  columns_.resize(place_of(nodes_) * stride_);
  forest_.reset(nodes_);
  source_.assign(place_of(nodes_), kNoNode);
  first_node_.resize(place_of(nodes_));
  last_node_.resize(place_of(nodes_));
  for (Node v = 0; v < nodes_; ++v) first_node_[Component(v)] = last_node_[Component(v)] = v;
  next_node_.resize(place_of(nodes_));
}

bool Dense::contract(Solution& solution) {
  return forest_.contract([&](Component c) { return pick(c, solution); },
                          [&](Component c) { return Component(source_[c]); },
                          [&](std::span<const Component> cycle) { return merge(cycle, solution); });
}

// From the outside in: the edge that enters a component enters one of its members, the one that
// gave the column its value; the other members keep the edges they picked.
void Dense::expand(Solution& solution) {
  for (Component c = forest_.end(); --c >= Component(nodes_);) {
    const Node s = source_[c];
    Component entered;
    double best = kNoWeight;
    for (Component member = forest_.first_member(c); member != kNoComponent;
         member = forest_.next_member(member)) {
      const double weight = column(member)[s] - solution.y[member];
      if (entered == kNoComponent || weight > best) entered = member, best = weight;
    }
    source_[entered] = s;
  }
  for (Node v = 1; v < nodes_; ++v) {
    solution.head[v] = source_[Component(v)];
    solution.weight[v] = column(Component(v))[solution.head[v]];
  }
  solution.parent = forest_.parents();
}

}  // namespace coppice::engine
