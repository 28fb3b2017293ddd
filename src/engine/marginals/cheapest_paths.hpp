// How much more than the best tree does the best tree with a given edge lose? As much as the
// cheapest path from the root that ends with this edge costs: docs/internals/proofs.md, section 10.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "engine/numbers/wide.hpp"
#include "engine/solve/indices.hpp"
#include "graph/intervals.hpp"
#include "graph/poll.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

// Dijkstra's algorithm: states 0..size - 1, and what reaching each of them costs so far.
template <class W>
class OpenStates {
 public:
  void reset(std::size_t size) {
    costs_.assign(size, highest<W>());
    few_ = size <= kFew;
    open_.clear();
    queue_.clear();
  }
  void reach(std::size_t state, const W& cost) {
    if (!(cost < costs_[state])) return;
    if (few_) {
      if (costs_[state] == highest<W>()) open_.push_back(state);
    } else {
      queue_.emplace_back(cost, state);
      std::push_heap(queue_.begin(), queue_.end(), dearer);
    }
    costs_[state] = cost;
  }
  // Takes the cheapest of those that were not taken yet. False: there is none.
  bool take(std::size_t& state) {
    poll();
    if (few_) {
      if (open_.empty()) return false;
      std::size_t* nearest = open_.data();
      W least = costs_[*nearest];
      for (std::size_t& other : open_)
        if (costs_[other] < least) least = costs_[other], nearest = &other;
      state = std::exchange(*nearest, open_.back());
      open_.pop_back();
      return true;
    }
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), dearer);
      const Reached cheapest = queue_.back();
      queue_.pop_back();
      state = cheapest.second;
      if (cheapest.first == costs_[state]) return true;  // otherwise it was taken before
    }
    return false;
  }
  const W& cost(std::size_t state) const { return costs_[state]; }

 private:
  using Reached = std::pair<W, std::size_t>;
  static bool dearer(const Reached& a, const Reached& b) { return b.first < a.first; }
  static constexpr std::size_t kFew = 64;

  std::vector<W> costs_;
  bool few_ = true;
  std::vector<std::size_t> open_;  // if they are few: those that wait
  std::vector<Reached> queue_;     // else a heap that has them each time that their cost fell
};

// Edges by one of their ends, in the order of the other one. Nodes stand in preorder of the best
// tree.
template <class W>
class EdgeRows {
 public:
  using Place = Preorder::Place;
  struct Edge {
    W cost;
    Place other;
    std::int32_t id;
  };

  // Rows are added from the first place on.
  void clear() {
    edges_.clear();
    begin_.assign(1, 0);
  }
  void add(const Edge& edge) { edges_.push_back(edge); }
  void end_row() {
    const auto first = edges_.begin() + static_cast<std::ptrdiff_t>(begin_.back());
    const auto before = [](const Edge& a, const Edge& b) { return a.other < b.other; };
    if (!std::is_sorted(first, edges_.end(), before)) std::sort(first, edges_.end(), before);
    begin_.push_back(edges_.size());
  }
  // The same edges by their other ends.
  void turn(const EdgeRows& rows) {
    edges_.resize(rows.edges_.size());
    begin_.assign(rows.begin_.size() + 1, 0);
    for (const Edge& edge : rows.edges_) ++begin_[edge.other.next().next()];
    for (Place p(1); p < begin_.end_index(); ++p) begin_[p] += begin_[Place(p.value() - 1)];
    for (Place p(0); p.next() < rows.begin_.end_index(); ++p) {
      poll_at(p.value());
      for (const Edge& edge : rows.row(p))
        edges_[begin_[edge.other.next()]++] = {edge.cost, p, edge.id};
    }
  }

  std::size_t begin(Place p) const { return begin_[p]; }
  std::span<const Edge> row(Place p) const {
    return std::span(edges_).subspan(begin_[p], begin_[p.next()] - begin_[p]);
  }
  // How many of a row come before a place.
  std::size_t before(Place p, Place other) const {
    const std::span<const Edge> edges = row(p);
    return static_cast<std::size_t>(
        std::ranges::lower_bound(edges.begin(), edges.end(), other, {}, &Edge::other) -
        edges.begin());
  }
  // Those of a row whose other ends are from `first` on and before `last`.
  std::span<const Edge> row(Place p, Place first, Place last) const {
    const std::size_t skipped = before(p, first);
    return row(p).subspan(skipped, before(p, last) - skipped);
  }

