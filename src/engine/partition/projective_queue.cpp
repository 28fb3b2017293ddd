#include "engine/partition/projective_queue.hpp"

#include <algorithm>
#include <limits>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

constexpr std::int32_t kNotOpened = -1;

// The score of what does not exist. Sums of two scores, one of them this, are no scores either.
template <class W>
W impossible() {
  if constexpr (std::numeric_limits<W>::has_infinity)
    return lowest<W>();
  else
    return -W::highest_part();
}

template <class W>
bool possible(const W& score) {
  if constexpr (std::numeric_limits<W>::has_infinity)
    return score > lowest<W>();
  else
    return score > -W::highest_part(1);
}

// The best sum of two numbers at the same place.
template <class W>
W best_sum(const W* a, const W* b, Node count) {
  W best = impossible<W>();
  for (Node m = 0; m < count; ++m) best = std::max(best, a[m] + b[m]);
  return possible(best) ? best : impossible<W>();
}

}  // namespace

template <class W>
void ProjectiveQueue<W>::start(const ListedGraph<W>& graph, RootRule rule) {
  graph_ = &graph;
  nodes_ = graph.lists->nodes();
  single_ = rule == RootRule::single;
  best_gain_ = graph.lists->gain();
  list_edges();
  fill_chart();
  opened_count_ = 0;
  for (auto& opened : opened_of_) opened.assign(place_of(nodes_) * place_of(nodes_), kNotOpened);
  opened_whole_ = kNotOpened;
  top_ = single_ ? Item{whole, 0, nodes_ - 1} : Item{by_left, 0, nodes_ - 1};
  given_ = 0;
}

// By counting, for a dense graph has one edge in every place. In the lists the best come first.
template <class W>
void ProjectiveQueue<W>::list_edges() {
  const Sparse<W>& lists = *graph_->lists;
  edges_begin_.assign(place_of(nodes_) * place_of(nodes_) + 1, 0);
  auto for_each_edge = [&](auto visit) {
    for (Node v = 1; v < nodes_; ++v)
      for (Slot e = lists.begin(v); e < lists.end(v); ++e) visit(place(lists.edge(e).source, v), e);
  };
  for_each_edge([&](std::size_t p, Slot) { ++edges_begin_[p + 1]; });
  for (std::size_t p = 1; p < edges_begin_.size(); ++p) edges_begin_[p] += edges_begin_[p - 1];
  edges_.resize(edges_begin_.back());
  for_each_edge([&](std::size_t p, Slot e) { edges_[edges_begin_[p]++] = {lists.edge(e).gain, e}; });
  // Filling moved every begin to its end, which is the begin behind it.
  for (std::size_t p = edges_begin_.size(); --p > 0;) edges_begin_[p] = edges_begin_[p - 1];
  edges_begin_[0] = 0;
}

template <class W>
void ProjectiveQueue<W>::fill_chart() {
  const std::size_t size = place_of(nodes_) * place_of(nodes_);
  for (auto& scores : scores_) scores.assign(size, impossible<W>());
  for (auto* scores : {&by_left_of_, &by_right_of_, &arc_left_of_})
    scores->assign(size, impossible<W>());
  for (Node i = 0; i < nodes_; ++i)
    for (auto* scores : {&scores_[by_left], &scores_[by_right], &by_left_of_, &by_right_of_})
      (*scores)[place(i, i)] = {};
  // With a single root edge the root joins at the end.
  const Node from = single_ ? 1 : 0;
  for (Node width = 1; width < nodes_ - from; ++width) {
    poll();
    for (Node i = from; i + width < nodes_; ++i) join(i, i + width);
  }
  if (single_) join_root();
}

template <class W>
void ProjectiveQueue<W>::join(Node i, Node j) {
  const Node width = j - i;
  const W below = best_sum(&score(by_left, i, i), &by_right_of_[place(j, i + 1)], width);
  score(halves, i, j) = below;
  for (const Kind kind : {arc_right, arc_left}) {
    const W edge_score = best(kind == arc_right ? Item{edge, i, j} : Item{edge, j, i});
    const W sum = below + edge_score;
    if (possible(below) && possible(edge_score)) score(kind, i, j) = sum;
  }
  arc_left_of_[place(j, i)] = score(arc_left, i, j);
  score(by_left, i, j) = by_left_of_[place(j, i)] =
      best_sum(&score(arc_right, i, i + 1), &by_left_of_[place(j, i + 1)], width);
  score(by_right, i, j) = by_right_of_[place(j, i)] =
      best_sum(&score(by_right, i, i), &arc_left_of_[place(j, i)], width);
}

