#include "engine/kernel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int32_t kMostCompanions = 256;

}  // namespace

void Preorder::build(const std::vector<Node>& head) {
  // Subtree sizes need children before parents; places need parents before children. Both follow
  // from a list of the nodes by first child and next sibling.
  auto nodes = head.size();
  node.resize(nodes);
  place.assign(nodes, kNoNode);  // for now: first child
  end.resize(nodes);
  next_.assign(nodes, kNoNode);  // next sibling
  for (std::size_t v = nodes; v-- > 1;) {
    next_[v] = place[at(head[v])];
    place[at(head[v])] = static_cast<Node>(v);
  }
  Node v = 0, count = 0;
  while (true) {
    Node child = place[at(v)];
    place[at(v)] = count;
    node[at(count)] = v;
    ++count;
    if (child != kNoNode) {
      v = child;
      continue;
    }
    end[at(v)] = count;
    while (v != 0 && next_[at(v)] == kNoNode) {
      v = head[at(v)];
      end[at(v)] = count;
    }
    if (v == 0) break;
    v = next_[at(v)];
  }
}

double Bound::guess(std::vector<double>& losses, std::int64_t k) {
  // Any subset of the cheapest replacements makes a tree, cycles aside: so many give k trees.
  auto needed = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(k - 1)));
  if (losses.size() < needed) return kInfinity;
  std::nth_element(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(needed),
                   losses.end());
  double sum = 0.0;
  for (std::size_t i = 0; i < needed; ++i) sum += losses[i];
  return sum;
}

double Bound::kth_gap(const std::vector<Candidate>& candidates, const Preorder& preorder,
                      const Solution& solution, RootRule rule, std::int64_t k) {
  losses_.clear();
  least_.clear();
  group_end_.clear();
  double greatest = 0.0;  // the sum of the greatest loss of each group
  for (std::size_t i = 0; i < candidates.size();) {
    Node dependent = candidates[i].dependent;
    bool stays = rule == RootRule::single && solution.head[at(dependent)] == 0;
    double least = kInfinity, most = 0.0;
    for (; i < candidates.size() && candidates[i].dependent == dependent; ++i) {
      const Candidate& edge = candidates[i];
      if (stays || (rule == RootRule::single && edge.head == 0)) continue;
      if (preorder.place[at(edge.head)] >= preorder.place[at(dependent)]) continue;
      double loss = std::max(0.0, edge.loss);
      losses_.push_back(loss);
      least = std::min(least, loss);
      most = std::max(most, loss);
    }
    if (least == kInfinity) continue;
    least_.push_back(least);
    greatest += most;
    group_end_.push_back(static_cast<std::uint32_t>(losses_.size()));
  }
  double range = std::min(guess(least_, k), greatest);
  if (range == 0.0) range = std::numeric_limits<double>::min();
  double width = range / static_cast<double>(kSteps - 1 - std::min(group_end_.size(), kSteps / 4));

  // count_[s]: how many choices of losses add up to s steps.
  count_.assign(kSteps, 0.0F);
  count_[0] = 1.0F;
  std::uint32_t begin = 0;
  for (std::uint32_t end : group_end_) {
    next_count_ = count_;
    for (; begin < end; ++begin) {
      double steps = losses_[begin] == 0.0 ? 0.0 : std::floor(losses_[begin] / width) + 1.0;
      if (!(steps < static_cast<double>(kSteps))) continue;
      auto shift = static_cast<std::size_t>(steps);
      for (std::size_t s = shift; s < kSteps; ++s) next_count_[s] += count_[s - shift];
    }
    count_.swap(next_count_);
  }
  double trees = 0.0;
  double enough = static_cast<double>(k) * 1.001;  // counts above 2^24 are rounded
  if (k < 1 << 24) enough = static_cast<double>(k);
  for (std::size_t s = 0; s < kSteps; ++s)
    if ((trees += static_cast<double>(count_[s])) >= enough) return static_cast<double>(s) * width;
  return kInfinity;
}

bool Kernel::usable(const Candidate& edge) const {
  // From a node merged into its own dependent: a loop.
  if (representative_[at(edge.head)] == edge.dependent) return false;
  // A second root edge beside one that cannot change.
  return edge.head != 0 || single_root_child_ == kNoNode || edge.dependent == single_root_child_ ||
         choices_[at(single_root_child_)] > 0;
}

void Kernel::build(const std::vector<Candidate>& candidates, const Preorder& preorder,
                   const Solution& solution, RootRule rule, double limit) {
  single_root_child_ = rule == RootRule::single ? preorder.node[1] : kNoNode;
  choices_.assign(at(solution.nodes()), 0);
  kept_.clear();
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (!(candidates[i].reduced_cost <= limit)) continue;
    kept_.push_back(i);
    ++choices_[at(candidates[i].dependent)];
  }
  do {
    merge_forced(candidates, preorder, solution);
    number_nodes(preorder, solution);
    sort_options(candidates);
    // Of a large kernel that would cost more than it saves.
    if (nodes() > kMostCompanions) return;
    find_companions();
  } while (drop_hopeless(candidates, limit));
}

