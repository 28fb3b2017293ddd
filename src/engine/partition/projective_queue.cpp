#include "engine/partition/projective_queue.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

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
  fill_charts();
  opened_count_ = 0;
  for (auto& opened : opened_of_) opened.assign(place_of(nodes_) * place_of(nodes_), kNotOpened);
  top_ = {below, 0, nodes_ - 1};
  given_ = 0;
}

// By counting, for a dense graph has one edge in every place. In the lists the best come first.
template <class W>
void ProjectiveQueue<W>::list_edges() {
  const Sparse<W>& lists = *graph_->lists;
  edges_begin_.assign(place_of(nodes_) * place_of(nodes_) + 2, 0);
  auto for_each_edge = [&](auto visit) {
    for (Node v = 1; v < nodes_; ++v)
      for (Slot e = lists.begin(v); e < lists.end(v); ++e) visit(place(lists.edge(e).source, v), e);
  };
  // Of every place the begin stands one behind, until filling moves it to the end, which is the
  // begin of the next place.
  for_each_edge([&](std::size_t p, Slot) { ++edges_begin_[p + 2]; });
  std::partial_sum(edges_begin_.begin(), edges_begin_.end(), edges_begin_.begin());
  edges_.resize(edges_begin_.back());
  for_each_edge([&](std::size_t p, Slot e) {
    edges_[edges_begin_[p + 1]++] = {lists.edge(e).gain, e};
  });
}

template <class W>
void ProjectiveQueue<W>::fill_charts() {
  for (auto* chart : {&best_[below], &best_[halves], &best_[arc], &below_to_})
    chart->assign(place_of(nodes_) * place_of(nodes_), impossible<W>());
  for (Node i = 0; i < nodes_; ++i) best(below, i, i) = below_to_[place(i, i)] = {};
  for (Node width = 1; width < nodes_; ++width) {
    poll();
    for (Node i = 0; i + width < nodes_; ++i) join(i, i + width);
  }
}

template <class W>
void ProjectiveQueue<W>::join(Node i, Node j) {
  const Node width = j - i;
  // Nothing else hangs from the root beside its only edge.
  const W between =
      best_sum(&best(below, i, i), &best(below, j, i + 1), single_ && i == 0 ? 1 : width);
  best(halves, i, j) = between;
  for (const auto& [from, to] : {std::pair(i, j), std::pair(j, i)}) {
    const W edge_score = best({edge, from, to});
    if (possible(between) && possible(edge_score)) best(arc, from, to) = between + edge_score;
    const Node first = from < to ? i + 1 : i;
    best(below, from, to) = below_to_[place(to, from)] =
        best_sum(&best(arc, from, first), &below_to_[place(to, first)], width);
  }
}

// --- Derivations ---------------------------------------------------------------------------------

template <class W>
W ProjectiveQueue<W>::best(const Item& item) const {
  const std::size_t p = place(item);
  if (item.kind != edge) return best_[item.kind][p];
  return edges_begin_[p] == edges_begin_[p + 1] ? impossible<W>() : edges_[edges_begin_[p]].gain;
}

// The number must be known.
template <class W>
W ProjectiveQueue<W>::score(const Item& item, std::int32_t number) const {
  if (number == 0) return best(item);
  const std::size_t p = place(item);
  if (item.kind == edge) return edges_[edges_begin_[p] + place_of(number)].gain;
  return opened_[place_of(opened_of_[item.kind][p])].found[place_of(number)].score;
}

template <class W>
typename ProjectiveQueue<W>::Parts ProjectiveQueue<W>::parts(const Item& item, Node split) const {
  const auto [kind, from, to] = item;
  if (kind == below) return {{arc, from, split}, {below, split, to}};
  if (kind == halves) return {{below, from, split}, {below, to, split + 1}};
  return {{halves, std::min(from, to), std::max(from, to)}, {edge, from, to}};
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
  const auto [kind, from, to] = item;
  const bool only_one = kind == arc || (kind == halves && single_ && from == 0);
  Node split = kind == below && from < to ? from + 1 : std::min(from, to);
  for (Node left = only_one ? 1 : std::abs(to - from); left > 0; --left, ++split) {
    const Parts both = parts(item, split);
    const W left_best = best(both.left), right_best = best(both.right);
    if (possible(left_best) && possible(right_best))
      opened.open.push_back({left_best + right_best, split, 0, 0});
  }
  std::make_heap(opened.open.begin(), opened.open.end());
  return opened;
}

template <class W>
bool ProjectiveQueue<W>::knows(const Item& item, std::int32_t number) {
  if (number == 0) return true;
  if (!is_leaf(item)) return place_of(number) < open(item).found.size();
  if (item.kind != edge) return false;
  const std::size_t p = place(item);
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
      const std::uint32_t begin = edges_begin_[place(one.item)];
      tree_.push_back(edges_[begin + place_of(one.number)].slot);
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
