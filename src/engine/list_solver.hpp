// The best tree of a subproblem of a graph given as edge lists, and what it costs to swap each of
// its edges (docs/engine.md, section 5). This is what the queue solves again and again: the kernel,
// or a whole sparse graph.
//
// A subproblem is the graph with some edges required and some excluded. A solve is Tarjan's
// contraction in O(m log n) on n nodes and m edges, and much less where little is contracted: the
// edges into a node are sorted once for all, so that a component needs a heap of its nodes only,
// each with a cursor into its list. It begins with what the solve before it contracted, as far as
// that does not change: of best trees that tie, which one is found depends on what was solved
// before.
//
// W is double, or std::int64_t for exact sums. Node 0 is the root.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/indices.hpp"
#include "engine/root_children.hpp"
#include "engine/swap.hpp"
#include "graph/forest.hpp"
#include "graph/intervals.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

template <class W>
class ListSolver {
 public:
  using Weight = W;
  using Edge = Index<struct ListedEdgeKind>;  // after load()
  static constexpr Edge kNone = Edge(-1);

  struct Input {
    Node head;
    Node node;
    std::int32_t id;  // the caller's
    W weight;
  };
  struct Swap {
    W cost;
    Edge edge;
  };

  // One edge per way to enter a node, in any order. Takes the list, and leaves another in its
  // place. Under RootRule::single trees have exactly one edge from the root.
  void load(Node nodes, std::vector<Input>& edges, RootRule rule);

  // Takes over what is known of the whole graph, so that its first solve is none: the tree's edge
  // into every node, the components and their y, and which of them the edge into a node enters at
  // most.
  void adopt(const Indexed<Node, Edge>& tree, const Indexed<Component, Component>& parents,
             const Indexed<Component, W>& y, const Indexed<Node, Component>& entered);

  // --- the subproblem: all requirements first, then solve ---
  void clear();
  void require(Edge edge);
  void exclude(Edge edge);
  bool is_required(Node v) const { return required_[v] != kNone; }

  // False: there is no tree. Under the single-root rule, where no root edge is required, the root
  // is open: root edges pay a price at which there is one of them (section 6).
  bool solve();
  // The next solve begins with nothing: a subproblem that was solved so has the same tree again.
  void begin_anew() { may_keep_ = false; }

  // --- the solution ---
  W weight() const { return weight_; }
  Node nodes() const { return nodes_; }
  std::int64_t edges() const { return static_cast<std::int64_t>(edges_.size()); }
  Edge tree(Node v) const { return tree_[v]; }
  Node node(Edge edge) const { return edges_[edge].node; }
  // The edges into a node.
  Edge begin(Node v) const { return begin_[v]; }
  Edge end(Node v) const { return begin_[v + 1]; }
  std::int32_t id(Edge edge) const { return edges_[edge].id; }
  // The only root edge of a tree that was found with an open root, else kNone.
  Edge open_root_edge() const { return open_root_edge_; }

  // What swapping each edge of the tree costs at the level where it was picked, the cheapest
  // first: at most `most` of them, and none above `limit`. True if some may have been left out for
  // being too many. Edges that are required have none, nor has the open root edge; the alternatives
  // are no root edges under the single-root rule.
  bool swaps(W limit, std::size_t most, std::vector<Swap>& swaps);
  // What every tree with this edge costs at least (section 1).
  W reduced_cost(Edge edge);
  bool may_take(Edge edge) const { return excluded_[edge] == 0; }
  // What a tree with another root edge costs at least, after a solve with an open root; nothing
  // where there is none.
  std::optional<W> root_swap();

 private:
  struct Cell {  // of a node, in the heap of its component
    W weight;    // of the edge at its cursor
    W taken;     // off the weights of its edges, by the picks below the component
    W owed;      // to be taken off all cells below as well
    Node left, right;
  };
  using Cheapest = CheapestSwaps<W, Swap>;
  struct Entering {
    W key;
    Edge edge;
  };
  struct Picks;  // for RootChildren

