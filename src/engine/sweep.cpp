#include "engine/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace coppice::engine {
namespace {

// How many trees beyond k are kept because they are equal to the k-th within the slack.
constexpr std::size_t kMostTied = 4096;

}  // namespace

// The first replaced node on the way from v (v itself included) to the root, or kRoot.
std::int32_t Sweep::nearest_replaced(std::int32_t v) const {
  std::int32_t nearest = Kernel::kRoot;
  for (std::int32_t u : replaced_)
    if (u <= v && v < kernel_->end(u) && u > nearest) nearest = u;
  return nearest;
}

// Does v, replaced last, hang from itself?
bool Sweep::closes_cycle(std::int32_t v) const {
  std::int32_t up = head_[at(v)];
  while (up != Kernel::kRoot) {
    up = nearest_replaced(up);
    if (up == v) return true;
    if (up == Kernel::kRoot) return false;
    up = head_[at(up)];
  }
  return false;
}

// The nodes of the cycle through v that may still change.
void Sweep::list_cycle(std::int32_t v, std::uint32_t first) {
  std::int32_t up = head_[at(v)];
  while (up != v) {
    if (is_replaced_[at(up)] != 0) {
      up = head_[at(up)];
    } else {
      if (!fixed(up, first)) cycle_.push_back(up);
      up = kernel_->parent(up);
    }
  }
}

// Replaces the edge of v; a new frame if the state can lead to trees.
bool Sweep::enter(std::int32_t v, const Option& option, const Frame& from) {
  auto first = from.is_tree ? from.position + 1 : from.first;
  auto cycle = static_cast<std::uint32_t>(cycle_.size());
  Frame frame{from.reduced_cost + option.reduced_cost,
              from.gap + option.loss,
              first,
              first,
              cycle,
              cycle,
              cycle,
              nullptr,
              true,
              false};
  if (single_) {
    bool was_root = v == kernel_->root_child();
    root_edges_ += (option.head == Kernel::kRoot ? 1 : 0) - (was_root ? 1 : 0);
  }
  replaced_.push_back(v);
  chosen_.push_back(option.candidate);
  head_[at(v)] = option.head;
  is_replaced_[at(v)] = 1;
  ++held_[at(v)];
  if (root_edges_ > 1) {
    std::int32_t other = kernel_->root_child();
    if (root_edges_ > 2 || fixed(other, frame.first)) return false;
    frame.is_tree = false;
    frame.only_inner = true;
    cycle_.push_back(other);
  } else if (option.head != Kernel::kRoot && closes_cycle(v)) {
    frame.is_tree = false;
    list_cycle(v, frame.first);
  }
  frame.cycle_end = static_cast<std::uint32_t>(cycle_.size());
  if (frame.is_tree) record(frame.gap);
  frames_.push_back(frame);
  return true;
}

// Takes the last replacement back.
void Sweep::leave() {
  std::int32_t v = replaced_.back();
  if (single_) {
    bool was_root = v == kernel_->root_child();
    root_edges_ -= (head_[at(v)] == Kernel::kRoot ? 1 : 0) - (was_root ? 1 : 0);
  }
  --held_[at(v)];
  is_replaced_[at(v)] = 0;
  replaced_.pop_back();
  chosen_.pop_back();
}

void Sweep::record(double gap) {
  if (gap > limit_) return;
  auto begin = static_cast<std::uint32_t>(replacements_.size());
  replacements_.insert(replacements_.end(), chosen_.begin(), chosen_.end());
  found_.push_back({gap, begin, static_cast<std::uint32_t>(replacements_.size())});
  if (found_.size() >= next_trim_) trim();
}

