#include "engine/bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

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

// Gives every node a turn, after the node it hangs from and, if it can be helped, after the heads
// of its candidates.
void Bound::line_up(const CandidateList& candidates, double most, const Preorder& preorder,
                    const Solution& solution) {
  constexpr std::int32_t kNoTurn = -1;
  const Node nodes = solution.nodes();
  waits_for_.assign(place_of(nodes), 0);
  first_out_.assign(place_of(nodes), kNoCandidate);
  next_out_.resize(candidates.size());
  for (CandidateId i(0); i < candidates.end_index(); ++i) {
    if (candidates[i].loss > most) continue;
    const Node head = candidates[i].head, dependent = candidates[i].dependent;
    next_out_[i] = first_out_[head];
    first_out_[head] = i;
    // For one from below it would wait in vain.
    if (!preorder.is_below(head, dependent)) ++waits_for_[dependent];
  }
  turn_.assign(place_of(nodes), kNoTurn);
  ready_.assign(1, 0);
  held_up_.clear();
  for (std::int32_t turn = 0; turn < nodes;) {
    auto& from = ready_.empty() ? held_up_ : ready_;
    Node v = from.back();
    from.pop_back();
    if (turn_[v] != kNoTurn) continue;
    turn_[v] = turn++;
    // Children are pushed last to first, to be taken in preorder.
    auto ready = static_cast<std::ptrdiff_t>(ready_.size());
    auto held_up = static_cast<std::ptrdiff_t>(held_up_.size());
    for (Preorder::Place place = preorder.place(v).next(); place < preorder.end(v);
         place = preorder.end(preorder.node(place))) {
      const Node child = preorder.node(place);
      (waits_for_[child] == 0 ? ready_ : held_up_).push_back(child);
    }
    std::reverse(ready_.begin() + ready, ready_.end());
    std::reverse(held_up_.begin() + held_up, held_up_.end());
    for (CandidateId i = first_out_[v]; i != kNoCandidate; i = next_out_[i]) {
      Node dependent = candidates[i].dependent;
      if (turn_[dependent] != kNoTurn || --waits_for_[dependent] > 0) continue;
      if (turn_[solution.head[dependent]] != kNoTurn) ready_.push_back(dependent);
    }
  }
}

double Bound::kth_gap(const CandidateList& candidates, double most, const Preorder& preorder,
                      const Solution& solution, RootRule rule, std::int64_t k) {
  line_up(candidates, most, preorder, solution);
  counted_.clear();
  losses_.clear();
  least_.clear();
  group_end_.clear();
  double greatest = 0.0;  // the sum of the greatest loss of each group
  for (CandidateId i(0); i < candidates.end_index();) {
    const Node dependent = candidates[i].dependent;
    bool stays = rule == RootRule::single && solution.head[dependent] == 0;
    double least = kInfinity, dearest = 0.0;
    for (; i < candidates.end_index() && candidates[i].dependent == dependent; ++i) {
      const Candidate& edge = candidates[i];
      if (stays || (rule == RootRule::single && edge.head == 0)) continue;
      if (edge.loss > most || turn_[edge.head] >= turn_[dependent]) continue;
      double loss = std::max(0.0, edge.loss);
      counted_.push_back(i);
      losses_.push_back(loss);
      least = std::min(least, loss);
      dearest = std::max(dearest, loss);
    }
    if (least == kInfinity) continue;
    least_.push_back(least);
    greatest += dearest;
    group_end_.push_back(static_cast<std::uint32_t>(losses_.size()));
  }
  double range = std::min(guess(least_, k), greatest);
  if (range == 0.0) range = std::numeric_limits<double>::min();
  double gap = kth_sum(range, k);
  // Most sums below a range that is too wide are alike: look again, closer.
  if (gap > 0.0 && gap < range / 4) gap = std::min(gap, kth_sum(gap, k));
  return gap;
}

double Bound::kth_sum(double range, std::int64_t k) {
  // Small numbers fit more to a register.
  if (k <= kMostOf<std::uint8_t>) return kth_sum(range, k, counts8_);
  if (k <= kMostOf<std::int16_t>) return kth_sum(range, k, counts16_);
  return kth_sum(range, k, counts_);
}

template <class Count>
double Bound::kth_sum(double range, std::int64_t k, Counts<Count>& counts) {
  constexpr std::size_t kEnd = kSteps<Count>;
  double width = range / static_cast<double>(kEnd - 1 - std::min(group_end_.size(), kEnd / 4));
  // now[kEnd + s]: how many choices of losses add up to s steps, none for s < 0; then[] the same
  // with one group more. k and more are the same, but for very large counts, which are rounded.
  constexpr bool kRounded = std::is_floating_point_v<Count>;
  const auto enough = static_cast<Count>(k);
  auto* now = &counts[0];
  auto* then = &counts[1];
  for (auto* both : {now, then}) std::fill_n(both->begin(), kEnd, Count{0});
  std::fill_n(now->begin() + kEnd, kEnd, Count{0});
  (*now)[kEnd] = 1;
  std::uint32_t begin = 0;
  for (std::uint32_t end : group_end_) {
    poll();
    std::copy_n(now->begin() + kEnd, kEnd, then->begin() + kEnd);
    for (; begin < end; ++begin) {
      double steps = losses_[begin] == 0.0 ? 0.0 : std::floor(losses_[begin] / width) + 1.0;
      if (!(steps < static_cast<double>(kEnd))) continue;
      const Count* from = now->data() + kEnd - static_cast<std::size_t>(steps);
      Count* to = then->data() + kEnd;
      for (std::size_t s = 0; s < kEnd; ++s) {
        auto sum = static_cast<Count>(to[s] + from[s]);
        to[s] = kRounded ? sum : std::min(sum, enough);
      }
    }
    std::swap(now, then);
  }
  double trees = 0.0;
  double wanted = kRounded ? static_cast<double>(k) * 1.001 : static_cast<double>(k);
  for (std::size_t s = 0; s < kEnd; ++s)
    if ((trees += static_cast<double>((*now)[kEnd + s])) >= wanted)
      return static_cast<double>(s) * width;
  return kInfinity;
}

}  // namespace coppice::engine