  bool is_node(Component c) const { return c < Component(nodes_); }
  bool allowed(Edge e) const {
    return excluded_[e] == 0 && !(rule_ == RootRule::single && edges_[e].head == 0);
  }
  // May a component pick it, before there is a price?
  bool usable(Edge e) const {
    const Edge required = required_[edges_[e].node];
    return required == kNone ? allowed(e) || (open_ && excluded_[e] == 0) : e == required;
  }
  void begin_afresh();
  void begin_with_last();
  void check_picks_around(Node v);
  bool find_kept();
  void forget_price();
  void find_root_edges();
  void pass_root_edge(Component member, Entering& best) const;
  Edge advance(Edge e, Component c);
  W key(Node cell) const { return cell_[cell].weight - cell_[cell].taken; }
  bool before(Node a, Node b) const;
  void settle(Node cell);
  Node meld(Node a, Node b);

  bool pick(Component c);
  Entering best_other_edge(Component c);
  void take(Component c, const Entering& edge);
  Entering root_edge_into(Node v) const;
  bool leave_one_root_edge();
  Component merge(std::span<const Component> cycle);
  Node cell_of(Node v, Component component, W taken);
  Edge edge_behind(Node v, Component component);
  Node meld_all(Node first);
  Node heaps_of(Component c);
  Node drop_inside(Node heap, Component c);
  void expand();
  void take_edge(Node v, Edge edge, Component entered);
  void sum_up();
  W priced(Edge e) const { return edges_[e].weight - (edges_[e].head == 0 ? price_ : W{}); }

  void number_components();
  Component nearest_open(Component c);
  void swap_nodes(Cheapest& swaps) const;
  // May an edge from s into this component take the place of the one that it picked?
  bool fits(Node s, Component c) const {
    return !intervals_.contains(c, s) && !preorder_.is_below(s, entry_[c]);
  }
  bool find_cheapest_entering(W limit);
  void list_entering(W limit);
  std::size_t sort_entering(std::size_t begin);
  void swap_components(Cheapest& swaps);
  void swap_in_order(Cheapest& swaps);

  Node nodes_ = 0;
  RootRule rule_ = RootRule::any;
  Indexed<Edge, Input> edges_;  // by node, heaviest first
  Indexed<Node, Edge> begin_;   // of a node

  // The subproblem.
  Indexed<Node, Edge> required_;
  Indexed<Edge, std::uint8_t> excluded_;
  std::vector<Edge> required_list_, excluded_list_;
  bool open_ = false;

  // Its solution.
  Forest<Component> forest_;
  Indexed<Component, Edge> picked_;
  Indexed<Component, W> y_;
  Indexed<Component, Component> level_;  // where its edge was picked
  // The heaps of its members, as a list: they are melded when it becomes a member itself, which
  // most never do. kUnknown: nobody has asked yet.
  static constexpr Node kUnknown = -2;
  Indexed<Component, Node> heap_;
  Indexed<Node, Node> next_heap_;
  Indexed<Node, Edge> cursor_;
  Indexed<Node, Cell> cell_;
  std::vector<Node> heaps_;
  Indexed<Node, Edge> tree_;
  // Where the root is open: what is taken off all root edges, the best one into a component at no
  // price, and the one of the tree.
  W price_{};
  Indexed<Component, Entering> from_root_;
  RootChildren<W> root_children_;
  Edge open_root_edge_;
  W weight_{};
  bool adopted_ = false;  // the solution is that of the whole graph, and not yet asked for

  bool numbered_ = false;  // number_components() has been called

  // The subproblem before, whose components the next solve may begin with: those that were there
  // before there was a price. Others picked another edge then than the root's.
  bool may_keep_ = false, last_open_ = false;
  Component first_priced_;
  std::vector<Component> priced_;
  std::vector<Edge> last_required_, last_excluded_;
  std::int64_t checks_left_ = 0;
  Indexed<Component, Component> kept_;  // what becomes of a component, or kNoComponent
  struct Inside {
    Component component;
    W taken;
  };
  std::vector<Inside> inside_;  // of heaps_of()

  // Of swaps().
  Preorder preorder_;
  Intervals<Component> intervals_;
  Indexed<Component, W> above_;              // the sum of y from a component outwards
  Indexed<Component, Component> next_open_;  // towards the nearest one that has no swap yet
  Indexed<Component, Node> entry_;           // of a component that picked an edge of the tree
  static constexpr W kNoKey = std::numeric_limits<W>::max();
  Indexed<Component, W> cheapest_;  // key of an edge that may take the place of that edge
  std::vector<Entering> entering_;
};

}  // namespace coppice::engine
