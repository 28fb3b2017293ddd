#include "engine/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
  std::size_t needed = 0;
  while (needed < 62 && (std::int64_t{1} << needed) < k) ++needed;
  if (losses.size() < needed) return kInfinity;
  std::nth_element(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(needed),
                   losses.end());
  double sum = 0.0;
  for (std::size_t i = 0; i < needed; ++i) sum += losses[i];
  return sum;
}

// sums_ becomes the k smallest of sums_ and base_ + loss.
void Bound::merge(double loss, std::size_t k) {
  merged_.resize(std::min(k, sums_.size() + base_.size()));
  const double *a = sums_.data(), *a_end = a + sums_.size();
  const double *b = base_.data(), *b_end = b + base_.size();
  for (double& out : merged_) {
    bool take_b = a == a_end || (b != b_end && *b + loss < *a);
    out = take_b ? *b++ + loss : *a++;
  }
  sums_.swap(merged_);
}

double Bound::kth_gap(const std::vector<Candidate>& candidates, const Preorder& preorder,
                      const Solution& solution, RootRule rule, std::int64_t k) {
  losses_.clear();
  groups_.clear();
  for (std::size_t i = 0; i < candidates.size();) {
    Node dependent = candidates[i].dependent;
    auto begin = static_cast<std::uint32_t>(losses_.size());
    bool stays = rule == RootRule::single && solution.head[at(dependent)] == 0;
    for (; i < candidates.size() && candidates[i].dependent == dependent; ++i) {
      const Candidate& edge = candidates[i];
      if (stays || (rule == RootRule::single && edge.head == 0)) continue;
      if (preorder.place[at(edge.head)] < preorder.place[at(dependent)])
        losses_.push_back(std::max(0.0, edge.loss));
    }
    auto end = static_cast<std::uint32_t>(losses_.size());
    if (begin == end) continue;
    std::sort(losses_.begin() + begin, losses_.end());
    groups_.push_back({losses_[begin], begin, end});
  }
  std::sort(groups_.begin(), groups_.end(),
            [](const Group& a, const Group& b) { return a.least < b.least; });
  auto wanted = static_cast<std::size_t>(k);
  sums_.assign(1, 0.0);
  for (const Group& group : groups_) {
    if (sums_.size() == wanted && group.least >= sums_.back()) break;
    base_ = sums_;
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      if (sums_.size() == wanted && losses_[i] >= sums_.back()) break;
      merge(losses_[i], wanted);
    }
  }
  return sums_.size() < wanted ? kInfinity : sums_.back();
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
  auto nodes = at(solution.nodes());
  single_root_child_ = rule == RootRule::single ? preorder.node[1] : kNoNode;
  choices_.assign(nodes, 0);
  kept_.clear();
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (!(candidates[i].reduced_cost <= limit)) continue;
    kept_.push_back(i);
    ++choices_[at(candidates[i].dependent)];
  }
  // Merge nodes without a choice into their heads; that makes loops; dropping these takes choices
  // away; and so on until nothing changes.
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

  // Number what is left in preorder.
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
  for (std::size_t v = 0; v < ground_.size(); ++v) {
    Node past = preorder.end[at(ground_[v])];
    auto after =
        std::lower_bound(ground_.begin() + static_cast<std::ptrdiff_t>(v), ground_.end(), past,
                         [&](Node other, Node place) { return preorder.place[at(other)] < place; });
    end_[v] = static_cast<std::int32_t>(after - ground_.begin());
  }
  root_child_ = single_root_child_ == kNoNode || choices_[at(single_root_child_)] == 0
                    ? kRoot
                    : number_[at(single_root_child_)];

  // The options of each node, cheapest first.
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

}  // namespace coppice::engine
