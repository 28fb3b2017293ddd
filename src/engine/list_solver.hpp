// The best tree of a subproblem of a graph given as edge lists, and what it costs to swap each of
// its edges (docs/engine.md, section 5). This is what the queue solves again and again: the kernel,
// or a whole sparse graph.
//
// A subproblem is the graph with some edges required and some excluded. A solve is Tarjan's
// contraction in O(m log n) on n nodes and m edges, and much less where little is contracted: the
// edges into a node are sorted once for all, so that a component needs a heap of its nodes only,
// each with a cursor into its list.
//
// W is double, or std::int64_t for exact sums.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace coppice::engine {

template <class W>
class ListSolver {
 public:
  using Weight = W;
  using Edge = std::int32_t;  // index into the edges, after load()
  static constexpr std::int32_t kRoot = -1;
  static constexpr Edge kNone = -1;

  struct Input {
    std::int32_t head;       // a node 0 .. nodes-1, or kRoot
    std::int32_t node;       // a node
    std::int64_t candidate;  // the caller's
    W weight;
  };
  struct Swap {
    W cost;
    Edge edge;
  };

  // One edge per way to enter a node, in any order. With `single`, trees have exactly one edge from
  // kRoot.
  void load(std::int32_t nodes, const std::vector<Input>& edges, bool single);

  // --- the subproblem: all requirements first, then solve ---
  void clear();
  void require(Edge edge);
  void exclude(Edge edge);

  // False: there is no tree. Under the single-root rule, where no root edge is required, the root
  // is open: weights are pairs, (-1, w) for root edges (section 6).
  bool solve();

  // --- the solution ---
  W weight() const { return weight_; }
  std::int32_t nodes() const { return nodes_; }
  Edge tree(std::int32_t node) const { return tree_[at(node)]; }
  std::int32_t node(Edge edge) const { return edges_[at(edge)].node; }
  std::int64_t candidate(Edge edge) const { return edges_[at(edge)].candidate; }
  // The only root edge of a tree that was found with an open root, else kNone.
  Edge open_root_edge() const { return open_root_edge_; }

  // What swapping each edge of the tree costs at the level where it was picked, the cheapest
  // first: at most `most` of them, and none above `limit`. True if some were left out for being
  // too many. Edges that are required have none, nor has the open root edge; the alternatives are
  // no root edges under the single-root rule.
  bool swaps(W limit, std::size_t most, std::vector<Swap>& swaps);
  // The least that a tree with another root edge costs, after a solve with an open root.
  std::optional<W> root_swap() const;

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  enum State : std::uint8_t { untouched, on_path, done };
  using Component = std::int32_t;  // nodes come first

  struct Cell {  // of a node, in the heap of its component
    W taken;     // off the weights of its edges, by the picks below the component
    W owed;      // to be taken off all cells below as well
    std::int32_t left, right;
  };
  struct Entering {
    W key;
    Edge edge;
  };

  bool allowed(Edge e) const {
    return excluded_[at(e)] == 0 && !(single_ && edges_[at(e)].head == kRoot);
  }
  // The first edge from e on into its node that may be used and comes from outside c.
  Edge advance(Edge e, std::int32_t node, Component c);
  W key(std::int32_t cell) const {
    return edges_[at(cursor_[at(cell)])].weight - cell_[at(cell)].taken;
  }
  bool before(std::int32_t a, std::int32_t b) const;
  void settle(std::int32_t cell);
  std::int32_t meld(std::int32_t a, std::int32_t b);

  bool pick(Component c);
  bool pick_open_root(Component c);
  Component merge(Component first);
  Component top(Component c);
  void expand();

  void number_descendants();
  void number_components();
  bool is_below(std::int32_t u, std::int32_t v) const {
    return u != kRoot && place_[at(v)] <= place_[at(u)] && place_[at(u)] < end_[at(v)];
  }
  bool contains(Component c, std::int32_t v) const {
    return v != kRoot && first_[at(c)] <= first_[at(v)] && first_[at(v)] < last_[at(c)];
  }
  void swap_nodes(W limit, std::vector<Swap>& swaps) const;
  void swap_components(W limit, std::vector<Swap>& swaps);

  std::int32_t nodes_ = 0;
  bool single_ = false;
  std::vector<Input> edges_;  // by node, heaviest first
  std::vector<Edge> begin_;   // of a node

  // The subproblem.
  std::vector<Edge> required_;          // per node
  std::vector<std::uint8_t> excluded_;  // per edge
  std::vector<Edge> required_list_, excluded_list_;
  bool open_ = false;

  // Its solution, per component.
  std::vector<Edge> picked_;
  std::vector<W> y_;
  std::vector<Component> parent_, top_, level_;
  std::vector<Component> child_, sibling_component_;  // first member, next member
  std::vector<std::int32_t> heap_;
  std::vector<State> state_;
  std::vector<Component> path_;
  std::vector<std::pair<Component, W>> inside_;  // members, with what was picked around them
  std::vector<Edge> cursor_;                     // per node
  std::vector<Cell> cell_;                       // per node
  std::vector<Edge> tree_;                       // per node
  Edge open_root_edge_ = kNone;
  Component open_component_ = kNone;  // that it entered
  std::optional<W> second_root_;      // the next best root edge into that
  W weight_{};

  // Of swaps().
  std::vector<std::int32_t> first_child_, sibling_, place_, end_;
  std::vector<std::int32_t> first_, last_, from_;
  std::vector<W> above_;              // the sum of y from a component outwards
  std::vector<Component> next_open_;  // towards the nearest one around that has no swap yet
  std::vector<std::int32_t> entry_;   // of a component that picked an edge of the tree
  std::vector<Entering> entering_;
};

}  // namespace coppice::engine
