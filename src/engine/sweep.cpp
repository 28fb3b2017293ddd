#include "engine/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// Some ten microseconds.
constexpr std::uint32_t kOptionsPerPoll = 512;
// So many options are tried in vain in the time of a state.
constexpr std::int64_t kOptionsPerState = 4;

}  // namespace

Sweep::Outcome Sweep::run(const Kernel& kernel, double limit, double slack, std::int64_t k,
                          std::int64_t budget) {
  start(kernel, limit, slack, k);
  if (slack == 0.0) enough_ = wanted_;
  return search(budget);
}

Sweep::Outcome Sweep::run_at_best(const Kernel& kernel, double slack, bool equal, std::int64_t k,
                                  std::int64_t budget) {
  start(kernel, slack, slack, k);
  const auto tied = static_cast<std::size_t>(tuning_.most_tied_in_sweep);
  const auto per_tree = static_cast<std::size_t>(tuning_.tied_in_sweep_per_tree);
  enough_ = wanted_;
  if (slack > 0.0 && !equal) enough_ += 2 * wanted_ + std::min(wanted_ * per_tree, tied);
  return search(budget);
}

void Sweep::start(const Kernel& kernel, double limit, double slack, std::int64_t k) {
  kernel_ = &kernel;
  limit_ = limit;
  slack_ = slack;
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  wanted_ = static_cast<std::size_t>(std::min<std::int64_t>(k, kMost));
  next_trim_ = 2 * wanted_;
  enough_ = std::numeric_limits<std::size_t>::max();
  at_best_ = 0;
  tied_ = false;
  found_.clear();
  steps_.assign(1, {0, kNoCandidate});
}

