#include "engine/dense.hpp"

#include <algorithm>
#include <limits>

#include "graph/input.hpp"

namespace coppice::engine {
namespace {

enum State : std::uint8_t { untouched, on_path, done };

// columns[t][s] = sign * element of head s and dependent t. Blocks of columns, so that both sides
// of a transposition stay in the cache; of a full block the compiler knows the size.
template <class T, class At>
void copy_blocks(std::size_t nodes, double sign, At element, double* columns, std::size_t stride) {
  constexpr std::size_t kBlock = 8;
  std::size_t t = 0;
  for (; t + kBlock <= nodes; t += kBlock)
    for (std::size_t s = 0; s < nodes; ++s)
      for (std::size_t i = 0; i < kBlock; ++i)
        columns[(t + i) * stride + s] = sign * static_cast<double>(element(s, t + i));
  for (std::size_t s = 0; s < nodes; ++s)
    for (std::size_t rest = t; rest < nodes; ++rest)
      columns[rest * stride + s] = sign * static_cast<double>(element(s, rest));
}

template <class T>
void copy_columns(const DenseView& view, bool minimize, double* columns, std::size_t stride) {
  const T* data = static_cast<const T*>(view.data());
  const double sign = minimize ? -1.0 : 1.0;
  const auto nodes = at(view.nodes());
  const std::ptrdiff_t heads = view.head_stride(), dependents = view.dependent_stride();
  auto offset = [](std::size_t i, std::ptrdiff_t step) {
    return static_cast<std::ptrdiff_t>(i) * step;
  };
  if (heads == 1) {
    for (std::size_t t = 0; t < nodes; ++t)
      for (std::size_t s = 0; s < nodes; ++s)
        columns[t * stride + s] =
            sign * static_cast<double>(data[offset(t, dependents) + offset(s, 1)]);
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
  stride_ = simd::padded(at(nodes_));
  columns_.resize(at(nodes_) * stride_);
  bool minimize = objective == Objective::minimize;
  switch (view.scalar()) {
    case Scalar::float32:
      copy_columns<float>(view, minimize, columns_.data(), stride_);
      break;
    case Scalar::float64:
      copy_columns<double>(view, minimize, columns_.data(), stride_);
      break;
    case Scalar::int64:
      copy_columns<std::int64_t>(view, minimize, columns_.data(), stride_);
      break;
  }
  // What no tree can use is missing: loops, padding, and everything into the root.
  double limit = std::numeric_limits<double>::max() / 8 / nodes_;
  if (view.scalar() == Scalar::int64) limit = 0x1p63 / 8 / nodes_;
  std::fill(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(stride_), kNoWeight);
  for (Node t = 1; t < nodes_; ++t) {
    double* weights = column(t);
    weights[t] = kNoWeight;
    std::fill(weights + nodes_, weights + stride_, kNoWeight);
    if (minimize)
      for (Node s = 0; s < nodes_; ++s)
        if (weights[s] == std::numeric_limits<double>::infinity()) weights[s] = kNoWeight;
  }
  bool valid = simd::kernels().valid(columns_.data(), limit, at(nodes_) * stride_);
  if (!valid || minimize) check(view);
  if (constraints.empty()) return;
  for (Node t = 1; t < nodes_; ++t)
    for (Node s = 0; s < nodes_; ++s)
      if (!constraints.allows(s, t, kNoEdge)) column(t)[s] = kNoWeight;
}

// The slow and exact check, with the message.
void Dense::check(const DenseView& view) const {
  double largest = 0.0;
  for (Node s = 0; s < nodes_; ++s)
    for (Node t = 1; t < nodes_; ++t) {
      if (s == t) continue;
      double weight = view.weight(s, t);
      check_weight(s, t, weight);
      if (weight != kNoWeight) largest = std::max(largest, std::abs(weight));
    }
  if (view.scalar() == Scalar::int64)
    check_magnitude(static_cast<std::uint64_t>(largest), nodes_);
  else
    check_magnitude(largest, nodes_);
}

double Dense::loss_of_second(Node v, double weight) const {
  // Where the tree does not use the best edge into v, that edge is another one.
  return std::max(0.0, weight - second_[at(v)]);
}

bool Dense::solve(RootRule rule, Solution& solution) {
  solution.reset(nodes_);
  second_.resize(at(nodes_));
  best_source_.resize(at(nodes_));
  for (Node t = 1; t < nodes_; ++t) {
    simd::Top top = simd::kernels().top(column(t), stride_);
    if (top.index < 0) return false;
    best_source_[at(t)] = top.index;
    solution.y[at(t)] = top.best;
    second_[at(t)] = top.second;
  }
  if (!greedy(solution) && !contract(false, solution)) return false;
  if (rule == RootRule::any || solution.root_edges() == 1) return true;
  solution.reset(nodes_);
  return contract(true, solution);
}

// Are the best entering edges a tree already? For parsers' scores they mostly are.
bool Dense::greedy(Solution& solution) {
  state_.assign(at(nodes_), untouched);
  state_[0] = done;
  for (Node start = 1; start < nodes_; ++start) {
    Node v = start;
    for (; state_[at(v)] == untouched; v = best_source_[at(v)]) state_[at(v)] = on_path;
    if (state_[at(v)] == on_path) return false;
    for (v = start; state_[at(v)] == on_path; v = best_source_[at(v)]) state_[at(v)] = done;
  }
  for (Node v = 1; v < nodes_; ++v) {
    solution.head[at(v)] = best_source_[at(v)];
    solution.weight[at(v)] = solution.y[at(v)];
  }
  return true;
}

// The component picks its best entering edge. With root_last, root edges only where there is no
// other. False: nothing enters it.
bool Dense::pick(Component c, bool root_last, Solution& solution) {
  if (c < nodes_ && !(root_last && best_source_[at(c)] == 0)) {
    source_[at(c)] = best_source_[at(c)];
    solution.y[at(c)] = column(c)[best_source_[at(c)]];
    return true;
  }
  double* weights = column(c);
  double from_root = weights[0];
  if (root_last) weights[0] = kNoWeight;
  simd::Top top = simd::kernels().top(weights, stride_);
  weights[0] = from_root;
  if (top.index < 0 && root_last && from_root != kNoWeight) {
    top = {from_root, 0, kNoWeight};
    solution.root_part[at(c)] = -1;
  }
  if (top.index < 0) return false;
  source_[at(c)] = top.index;
  solution.y[at(c)] = top.best;
  return true;
}

Component Dense::top(Component c) {
  while (top_[at(c)] != c) c = top_[at(c)] = top_[at(top_[at(c)])];
  return c;
}

// The part of path_ from `first` to its end is a cycle: make it one component.
Component Dense::merge(Component last, Component first, Solution& solution) {
  Component merged = solution.add_component();
  columns_.resize((at(merged) + 1) * stride_);
  double* weights = column(merged);
  top_.push_back(merged);
  child_.push_back(kNoNode);
  sibling_.push_back(kNoNode);
  source_.push_back(kNoNode);
  state_.push_back(untouched);
  first_node_.push_back(kNoNode);
  last_node_.push_back(kNoNode);
  for (Component member = last;; member = path_.back()) {
    path_.pop_back();
    if (child_[at(merged)] == kNoNode)
      simd::kernels().subtract(weights, column(member), solution.y[at(member)], stride_);
    else
      simd::kernels().subtract_max(weights, column(member), solution.y[at(member)], stride_);
    top_[at(member)] = solution.parent[at(member)] = merged;
    sibling_[at(member)] = child_[at(merged)];
    child_[at(merged)] = member;
    // Append its nodes.
    if (first_node_[at(merged)] == kNoNode)
      first_node_[at(merged)] = first_node_[at(member)];
    else
      next_node_[at(last_node_[at(merged)])] = first_node_[at(member)];
    last_node_[at(merged)] = last_node_[at(member)];
    if (member == first) break;
  }
  for (Node v = first_node_[at(merged)];; v = next_node_[at(v)]) {
    weights[v] = kNoWeight;
    if (v == last_node_[at(merged)]) break;
  }
  return merged;
}

// Tarjan's contraction: follow picked edges backwards; a cycle becomes a component.
bool Dense::contract(bool root_last, Solution& solution) {
  solution.root_last = root_last;
  columns_.resize(at(nodes_) * stride_);
  top_.resize(at(nodes_));
  first_node_.resize(at(nodes_));
  last_node_.resize(at(nodes_));
  for (Node v = 0; v < nodes_; ++v) top_[at(v)] = first_node_[at(v)] = last_node_[at(v)] = v;
  next_node_.resize(at(nodes_));
  child_.assign(at(nodes_), kNoNode);
  sibling_.assign(at(nodes_), kNoNode);
  source_.assign(at(nodes_), kNoNode);
  state_.assign(at(nodes_), untouched);
  state_[0] = done;
  int entered_from_root = 0;
  for (Node start = 1; start < nodes_; ++start) {
    Component c = top(start);
    path_.clear();
    while (state_[at(c)] != done) {
      if (state_[at(c)] == on_path) c = merge(path_.back(), c, solution);
      if (!pick(c, root_last, solution)) return false;
      if (solution.root_part[at(c)] != 0 && ++entered_from_root > 1) return false;
      state_[at(c)] = on_path;
      path_.push_back(c);
      c = top(source_[at(c)]);
    }
    for (Component on : path_) state_[at(on)] = done;
  }
  expand(solution);
  return true;
}

// From the outside in: the edge that enters a component enters one of its members, the one that
// gave the column its value; the other members keep the edges they picked.
void Dense::expand(Solution& solution) {
  for (Component c = solution.components() - 1; c >= nodes_; --c) {
    Node s = source_[at(c)];
    Component entered = kNoNode;
    double best = kNoWeight;
    for (Component member = child_[at(c)]; member != kNoNode; member = sibling_[at(member)]) {
      double weight = column(member)[s] - solution.y[at(member)];
      if (entered == kNoNode || weight > best) entered = member, best = weight;
    }
    source_[at(entered)] = s;
  }
  for (Node v = 1; v < nodes_; ++v) {
    solution.head[at(v)] = source_[at(v)];
    solution.weight[at(v)] = column(v)[source_[at(v)]];
  }
}

}  // namespace coppice::engine