template <class W>
void ProjectiveQueue<W>::join_root() {
  whole_score_ = impossible<W>();
  for (Node r = 1; r < nodes_; ++r) {
    const W below = score(by_right, 1, r) + score(by_left, r, nodes_ - 1);
    const W root_edge = best({edge, 0, r});
    if (!possible(score(by_right, 1, r)) || !possible(score(by_left, r, nodes_ - 1)) ||
        !possible(root_edge))
      continue;
    score(halves, 0, r) = below;
    score(arc_right, 0, r) = below + root_edge;
    whole_score_ = std::max(whole_score_, below + root_edge);
  }
}

// --- Derivations ---------------------------------------------------------------------------------

template <class W>
W ProjectiveQueue<W>::best(const Item& item) const {
  if (item.kind == nothing) return {};
  if (item.kind == whole) return whole_score_;
  const std::size_t p = place(item.i, item.j);
  if (item.kind != edge) return scores_[item.kind][p];
  return edges_begin_[p] == edges_begin_[p + 1] ? impossible<W>() : edges_[edges_begin_[p]].gain;
}

// The number must be known.
template <class W>
W ProjectiveQueue<W>::score(const Item& item, std::int32_t number) const {
  if (number == 0) return best(item);
  const std::size_t p = place(item.i, item.j);
  if (item.kind == edge) return edges_[edges_begin_[p] + place_of(number)].gain;
  const std::int32_t opened = item.kind == whole ? opened_whole_ : opened_of_[item.kind][p];
  return opened_[place_of(opened)].found[place_of(number)].score;
}

template <class W>
typename ProjectiveQueue<W>::Parts ProjectiveQueue<W>::parts(const Item& item,
                                                                 Node split) const {
  const auto [kind, i, j] = item;
  switch (kind) {
    case by_left:
      return {{arc_right, i, split}, {by_left, split, j}};
    case by_right:
      return {{by_right, i, split}, {arc_left, split, j}};
    case halves:
      // Below the root's only edge stand both sides of one word.
      if (single_ && i == 0) return {{by_right, 1, j}, {by_left, j, nodes_ - 1}};
      return {{by_left, i, split}, {by_right, split + 1, j}};
    case arc_right:
      return {{halves, i, j}, {edge, i, j}};
    case arc_left:
      return {{halves, i, j}, {edge, j, i}};
    default:
      return {{arc_right, 0, split}, {nothing, 0, 0}};
  }
}

template <class W>
std::int32_t& ProjectiveQueue<W>::opened_of(const Item& item) {
  return item.kind == whole ? opened_whole_ : opened_of_[item.kind][place(item.i, item.j)];
}

// The best derivation of every split joins the heap.
template <class W>
typename ProjectiveQueue<W>::Opened& ProjectiveQueue<W>::open(const Item& item) {
  std::int32_t& number = opened_of(item);
  if (number != kNotOpened) return opened_[place_of(number)];
  number = static_cast<std::int32_t>(opened_count_++);
  if (opened_.size() < opened_count_) opened_.emplace_back();
  Opened& opened = opened_[place_of(number)];
  opened.item = item;
  opened.found.clear();
  opened.open.clear();
  opened.pending = false;
  Node first = item.i, last = item.j - 1;
  if (item.kind == by_left || item.kind == whole) first = item.i + 1, last = item.j;
  if (item.kind == arc_right || item.kind == arc_left ||
      (single_ && item.i == 0 && item.kind == halves))
    last = first;
  for (Node split = first; split <= last; ++split) {
    const Parts both = parts(item, split);
    const W left = best(both.left), right = best(both.right);
    if (possible(left) && possible(right)) opened.open.push_back({left + right, split, 0, 0});
  }
  std::make_heap(opened.open.begin(), opened.open.end());
  return opened;
}

