// The trees of the kernel one by one, best first, with a worst case of O(n^2) per tree (docs/
// engine.md, section 5). The sweep is faster on most kernels; this one is never slow.
//
// The scheme is the paper's, two solves per tree made one: a queue of subproblems (edges that must
// be in, edges that must be out). When a subproblem comes to the front it is solved; its best tree
// is given; and for every edge e_i of that tree that can be replaced, "with e_1 .. e_{i-1}, without
// e_i" goes to the queue with the weight that the swap of e_i alone would leave. That is what the
// subproblem's best tree weighs, or more: if solving it shows less, it goes back.
//
// The kernel has a few edges per node, kept in lists. A contracted component has the list of all
// edges that enter it, so the best swap at its level is found by one scan.
//
// W is double, or std::int64_t for exact sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/kernel.hpp"

namespace coppice::engine {

template <class W>
class Queue {
 public:
  struct Edge {
    std::int32_t head;       // kernel node, or Kernel::kRoot
    std::int32_t node;       // kernel node
    std::int64_t candidate;  // or -1 for an edge of the best tree
    W weight;
  };

  // One edge per way to enter a node, any order. With `single`, trees have exactly one edge from
  // Kernel::kRoot. Trees that are worse than the best by more than `limit` may be left out; weights
  // that differ by no more than `slack` count as equal.
  void start(std::int32_t nodes, const std::vector<Edge>& edges, bool single, double limit,
             double slack);

  // The next best tree as candidates that replace edges of the best tree, appended to
  // `replacements`; false when all have been given.
  bool next(std::vector<std::uint32_t>& replacements);
  // How much worse than the best the last one was.
  double gap() const { return static_cast<double>(*best_weight_ - weight_); }

 private:
  using EdgeIndex = std::int32_t;
  static constexpr std::int32_t kNone = -1;

  struct Step {
    std::int32_t parent;
    EdgeIndex edge;
    bool include;
  };
  struct Entry {
    W weight;  // of its best tree, or more
    std::int32_t subproblem;
    std::uint64_t sequence;
    bool operator<(const Entry& other) const {
      return weight < other.weight || (!(other.weight < weight) && sequence > other.sequence);
    }
  };
  struct Swap {
    W cost;
    EdgeIndex edge;
  };
  struct Entering {
    EdgeIndex edge;
    W weight;  // at the level of the component
  };

  std::int32_t add_step(std::int32_t parent, EdgeIndex edge, bool include);
  void push(W weight, std::int32_t subproblem);
  void push_swaps(std::int32_t subproblem);

  void load(std::int32_t subproblem);
  bool allowed(const Edge& edge, EdgeIndex index) const;
  bool solve(std::int32_t subproblem);
  bool pick(std::int32_t component);
  std::int32_t merge(std::int32_t first);
  void thin_out(std::size_t begin);
  void expand();
  std::optional<W> best_swap(std::int32_t v) const;
  std::int32_t top(std::int32_t component);
  void number_descendants();
  bool is_below(std::int32_t u, std::int32_t v) const {
    return u != Kernel::kRoot && place_[at(v)] <= place_[at(u)] && place_[at(u)] < end_[at(v)];
  }

  std::int32_t nodes_ = 0;
  bool single_ = false;
  double limit_ = 0.0, slack_ = 0.0;
  std::optional<W> best_weight_;
  std::vector<Edge> edges_;       // by node, heaviest first
  std::vector<EdgeIndex> begin_;  // of a node
  std::vector<Entry> queue_;      // a heap
  std::vector<Step> steps_;
  std::vector<Swap> swaps_;
  std::uint64_t sequence_ = 0;

  // The subproblem under way.
  std::vector<EdgeIndex> required_;     // per node
  std::vector<std::uint8_t> excluded_;  // per edge
  std::vector<EdgeIndex> excluded_list_;
  EdgeIndex root_edge_ = kNone;  // single root: the only one allowed

  // Its solution, per component; nodes come first.
  std::vector<EdgeIndex> picked_;
  std::vector<W> y_;
  std::vector<std::int32_t> parent_, top_, level_;
  std::vector<std::uint8_t> state_;
  std::vector<std::int32_t> path_, cycle_;
  std::vector<Entering> lists_;  // of contracted components
  std::vector<std::size_t> list_begin_;
  std::vector<EdgeIndex> tree_;  // per node
  W weight_{};
  std::vector<Entering> heaviest_, second_;  // per head, for thin_out
  std::vector<std::int32_t> first_child_, sibling_, place_, end_, stack_;
};

}  // namespace coppice::engine