// Forgets trees that cannot be among the wanted ones and lowers the limit accordingly.
void Sweep::trim() {
  gaps_.resize(found_.size());
  for (std::size_t i = 0; i < found_.size(); ++i) gaps_[i] = found_[i].gap;
  auto kth = gaps_.begin() + static_cast<std::ptrdiff_t>(wanted_) - 1;
  std::nth_element(gaps_.begin(), kth, gaps_.end());
  double border = *kth;
  auto count = [&](auto counts) {
    return static_cast<std::size_t>(std::count_if(gaps_.begin(), gaps_.end(), counts));
  };
  // Trees at the border that stay: all within the slack, or as many as are wanted.
  std::size_t room = found_.size();
  double keep = border + slack_;
  if (count([&](double gap) { return gap <= keep; }) > 3 * wanted_ + kMostTied) {
    tied_ = tied_ || slack_ > 0.0;
    keep = border;
    room = wanted_ - count([&](double gap) { return gap < border; });
    limit_ = std::min(limit_, std::nextafter(border, -std::numeric_limits<double>::infinity()));
  }
  limit_ = std::min(limit_, keep);

  packed_.clear();
  std::size_t kept = 0;
  for (const Found& tree : found_) {
    if (tree.gap > keep || (tree.gap == border && room == 0)) continue;
    if (tree.gap == border) --room;
    auto begin = static_cast<std::uint32_t>(packed_.size());
    packed_.insert(packed_.end(), replacements_.begin() + tree.begin,
                   replacements_.begin() + tree.end);
    found_[kept++] = {tree.gap, begin, static_cast<std::uint32_t>(packed_.size())};
  }
  found_.resize(kept);
  replacements_.swap(packed_);
  next_trim_ = std::max(2 * wanted_, found_.size() + wanted_);
}

void Sweep::start(const Kernel& kernel, RootRule rule, double limit, double slack, std::int64_t k) {
  kernel_ = &kernel;
  // Where the root edge cannot change, there is nothing to watch.
  single_ = rule == RootRule::single && kernel.root_child() != Kernel::kRoot;
  limit_ = limit;
  slack_ = slack;
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  wanted_ = static_cast<std::size_t>(std::min<std::int64_t>(k, kMost));
  next_trim_ = 2 * wanted_;
  tied_ = false;
  root_edges_ = 1;
  auto nodes = at(kernel.nodes());
  order_.resize(nodes);
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
    double cost_a = kernel.options_begin(a)->reduced_cost;
    double cost_b = kernel.options_begin(b)->reduced_cost;
    return cost_a < cost_b || (cost_a == cost_b && a < b);
  });
  rank_.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) rank_[at(order_[i])] = i;
  held_.assign(nodes, 0);
  is_replaced_.assign(nodes, 0);
  head_.resize(nodes);
  replaced_.clear();
  chosen_.clear();
  cycle_.clear();
  found_.clear();
  replacements_.clear();
  frames_.clear();
  frames_.push_back({0.0, 0.0, 0, 0, 0, 0, 0, nullptr, true, false});
  record(0.0);
}

// The node whose options come next in the frame, or kRoot if there is none.
std::int32_t Sweep::next_node(Frame& frame) {
  if (!frame.is_tree)
    return frame.cycle_next == frame.cycle_end ? Kernel::kRoot : cycle_[frame.cycle_next];
  while (frame.position < order_.size() && held_[at(order_[frame.position])] != 0) ++frame.position;
  return frame.position == order_.size() ? Kernel::kRoot : order_[frame.position];
}

void Sweep::close_frame() {
  const Frame& frame = frames_.back();
  for (std::uint32_t i = frame.cycle_begin; i < frame.cycle_next; ++i) --held_[at(cycle_[i])];
  cycle_.resize(frame.cycle_begin);
  frames_.pop_back();
  if (!frames_.empty()) leave();
}

Sweep::Outcome Sweep::run(const Kernel& kernel, RootRule rule, double limit, double slack,
                          std::int64_t k, std::int64_t budget) {
  start(kernel, rule, limit, slack, k);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    std::int32_t v = next_node(frame);
    if (v == Kernel::kRoot) {
      close_frame();
      continue;
    }
    if (frame.option == nullptr) frame.option = kernel.options_begin(v);
    if (frame.option == kernel.options_end(v) ||
        frame.reduced_cost + frame.option->reduced_cost > limit_) {
      bool none_tried = frame.option == kernel.options_begin(v);
      frame.option = nullptr;
      if (!frame.is_tree) {
        ++held_[at(v)];
        ++frame.cycle_next;
      } else if (none_tried) {
        close_frame();  // the nodes after it cost no less
      } else {
        ++frame.position;
      }
      continue;
    }
    const Option& option = *frame.option++;
    if (frame.only_inner && option.head == Kernel::kRoot) continue;
    if (--budget < 0) return Outcome::abandoned;
    if (!enter(v, option, frame)) leave();
  }
  return tied_ ? Outcome::tied : Outcome::complete;
}

}  // namespace coppice::engine