// Edges have their parallel ones, a node alone is what it is: all of it known at once.
template <class W>
bool ProjectiveQueue<W>::is_leaf(const Item& item) const {
  return item.kind == edge || item.kind == nothing || (item.kind != whole && item.i == item.j);
}

template <class W>
bool ProjectiveQueue<W>::knows(const Item& item, std::int32_t number) {
  if (number == 0) return true;
  if (!is_leaf(item)) return place_of(number) < open(item).found.size();
  if (item.kind != edge) return false;
  const std::size_t p = place(item.i, item.j);
  return edges_begin_[p] + place_of(number) < edges_begin_[p + 1];
}

template <class W>
bool ProjectiveQueue<W>::may_have_more(const Item& item) {
  if (is_leaf(item)) return false;
  const Opened& opened = open(item);
  return opened.pending || !opened.open.empty();
}

// What follows the last derivation found: the next one of either part. So every pair of numbers is
// reached in one way, and after a pair that is no worse. False where a part must be asked for its
// next derivation before.
template <class W>
bool ProjectiveQueue<W>::offer_followers(Opened& opened) {
  const Derivation last = opened.found.back();
  const Parts both = parts(opened.item, last.split);
  const bool knows_left = last.right == 0 && knows(both.left, last.left + 1);
  const bool knows_right = knows(both.right, last.right + 1);
  if (last.right == 0 && !knows_left && may_have_more(both.left)) {
    asked_.push_back(opened_of(both.left));
    return false;
  }
  if (!knows_right && may_have_more(both.right)) {
    asked_.push_back(opened_of(both.right));
    return false;
  }
  auto offer = [&](std::int32_t left, std::int32_t right) {
    opened.open.push_back(
        {score(both.left, left) + score(both.right, right), last.split, left, right});
    std::push_heap(opened.open.begin(), opened.open.end());
  };
  if (knows_left) offer(last.left + 1, 0);
  if (knows_right) offer(last.left, last.right + 1);
  opened.pending = false;
  return true;
}

// One more derivation of the item, if there is one: without recursion, for spans may be long.
template <class W>
void ProjectiveQueue<W>::advance(const Item& item) {
  open(item);
  asked_.assign(1, opened_of(item));
  while (!asked_.empty()) {
    Opened& opened = opened_[place_of(asked_.back())];
    if (opened.pending && !offer_followers(opened)) continue;
    asked_.pop_back();
    if (opened.open.empty()) continue;
    std::pop_heap(opened.open.begin(), opened.open.end());
    opened.found.push_back(opened.open.back());
    opened.open.pop_back();
    opened.pending = true;
  }
}

template <class W>
bool ProjectiveQueue<W>::next(const W& up_to) {
  poll();
  advance(top_);
  if (place_of(given_) >= open(top_).found.size()) return false;
  if (up_to != highest<W>() && up_to < best_gain_ - score(top_, given_)) return false;
  choose(given_++);
  return true;
}

// From the top down.
template <class W>
void ProjectiveQueue<W>::choose(std::int32_t number) {
  tree_.clear();
  chosen_.assign(1, {top_, number});
  while (!chosen_.empty()) {
    const Chosen one = chosen_.back();
    chosen_.pop_back();
    if (one.item.kind == edge) {
      const std::size_t p = place(one.item.i, one.item.j);
      tree_.push_back(edges_[edges_begin_[p] + place_of(one.number)].slot);
    }
    if (is_leaf(one.item)) continue;
    if (open(one.item).found.empty()) advance(one.item);
    const Derivation& derivation = open(one.item).found[place_of(one.number)];
    const Parts both = parts(one.item, derivation.split);
    chosen_.push_back({both.left, derivation.left});
    chosen_.push_back({both.right, derivation.right});
  }
}

template <class W>
void ProjectiveQueue<W>::list_edits(TreeEdits& trees) const {
  for (const Slot e : tree_) graph_->add_edit(graph_->arc(e), trees);
}

template class ProjectiveQueue<double>;
template class ProjectiveQueue<Wide128>;
template class ProjectiveQueue<WideAny>;

}  // namespace coppice::engine