// Merges nodes without a choice into their heads; that makes loops; dropping these takes choices
// away; and so on until nothing changes.
void Kernel::merge_forced(const std::vector<Candidate>& candidates, const Preorder& preorder,
                          const Solution& solution) {
  auto nodes = at(solution.nodes());
  representative_.resize(nodes);
  for (bool changed = true; changed;) {
    changed = false;
    representative_[0] = 0;
    for (std::size_t i = 1; i < nodes; ++i) {
      Node v = preorder.node[i];
      representative_[at(v)] = choices_[at(v)] > 0 ? v : representative_[at(solution.head[at(v)])];
    }
    std::size_t kept = 0;
    for (std::uint32_t i : kept_) {
      if (usable(candidates[i])) {
        kept_[kept++] = i;
      } else if (--choices_[at(candidates[i].dependent)] == 0) {
        changed = true;
      }
    }
    kept_.resize(kept);
  }
}

// Numbers in preorder.
void Kernel::number_nodes(const Preorder& preorder, const Solution& solution) {
  auto nodes = at(solution.nodes());
  number_.resize(nodes);
  ground_.clear();
  parent_.clear();
  number_[0] = kRoot;
  for (std::size_t i = 1; i < nodes; ++i) {
    Node v = preorder.node[i];
    if (choices_[at(v)] == 0) continue;
    number_[at(v)] = static_cast<std::int32_t>(ground_.size());
    ground_.push_back(v);
    parent_.push_back(number_[at(representative_[at(solution.head[at(v)])])]);
  }
  end_.resize(ground_.size());
  for (std::size_t v = ground_.size(); v-- > 0;) {
    // Descendants follow v; the last of them is the last descendant of the last child.
    end_[v] = static_cast<std::int32_t>(v) + 1;
    while (at(end_[v]) < ground_.size() && parent_[at(end_[v])] >= static_cast<std::int32_t>(v))
      end_[v] = end_[at(end_[v])];
  }
  root_child_ = single_root_child_ == kNoNode || choices_[at(single_root_child_)] == 0
                    ? kRoot
                    : number_[at(single_root_child_)];
}

// The options of each node, cheapest first.
void Kernel::sort_options(const std::vector<Candidate>& candidates) {
  begin_.assign(ground_.size() + 1, 0);
  for (std::uint32_t i : kept_) ++begin_[at(number_[at(candidates[i].dependent)]) + 1];
  for (std::size_t v = 0; v < ground_.size(); ++v) begin_[v + 1] += begin_[v];
  options_.resize(kept_.size());
  for (std::uint32_t i : kept_) {
    const Candidate& edge = candidates[i];
    auto& place = begin_[at(number_[at(edge.dependent)])];
    options_[place++] = {std::max(0.0, edge.reduced_cost), edge.loss,
                         number_[at(representative_[at(edge.head)])], i};
  }
  for (std::size_t v = ground_.size(); v > 0; --v) begin_[v] = begin_[v - 1];
  begin_[0] = 0;
  for (std::size_t v = 0; v < ground_.size(); ++v)
    std::sort(options_.begin() + begin_[v], options_.begin() + begin_[v + 1],
              [](const Option& a, const Option& b) {
                return a.reduced_cost < b.reduced_cost ||
                       (a.reduced_cost == b.reduced_cost && a.candidate < b.candidate);
              });
}

// Edges that only help in company of others, and what the company costs.
void Kernel::find_companions() {
  reentry_.assign(ground_.size(), kInfinity);
  cheapest_inner_ = cheapest_other_root_ = kInfinity;
  for (std::int32_t x = 0; x < nodes(); ++x) {
    for (auto option = options_begin(x); option != options_end(x); ++option) {
      bool from_root = option->head == kRoot;
      // It enters what hangs from v for all v above x, up to the first that its head is below too.
      for (std::int32_t v = parent(x); v != kRoot && (from_root || !is_below(option->head, v));
           v = parent(v))
        reentry_[at(v)] = std::min(reentry_[at(v)], option->reduced_cost);
      if (x == root_child_ && !from_root)
        cheapest_inner_ = std::min(cheapest_inner_, option->reduced_cost);
      if (x != root_child_ && from_root)
        cheapest_other_root_ = std::min(cheapest_other_root_, option->reduced_cost);
    }
  }
}

// What must be paid beside the edge from head to v.
double Kernel::companion_cost(std::int32_t v, std::int32_t head) const {
  double cost = 0.0;
  if (head != kRoot && is_below(head, v)) cost = reentry(v);
  if (root_child_ == kRoot) return cost;
  if (v == root_child_ && head != kRoot) cost = std::max(cost, cheapest_other_root_);
  if (v != root_child_ && head == kRoot) cost = cheapest_inner_;
  return cost;
}

// Drops edges whose company nothing affordable can be.
bool Kernel::drop_hopeless(const std::vector<Candidate>& candidates, double limit) {
  std::size_t kept = 0;
  for (std::uint32_t i : kept_) {
    const Candidate& edge = candidates[i];
    std::int32_t v = number_[at(edge.dependent)];
    std::int32_t head = number_[at(representative_[at(edge.head)])];
    if (edge.reduced_cost + companion_cost(v, head) > limit)
      --choices_[at(edge.dependent)];
    else
      kept_[kept++] = i;
  }
  bool dropped = kept < kept_.size();
  kept_.resize(kept);
  return dropped;
}

}  // namespace coppice::engine