 private:
  std::vector<Edge> edges_;
  Indexed<Place, std::size_t> begin_;
};

// W is double, holding whole numbers, or Wide.
template <class W>
class CheapestPaths {
 public:
  // The best tree and its certificate, which must stay where they are.
  void start(const Indexed<Node, Node>& heads, const Indexed<Component, Component>& parents,
             const Indexed<Component, W>& y, const W& root_price) {
    parents_ = &parents;
    y_ = &y;
    root_price_ = root_price;
    const auto nodes = static_cast<Node>(heads.size());
    preorder_.build(nodes, [&](Node v) { return heads[v]; });
    entering_.clear();
    entering_.end_row();  // nothing enters the root
    outside_.clear();
    root_edge_.assign(heads.size(), far());
    if (parents.size() == heads.size()) return;
    intervals_.build(nodes, parents);
    entry_.assign(parents.size(), Place(nodes));
    for (Component c(1); c < parents.end_index(); ++c) {
      if (c < Component(nodes)) entry_[c] = preorder_.place(c.value());
      if (parents[c] != kNoComponent) entry_[parents[c]] = std::min(entry_[parents[c]], entry_[c]);
    }
  }

  // For every one of words(), in this order: all edges into it, with ids of the caller; then
  // end_word().
  std::span<const Node> words() const { return preorder_.words(); }
  void add(Node source, Node word, const W& gain, std::int32_t id) {
    entering_.add({reduced_cost(source, word, gain), preorder_.place(source), id});
  }
  void end_word(Node word) {
    entering_.end_row();
    find_ways_in(preorder_.place(word));
  }

  // For every edge that some tree has: calls report(target, id, how much more than the best tree
  // the best tree with it loses).
  template <class Report>
  void find(RootRule rule, Report report) {
    leaving_.turn(entering_);
    find_ways_to_root_child(rule);
    for (const Node v : words()) {
      poll();
      const Place dependent = preorder_.place(v);
      find_sets_around(dependent);
      if (top_.next() != end_ && !entering_.row(dependent, top_, end_).empty()) search(dependent);
      for (const auto& [cost, source, id] : entering_.row(dependent))
        if (const W loss = sum(cost, way_to(source, dependent)); loss != far()) report(v, id, loss);
    }
  }

 private:
  using Place = Preorder::Place;

  static W far() { return highest<W>(); }
  static W sum(const W& a, const W& b) {
    if constexpr (!std::numeric_limits<W>::has_infinity)
      if (a == far() || b == far()) return far();
    return a + b;
  }

  // The y of all sets that the edge enters, less its gain.
  W reduced_cost(Node head, Node dependent, const W& gain) const {
    W sum = (*y_)[Component(dependent)];
    for (Component set = (*parents_)[Component(dependent)];
         set != kNoComponent && !intervals_.contains(set, head); set = (*parents_)[set])
      sum += (*y_)[set];
    return sum - (head == 0 ? gain - root_price_ : gain);
  }

  void find_ways_in(Place place) {
    const auto edges = entering_.row(place);
    outside_.resize(entering_.begin(place) + edges.size(), far());
    W* outside = outside_.data() + entering_.begin(place);
    std::size_t i = 0;
    for (; i < edges.size() && edges[i].other == Place(0); ++i)
      root_edge_[place] = std::min(root_edge_[place], edges[i].cost);
    for (W least = far(); i < edges.size() && edges[i].other < place; ++i)
      outside[i] = least = std::min(least, edges[i].cost);
    const Place end = preorder_.end(preorder_.node(place));
    W least = far();
    for (i = edges.size(); i > 0 && edges[i - 1].other >= end; --i)
      outside[i - 1] = least = std::min(least, edges[i - 1].cost);
  }

  // The cheapest edge into a node between top_ and end_ from a node that is not, nor is the root.
  W way_in(Place place) const {
    const std::size_t before = entering_.before(place, top_), up_to = entering_.before(place, end_);
    const W* outside = outside_.data() + entering_.begin(place);
    return std::min(before > 0 ? outside[before - 1] : far(),
                    up_to < entering_.row(place).size() ? outside[up_to] : far());
  }

