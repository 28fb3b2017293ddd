#include "engine/prune/bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {
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

// Gives every node that has a place in preorder a turn, after the one it hangs from and, if it can
// be helped, after the heads of its candidates.
void Bound::line_up(const CandidateList& candidates, double most, const Preorder& preorder,
                    const CertifiedTree& tree) {
  constexpr std::int32_t kNoTurn = -1;
  const std::size_t places = preorder.size();
  waits_for_.assign(places, 0);
  first_out_.assign(places, kNoCandidate);
  next_out_.resize(candidates.size());
  for (CandidateId i(0); i < candidates.end_index(); ++i) {
    poll_at(i.value());
    const Candidate& edge = candidates[i];
    if (edge.loss > most) continue;
    next_out_[i] = std::exchange(first_out_[preorder.place(edge.head)], i);
    // For one from below it would wait in vain.
    if (!preorder.is_below(edge.head, edge.dependent)) ++waits_for_[preorder.place(edge.dependent)];
  }
  turn_.assign(places, kNoTurn);
  ready_.assign(1, Place(0));
  held_up_.clear();
  for (std::int32_t turn = 0; place_of(turn) < places;) {
    auto& from = ready_.empty() ? held_up_ : ready_;
    const Place v = from.back();
    from.pop_back();
    if (turn_[v] != kNoTurn) continue;
    turn_[v] = turn++;
    for (Place child = v.next(); child < preorder.end(preorder.node(v));
         child = preorder.end(preorder.node(child)))
      (waits_for_[child] == 0 ? ready_ : held_up_).push_back(child);
    for (CandidateId i = first_out_[v]; i != kNoCandidate; i = next_out_[i]) {
      const Node dependent = candidates[i].dependent;
      const Place above = preorder.place(tree.head[dependent]);
      if (--waits_for_[preorder.place(dependent)] == 0 && turn_[above] != kNoTurn)
        ready_.push_back(preorder.place(dependent));
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
    const Place place = preorder.place(dependent);
    bool stays = rule == RootRule::single && tree.head[dependent] == 0;
    double least = kInfinity, dearest = 0.0;
    for (; i < candidates.end_index() && candidates[i].dependent == dependent; ++i) {
      poll_at(i.value());
      const Candidate& edge = candidates[i];
      if (stays || (rule == RootRule::single && edge.head == 0)) continue;
      if (edge.loss > most || turn_[preorder.place(edge.head)] >= turn_[place]) continue;
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

// Every tree so far, once more for each edge into the next dependent that loses nothing.
void Bound::list_tied(const CandidateList& candidates, std::int64_t k, TreeEdits& trees) const {
  trees.clear();
  trees.finish(0.0);  // the best tree
  std::vector<Edit> edits;
  std::uint32_t place = 0;
  for (const std::uint32_t end : group_end_) {
    const std::size_t before = trees.size();
    for (; place < end; ++place) {
      if (losses_[place] != 0.0) continue;
      const Candidate& edge = candidates[counted_[place]];
      for (std::size_t tree = 0; tree < before && std::cmp_less(trees.size(), k); ++tree) {
        poll();
        edits.assign(trees[tree].begin(), trees[tree].end());
        edits.push_back({edge.dependent, edge.head, edge.edge});
        for (const Edit& edit : edits) trees.add(edit);
        trees.finish(0.0);
      }
    }
  }
}

double Bound::kth_sum(double range, std::int64_t k) {
  const double width =
      range / static_cast<double>(kSteps - 1 - std::min(group_end_.size(), kSteps / 4));
  // k and more are the same.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (k > kMost) return kInfinity;
  const auto enough = static_cast<std::uint32_t>(k);
  Counts* now = &counts_[0];
  Counts* then = &counts_[1];
  std::fill_n(now->begin() + kSteps, kSteps, 0);
  (*now)[kSteps] = 1;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : group_end_) {
    poll();
    std::copy_n(now->begin() + kSteps, kSteps, then->begin() + kSteps);
    for (; begin < end; ++begin) {
      poll_at(static_cast<std::int32_t>(begin));
      const double steps = losses_[begin] == 0.0 ? 0.0 : std::floor(losses_[begin] / width) + 1.0;
      if (!(steps < static_cast<double>(kSteps))) continue;
      const std::uint32_t* from = now->data() + kSteps - static_cast<std::size_t>(steps);
      std::uint32_t* to = then->data() + kSteps;
      for (std::size_t s = 0; s < kSteps; ++s) to[s] = std::min(to[s] + from[s], enough);
    }
    std::swap(now, then);
  }
  std::int64_t trees = 0;
  for (std::size_t s = 0; s < kSteps; ++s)
    if ((trees += (*now)[kSteps + s]) >= k) return static_cast<double>(s) * width;
  return kInfinity;
}

}  // namespace coppice::engine
