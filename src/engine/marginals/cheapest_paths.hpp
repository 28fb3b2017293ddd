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
#include "graph/preorder.hpp"

namespace coppice::engine {

// Dijkstra's algorithm: states 0..size - 1, and what reaching each of them costs so far.
template <class W>
class OpenStates {
 public:
  void reset(std::size_t size);
  void reach(std::size_t state, const W& cost) {
    if (cost < costs_[state]) lower(state, cost);
  }
  // Takes the cheapest of those that were not taken yet. False: there is none.
  bool take(std::size_t& state);
  const W& cost(std::size_t state) const { return costs_[state]; }

 private:
  using Reached = std::pair<W, std::size_t>;
  static bool dearer(const Reached& a, const Reached& b) { return b.first < a.first; }
  static constexpr std::size_t kFew = 64;
  void lower(std::size_t state, const W& cost);

  std::vector<W> costs_;
  bool few_ = true;
  std::vector<std::size_t> open_;  // if they are few: those that wait
  std::vector<Reached> queue_;     // else a heap that has them each time that their cost fell
};

// Edges by one of their ends. Nodes stand in preorder of the best tree.
template <class W>
struct EdgeRows {
  using Place = Preorder::Place;

  std::vector<W> costs;
  std::vector<Place> others;  // the other ends, in order
  Indexed<Place, std::size_t> begin;

  // The same edges by their other ends.
  void turn(const EdgeRows& rows);
  std::size_t size(Place p) const { return begin[p.next()] - begin[p]; }
  W* row(Place p) { return costs.data() + begin[p]; }
  const W* row(Place p) const { return costs.data() + begin[p]; }
  const Place* others_of(Place p) const { return others.data() + begin[p]; }
  // How many of a row come before a place.
  std::size_t before(Place p, Place other) const {
    const Place* row = others_of(p);
    return static_cast<std::size_t>(std::lower_bound(row, row + size(p), other) - row);
  }
};

// W is double, holding whole numbers, or Wide.
template <class W>
class CheapestPaths {
 public:
  using Place = Preorder::Place;
  struct Edge {
    W gain;
    Node source;
    std::int32_t id;  // the caller's
  };

  // The best tree and its certificate, which must stay where they are.
  void start(const Indexed<Node, Node>& heads, const Indexed<Component, Component>& parents,
             const Indexed<Component, W>& y, const W& root_price);

  // All edges into a node; to be called for every one of words(), in this order.
  std::span<const Node> words() const { return preorder_.words(); }
  void add(Node v, std::vector<Edge>& entering);

  // For every edge that some tree has: calls report(target, id, how much more than the best tree
  // the best tree with it loses).
  template <class Report>
  void find(RootRule rule, Report report) {
    prepare(rule);
    for (Place p(1); p < root_edge_.end_index(); ++p) {
      find_losses(p);
      const Node v = preorder_.node(p);
      for (std::size_t i = 0; i < entering_.size(p); ++i)
        if (const W& loss = entering_.row(p)[i]; loss != far())
          report(v, ids_[entering_.begin[p] + i], loss);
    }
  }

 private:
  static W far() { return highest<W>(); }
  static W sum(const W& a, const W& b) {
    if constexpr (!std::numeric_limits<W>::has_infinity)
      if (a == far() || b == far()) return far();
    return a + b;
  }

  Place end(Place place) const { return preorder_.end(preorder_.node(place)); }
  W reduced_cost(Node head, Node dependent, const W& gain) const;
  void find_ways_in(Place place);
  void prepare(RootRule rule);
  void find_losses(Place place);
  void find_sets_around(Place place);
  void find_levels();
  // The cheapest edge into a node between top_ and end_ from a node that is not, nor is the root.
  W way_in(Place place) const;
  void search(Place dependent);
  W reach(std::size_t i) const;

  const Indexed<Component, Component>* parents_ = nullptr;
  const Indexed<Component, W>* y_ = nullptr;
  W root_price_{};
  Preorder preorder_;
  Intervals<Component> intervals_;
  Indexed<Component, Place> entry_;  // where the best tree enters a set

  EdgeRows<W> entering_, leaving_;
  std::vector<std::int32_t> ids_;  // of those in entering_
  Indexed<Place, W> root_edge_;    // the cheapest

  // Beside each edge from a node before its target: the cheapest edge from there or before it, but
  // not from the root. Beside each one from behind what hangs from its target: from there or
  // behind.
  std::vector<W> outside_;
  // What the cheapest path to the only child of the root costs; 0 if there may be others.
  Indexed<Place, W> to_root_child_;

  // For the dependent in hand.
  std::vector<Component> around_;   // the sets around it whose y is not 0, from the inside out
  std::vector<W> again_;            // what entering the first ones of them once more costs
  Place top_, end_;                 // all that can cost something to reach is in between
  std::vector<std::size_t> level_;  // of these: the first set that has them
  OpenStates<W> reached_;
};

}  // namespace coppice::engine