  void find_ways_to_root_child(RootRule rule) {
    to_root_child_.assign(preorder_.size(), rule == RootRule::single ? far() : W{});
    if (rule == RootRule::any) return;
    reached_.reset(preorder_.size());
    reached_.reach(1, W{});
    for (std::size_t to; reached_.take(to);) {
      const Place target(static_cast<std::int32_t>(to));
      to_root_child_[target] = reached_.cost(to);
      for (const auto& [cost, source, id] : entering_.row(target))
        if (source != Place(0)) reached_.reach(place_of(source), sum(to_root_child_[target], cost));
    }
  }

  // No path comes back to a set of all words, nor pays for one that costs nothing.
  void find_sets_around(Place place) {
    around_.clear();
    again_.assign(1, W{});
    for (Component set = (*parents_)[Component(preorder_.node(place))]; set != kNoComponent;
         set = (*parents_)[set]) {
      if ((*y_)[set] == W{} || intervals_.end(set) - intervals_.begin(set) + 1 == preorder_.size())
        continue;
      around_.push_back(set);
      again_.push_back(again_.back() - (*y_)[set]);
    }
    top_ = around_.empty() ? place : entry_[around_.back()];
    end_ = preorder_.end(preorder_.node(top_));
  }

  std::size_t place_below_top(Place place) const { return place_of(place) - place_of(top_); }

  // From what is not below top_, which costs nothing to reach, or from the root, by any path that
  // avoids the dependent. A path pays for a set around it as it leaves the set, which it will have
  // to enter again.
  void search(Place dependent) {
    find_levels();
    reached_.reset(level_.size());
    for (Place p = top_; p < end_; ++p)
      if (p != dependent)
        reached_.reach(place_below_top(p),
                       std::min(way_in(p), sum(root_edge_[p], to_root_child_[dependent])));
    std::size_t left = entering_.row(dependent, top_, end_).size();  // from where is not known yet
    for (std::size_t from; left > 0 && reached_.take(from);) {
      const W reached = reached_.cost(from);
      const Place source(top_.value() + static_cast<std::int32_t>(from));
      for (const auto& [cost, target, id] : leaving_.row(source, top_, end_)) {
        if (target == dependent) {
          --left;
          continue;
        }
        const std::size_t to = place_below_top(target);
        W through = reached + cost;
        if (level_[from] < level_[to]) through += again_[level_[to]] - again_[level_[from]];
        reached_.reach(to, through);
      }
    }
  }

  void find_levels() {
    level_.assign(place_below_top(end_), around_.size());
    const auto set = [&](std::size_t from, std::size_t to, std::size_t level) {
      for (; from < to; ++from)
        level_[place_below_top(preorder_.place(intervals_.nodes()[from]))] = level;
    };
    std::size_t begin = 0, end = 0;  // of the set inside
    for (std::size_t i = 0; i < around_.size(); ++i) {
      const std::size_t first = intervals_.begin(around_[i]), last = intervals_.end(around_[i]);
      set(first, i == 0 ? last : begin, i);
      set(i == 0 ? last : end, last, i);
      begin = first, end = last;
    }
  }

  // What the path to a node costs, and entering the dependent from there.
  W way_to(Place source, Place dependent) const {
    if (source == Place(0)) return to_root_child_[dependent];
    if (source < top_ || source >= end_) return W{};
    return reached_.cost(place_below_top(source));
  }

  const Indexed<Component, Component>* parents_ = nullptr;
  const Indexed<Component, W>* y_ = nullptr;
  W root_price_{};
  Preorder preorder_;
  Intervals<Component> intervals_;
  Indexed<Component, Place> entry_;  // where the best tree enters a set

  EdgeRows<W> entering_, leaving_;
  Indexed<Place, W> root_edge_;  // the cheapest
  // Beside each edge from a node before its target: the cheapest edge from there or before it, but
  // not from the root. Beside each one from behind what hangs from its target: from there or
  // behind.
  std::vector<W> outside_;
  // What the cheapest path to the only child of the root costs; 0 if there may be others.
  Indexed<Place, W> to_root_child_;

  // For the dependent in hand.
  std::vector<Component> around_;   // the sets around it whose y is not 0, from the inside out
  std::vector<W> again_;            // what leaving the first ones of them costs
  Place top_, end_;                 // all that can cost something to reach is in between
  std::vector<std::size_t> level_;  // of these: how many of the sets around it do not have them
  OpenStates<W> reached_;
};

}  // namespace coppice::engine
