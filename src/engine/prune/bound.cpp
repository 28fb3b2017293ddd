#include "engine/prune/bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double Bound::guess(std::vector<double>& losses, std::int64_t k) {
  // Any subset of the cheapest replacements makes a tree, cycles aside: so many give k trees.
  auto needed = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(k - 1)));
  if (losses.size() < needed) return kInfinity;
  std::partial_sort(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(needed),
                    losses.end());
  double sum = 0.0;
  for (std::size_t i = 0; i < needed; ++i) sum += losses[i];
  return sum;
}

// The nodes that candidates leave or enter, and the root; in the order of the tree.
void Bound::find_members(const CandidateList& candidates, double most, const Preorder& preorder,
                         Node nodes) {
  is_member_.assign(preorder.size(), 0);
  is_member_[preorder.place(0)] = 1;
  for (const Candidate& edge : candidates) {
    if (edge.loss > most) continue;
    is_member_[preorder.place(edge.head)] = 1;
    is_member_[preorder.place(edge.dependent)] = 1;
  }
  member_.resize(place_of(nodes));
  above_.clear();
  end_.clear();
  last_.clear();
  around_.clear();
  for (Preorder::Place place(0); place < is_member_.end_index(); ++place) {
    if (is_member_[place] == 0) continue;
    const Node v = preorder.node(place);
    const Member member = member_[v] = end_.end_index();
    for (; !around_.empty() && last_[around_.back()] <= place; around_.pop_back())
      end_[around_.back()] = member;
    above_.push_back(around_.empty() ? member : around_.back());
    last_.push_back(preorder.end(v));
    end_.push_back(member);
    around_.push_back(member);
  }
  for (Member member : around_) end_[member] = end_.end_index();
}

// Gives every member a turn, after the one it hangs from and, if it can be helped, after the heads
// of its candidates. Other nodes stand anywhere between.
void Bound::line_up(const CandidateList& candidates, double most, const Preorder& preorder,
                    const CertifiedTree& tree) {
  constexpr std::int32_t kNoTurn = -1;
  find_members(candidates, most, preorder, tree.nodes());
  const std::size_t members = end_.size();
  waits_for_.assign(members, 0);
  first_out_.assign(members, kNoCandidate);
  next_out_.resize(candidates.size());
  for (CandidateId i(0); i < candidates.end_index(); ++i) {
    poll_at(i.value());
    if (candidates[i].loss > most) continue;
    const Member head = member_[candidates[i].head], dependent = member_[candidates[i].dependent];
    next_out_[i] = first_out_[head];
    first_out_[head] = i;
    // For one from below it would wait in vain.
    if (head < dependent || head >= end_[dependent]) ++waits_for_[dependent];
  }
  turn_.assign(members, kNoTurn);
  ready_.assign(1, Member(0));
  held_up_.clear();
  for (std::int32_t turn = 0; place_of(turn) < members;) {
    auto& from = ready_.empty() ? held_up_ : ready_;
    const Member v = from.back();
    from.pop_back();
    if (turn_[v] != kNoTurn) continue;
    turn_[v] = turn++;
    // Children are pushed last to first, to be taken in preorder.
    auto ready = static_cast<std::ptrdiff_t>(ready_.size());
    auto held_up = static_cast<std::ptrdiff_t>(held_up_.size());
    for (Member child = v.next(); child < end_[v]; child = end_[child])
      (waits_for_[child] == 0 ? ready_ : held_up_).push_back(child);
    std::reverse(ready_.begin() + ready, ready_.end());
    std::reverse(held_up_.begin() + held_up, held_up_.end());
    for (CandidateId i = first_out_[v]; i != kNoCandidate; i = next_out_[i]) {
      const Member dependent = member_[candidates[i].dependent];
      if (turn_[dependent] != kNoTurn || --waits_for_[dependent] > 0) continue;
      if (turn_[above_[dependent]] != kNoTurn) ready_.push_back(dependent);
    }
  }
}

double Bound::kth_gap(const CandidateList& candidates, double most, const Preorder& preorder,
                      const CertifiedTree& tree, RootRule rule, std::int64_t k) {
  line_up(candidates, most, preorder, tree);
  counted_.clear();
  losses_.clear();
  least_.clear();
  group_end_.clear();
  double greatest = 0.0;  // the sum of the greatest loss of each group
  for (CandidateId i(0); i < candidates.end_index();) {
    const Node dependent = candidates[i].dependent;
    bool stays = rule == RootRule::single && tree.head[dependent] == 0;
    double least = kInfinity, dearest = 0.0;
    for (; i < candidates.end_index() && candidates[i].dependent == dependent; ++i) {
      poll_at(i.value());
      const Candidate& edge = candidates[i];
      if (stays || (rule == RootRule::single && edge.head == 0)) continue;
      if (edge.loss > most || turn_[member_[edge.head]] >= turn_[member_[dependent]]) continue;
      const double loss = edge.loss;
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
  // Steps are no whole numbers, so that their products round.
  return gap * (1.0 + 0x1p-40);
}

// Counts, the dependents being the digits: each takes its own edge or one that loses nothing.
void Bound::list_tied(const CandidateList& candidates, std::int64_t k, TreeEdits& trees) const {
  struct Digit {
    std::vector<CandidateId> edges;
    std::size_t now = 0;  // edges.size(): that of the best tree
  };
  std::vector<Digit> digits;
  double choices = 1.0;
  std::uint32_t place = 0;
  for (const std::uint32_t end : group_end_) {
    Digit digit;
    for (; place < end; ++place)
      if (losses_[place] == 0.0) digit.edges.push_back(counted_[place]);
    if (digit.edges.empty() || choices >= static_cast<double>(k)) continue;
    digit.now = digit.edges.size();
    choices *= static_cast<double>(digit.now + 1);
    digits.push_back(std::move(digit));
  }
  trees.clear();
  while (std::cmp_less(trees.size(), k)) {
    poll();
    for (const Digit& digit : digits)
      if (digit.now < digit.edges.size()) {
        const Candidate& edge = candidates[digit.edges[digit.now]];
        trees.add({edge.dependent, edge.head, edge.edge});
      }
    trees.finish(0.0);
    auto carry = digits.begin();
    for (; carry != digits.end(); ++carry) {
      carry->now = carry->now == carry->edges.size() ? 0 : carry->now + 1;
      if (carry->now < carry->edges.size()) break;
    }
    if (carry == digits.end()) return;
  }
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
      poll_at(static_cast<std::int32_t>(begin));
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