Sweep::Outcome Sweep::search(std::int64_t budget) {
  const Kernel& kernel = *kernel_;
  if (kernel.nodes() > std::min(kMostNodes, tuning_.most_swept)) return Outcome::abandoned;
  const auto nodes = place_of(kernel.nodes());
  order_.resize(nodes);
  std::iota(order_.begin(), order_.end(), KernelNode(0));
  std::sort(order_.begin(), order_.end(), [&](KernelNode a, KernelNode b) {
    double cost_a = kernel.options(a).front().reduced_cost;
    double cost_b = kernel.options(b).front().reduced_cost;
    return cost_a < cost_b || (cost_a == cost_b && a < b);
  });
  cheapest_.resize(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    cheapest_[i] = kernel.options(order_[i]).front().reduced_cost;
  head_.resize(nodes);
  if (nodes <= 64) return search(small_, budget);
  return nodes <= 256 ? search(middling_, budget) : search(large_, budget);
}

std::int64_t Sweep::trees_up_to(double gap) const {
  return std::count_if(found_.begin(), found_.end(),
                       [&](const Found& tree) { return tree.gap <= gap; });
}

double Sweep::kth_gap(std::int64_t k) {
  if (std::cmp_less(found_.size(), k)) return std::numeric_limits<double>::infinity();
  gaps_.resize(found_.size());
  for (std::size_t i = 0; i < found_.size(); ++i) gaps_[i] = found_[i].gap;
  const auto kth = gaps_.begin() + static_cast<std::ptrdiff_t>(k) - 1;
  std::nth_element(gaps_.begin(), kth, gaps_.end());
  return *kth;
}

template <std::size_t Words>
void Sweep::open_root(Space<Words>& space) {
  const auto nodes = place_of(kernel_->nodes());
  space.above.resize(nodes);
  for (KernelNode v(0); v < kernel_->end(); ++v) {
    space.above[v] = Bits<Words>::single(v);
    if (kernel_->parent(v) != kKernelRoot)
      space.above[v] = space.above[v] | space.above[kernel_->parent(v)];
  }
  space.frames.resize(nodes + 1);
  space.frames[0] = {};
  space.frames[0].root_edges = 1;
  space.frames[0].is_tree = true;
  record(0.0, 0);
}

template <std::size_t Words>
Sweep::Outcome Sweep::search(Space<Words>& space, std::int64_t budget) {
  open_root(space);
  budget *= kOptionsPerState;
  std::uint32_t tried = 0;
  for (std::int32_t depth = 0; depth >= 0;) {
    Frame<Words>& frame = space.frames[place_of(depth)];
    if (frame.option == nullptr) {
      if (!next_node(frame)) {
        --depth;
        continue;
      }
      const std::span<const Option> options = kernel_->options(frame.node);
      frame.option = options.data();
      frame.end = options.data() + options.size();
    }
    if (frame.option == frame.end || frame.reduced_cost + frame.option->reduced_cost > limit_) {
      const bool none_tried = frame.option == kernel_->options(frame.node).data();
      frame.option = nullptr;
      frame.decided.set(frame.node);
      enter(kernel_->entered_by_tree(frame.node), frame);
      // The nodes after it cost no less.
      if ((frame.is_tree && none_tried) || frame.reduced_cost > limit_) --depth;
      continue;
    }
    const Option& option = *frame.option++;
    if (budget <= 0) return Outcome::abandoned;
    if (++tried % kOptionsPerPoll == 0) poll();
    Frame<Words>& next = space.frames[place_of(depth) + 1];
    if (!replace(space, frame, option, next)) {
      --budget;
      // What enters the same components is no cheaper.
      if (next.reduced_cost > limit_)
        while (frame.option != frame.end && frame.option->entered == option.entered) ++frame.option;
      continue;
    }
    budget -= kOptionsPerState;
    next.step = static_cast<std::uint32_t>(steps_.size());
    steps_.push_back({frame.step, option.candidate});
    if (next.is_tree) {
      record(next.gap, next.step);
      // Most trees are leaves: not even the cheapest replacement still to come is affordable.
      std::size_t position = frame.is_tree ? frame.position + 1 : frame.position;
      if (position == order_.size() || next.reduced_cost + cheapest_[position] > limit_) continue;
    }
    ++depth;
  }
  return tied_ ? Outcome::tied : Outcome::complete;
}

// Goes on to the next node that may change; false if there is none left.
template <std::size_t Words>
bool Sweep::next_node(Frame<Words>& frame) const {
  if (frame.is_tree) {
    while (frame.position < order_.size() && frame.decided.has(order_[frame.position]))
      ++frame.position;
    if (frame.position == order_.size()) return false;
    frame.node = order_[frame.position];
    return true;
  }
  Bits<Words> left = frame.cycle - frame.decided;
  if (left.empty()) return false;
  frame.node = left.lowest();
  return true;
}

// The state after one more replacement; false if it leads to no tree within the limit.
template <std::size_t Words>
bool Sweep::replace(const Space<Words>& space, const Frame<Words>& from, const Option& option,
                    Frame<Words>& to) {
  const KernelNode v = from.node;
  to.reduced_cost = from.reduced_cost + option.reduced_cost;
  to.entered = from.entered;
  enter(option.entered, to);
  if (to.reduced_cost > limit_) return false;
  to.gap = from.gap + option.loss;
  to.option = nullptr;
  to.decided = from.decided;
  to.decided.set(v);
  to.replaced = from.replaced;
  to.replaced.set(v);
  to.position = from.position;
  to.root_edges = from.root_edges;
  to.is_tree = true;
  to.only_inner = false;
  head_[v] = option.head;

  const KernelNode root_child = kernel_->root_child();
  if (root_child != kKernelRoot) {
    to.root_edges += (option.head == kKernelRoot ? 1 : 0) - (v == root_child ? 1 : 0);
    if (from.only_inner && option.head == kKernelRoot) return false;
    if (to.root_edges > 1) {
      // The first root edge must go.
      if (to.root_edges > 2 || to.decided.has(root_child) ||
          to.reduced_cost + kernel_->cheapest_inner() > limit_)
        return false;
      to.is_tree = false;
      to.only_inner = true;
      to.cycle = Bits<Words>::single(root_child);
      return true;
    }
    if (to.root_edges == 0 && to.reduced_cost + kernel_->cheapest_other_root() > limit_)
      return false;
  }
  if (option.head == kKernelRoot || !find_cycle(space, v, to)) return true;
  if (lacks_reentry(v, to) && to.reduced_cost + kernel_->reentry(v) > limit_) return false;
  to.is_tree = false;
  return true;
}

// A decided edge enters these components.
template <std::size_t Words>
void Sweep::enter(std::uint64_t components, Frame<Words>& frame) const {
  if ((components & frame.entered) != 0)
    frame.reduced_cost += kernel_->cost_of_again(components & frame.entered);
  frame.entered |= components;
}

// Does v, replaced last, hang from itself? Then frame.cycle is what lies on the way.
template <std::size_t Words>
bool Sweep::find_cycle(const Space<Words>& space, KernelNode v, Frame<Words>& frame) const {
  Bits<Words> passed;
  for (KernelNode up = head_[v]; up != kKernelRoot;) {
    Bits<Words> path = space.above[up];
    Bits<Words> replaced = path & frame.replaced;
    if (replaced.empty()) return false;
    // Nodes are numbered in preorder: the nearest replaced node is the highest.
    const KernelNode nearest = replaced.highest();
    passed = passed | (path - space.above[nearest]);
    if (nearest == v) {
      frame.cycle = passed;
      return true;
    }
    up = head_[nearest];
  }
  return false;
}

// v hangs from below itself in the best tree, and no replacement enters what hangs from it there.
template <std::size_t Words>
bool Sweep::lacks_reentry(KernelNode v, const Frame<Words>& frame) const {
  if (!kernel_->is_below(head_[v], v)) return false;
  Bits<Words> replaced = frame.replaced;
  while (!replaced.empty()) {
    const KernelNode u = replaced.highest();
    if (u <= v) break;
    replaced.clear(u);
    const KernelNode head = head_[u];
    if (kernel_->is_below(u, v) && (head == kKernelRoot || !kernel_->is_below(head, v)))
      return false;
  }
  return true;
}

void Sweep::record(double gap, std::uint32_t step) {
  if (gap > limit_) return;
  found_.push_back({gap, step});
  if (gap <= slack_ && ++at_best_ == enough_) {
    // None can be better, as far as sums tell.
    tied_ = enough_ > wanted_;
    limit_ = -std::numeric_limits<double>::infinity();
    return;
  }
  if (found_.size() >= next_trim_) trim();
}

void Sweep::list(FoundTrees& found) const {
  found.clear();
  for (const Found& tree : found_) {
    for (std::uint32_t step = tree.step; step != 0; step = steps_[step].before)
      found.replace(steps_[step].candidate);
    found.finish();
  }
}

// Forgets trees that cannot be among the wanted ones and lowers the limit accordingly.
void Sweep::trim() {
  const double border = kth_gap(static_cast<std::int64_t>(wanted_));
  auto count = [&](auto counts) {
    return static_cast<std::size_t>(std::count_if(gaps_.begin(), gaps_.end(), counts));
  };
  // Trees at the border that stay: all within the slack, or as many as are wanted.
  std::size_t room = found_.size();
  double keep = border + slack_;
  const std::size_t most = 3 * wanted_ + static_cast<std::size_t>(tuning_.most_tied_in_sweep);
  if (slack_ == 0.0 || count([&](double gap) { return gap <= keep; }) > most) {
    tied_ = tied_ || slack_ > 0.0;
    keep = border;
    room = wanted_ - count([&](double gap) { return gap < border; });
    limit_ = std::min(limit_, std::nextafter(border, -std::numeric_limits<double>::infinity()));
  }
  limit_ = std::min(limit_, keep);

  std::size_t kept = 0;
  for (const Found& tree : found_) {
    if (tree.gap > keep || (tree.gap == border && room == 0)) continue;
    if (tree.gap == border) --room;
    found_[kept++] = tree;
  }
  found_.resize(kept);
  next_trim_ = std::max(2 * wanted_, found_.size() + wanted_);
}

}  // namespace coppice::engine
