#include "engine/list/sweep.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// Some ten microseconds.
constexpr std::uint32_t kOptionsPerPoll = 512;
constexpr std::size_t kTreesPerPoll = 256;
// So many options are tried in vain in the time of a state.
constexpr std::int64_t kOptionsPerState = 4;

}  // namespace

bool Sweep::run(const ReducedGraph& graph, double limit, std::int64_t k, std::int64_t budget) {
  graph_ = &graph;
  limit_ = limit;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  wanted_ = static_cast<std::size_t>(std::min(k, kMost));
  found_.clear();
  steps_.assign(1, {0, kNoCandidate});
  if (graph.nodes() > std::min(kMostNodes, tuning_.most_swept)) return false;
  const auto nodes = place_of(graph.nodes());
  order_.resize(nodes);
  std::iota(order_.begin(), order_.end(), KernelNode(0));
  std::sort(order_.begin(), order_.end(), [&](KernelNode a, KernelNode b) {
    const double cost_a = graph.options(a).front().reduced_cost;
    const double cost_b = graph.options(b).front().reduced_cost;
    return cost_a < cost_b || (cost_a == cost_b && a < b);
  });
  cheapest_.resize(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    cheapest_[i] = graph.options(order_[i]).front().reduced_cost;
  head_.resize(nodes);
  bool complete = false;
  if (nodes <= 64)
    complete = search(small_, budget);
  else
    complete = nodes <= 256 ? search(middling_, budget) : search(large_, budget);
  if (complete && found_.size() > wanted_) trim();
  return complete;
}

template <std::size_t Words>
void Sweep::open_root(Space<Words>& space) {
  const auto nodes = place_of(graph_->nodes());
  space.above.resize(nodes);
  for (KernelNode v(0); v < graph_->end(); ++v) {
    space.above[v] = Bits<Words>::single(v);
    if (graph_->parent(v) != kKernelRoot)
      space.above[v] = space.above[v] | space.above[graph_->parent(v)];
  }
  space.frames.resize(nodes + 1);
  space.frames[0] = {};
  space.frames[0].root_edges = 1;
  space.frames[0].is_tree = true;
  record(0.0, 0);
}

template <std::size_t Words>
bool Sweep::search(Space<Words>& space, std::int64_t budget) {
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
      const std::span<const Option> options = graph_->options(frame.node);
      frame.option = options.data();
      frame.end = options.data() + options.size();
    }
    if (frame.option == frame.end || frame.reduced_cost + frame.option->reduced_cost > limit_) {
      const bool none_tried = frame.option == graph_->options(frame.node).data();
      frame.option = nullptr;
      frame.decided.set(frame.node);
      enter(graph_->entered_by_tree(frame.node), frame);
      // The nodes after it cost no less.
      if ((frame.is_tree && none_tried) || frame.reduced_cost > limit_) --depth;
      continue;
    }
    const Option& option = *frame.option++;
    if (budget <= 0) return false;
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
    push_polling(steps_, {frame.step, option.candidate});
    if (next.is_tree) {
      record(next.gap, next.step);
      // Most trees are leaves: not even the cheapest replacement still to come is affordable.
      std::size_t position = frame.is_tree ? frame.position + 1 : frame.position;
      if (position == order_.size() || next.reduced_cost + cheapest_[position] > limit_) continue;
    }
    ++depth;
  }
  return true;
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

  const KernelNode root_child = graph_->root_child();
  if (root_child != kKernelRoot) {
    to.root_edges += (option.head == kKernelRoot ? 1 : 0) - (v == root_child ? 1 : 0);
    if (from.only_inner && option.head == kKernelRoot) return false;
    if (to.root_edges > 1) {
      // The first root edge must go.
      if (to.root_edges > 2 || to.decided.has(root_child)) return false;
      to.is_tree = false;
      to.only_inner = true;
      to.cycle = Bits<Words>::single(root_child);
      return true;
    }
  }
  if (option.head == kKernelRoot || !find_cycle(space, v, to)) return true;
  to.is_tree = false;
  return true;
}

// A decided edge enters these components.
template <std::size_t Words>
void Sweep::enter(std::uint64_t components, Frame<Words>& frame) const {
  if ((components & frame.entered) != 0)
    frame.reduced_cost += graph_->cost_of_again(components & frame.entered);
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

void Sweep::record(double gap, std::uint32_t step) {
  if (gap > limit_) return;
  push_polling(found_, {gap, step});
  if (found_.size() / 2 >= wanted_) trim();
}

void Sweep::list(const CandidateList& candidates, TreeEdits& trees) {
  trees.clear();
  sort_polling(found_.begin(), found_.end(), is_better);
  for (const Found& tree : found_) {
    if (trees.size() % kTreesPerPoll == 0) poll();
    for (std::uint32_t step = tree.step; step != 0; step = steps_[step].before) {
      const Candidate& edge = candidates[steps_[step].candidate];
      trees.add({edge.dependent, edge.head, edge.edge});
    }
    trees.finish(tree.gap);
  }
}

// Keeps the wanted number of trees. From now on only better ones than the last of these count; gaps
// are whole numbers.
void Sweep::trim() {
  const auto last = found_.begin() + static_cast<std::ptrdiff_t>(wanted_) - 1;
  std::nth_element(found_.begin(), last, found_.end(), is_better);
  limit_ = last->gap - 1.0;
  found_.resize(wanted_);
}

}  // namespace coppice::engine
