#include "graph/best_projective.hpp"

#include <limits>
#include <vector>

#include "graph/allowed_edges.hpp"
#include "graph/indexed.hpp"
#include "graph/poll.hpp"

namespace coppice {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// A number and a split for every span i..j.
class Chart {
 public:
  explicit Chart(Node nodes)
      : nodes_(place_of(nodes)), score_(nodes_ * nodes_, kNone), split_(nodes_ * nodes_, kNoNode) {}

  double score(Node i, Node j) const { return score_[at(i, j)]; }
  Node split(Node i, Node j) const { return split_[at(i, j)]; }
  void offer(Node i, Node j, double score, Node split) {
    if (!(score > score_[at(i, j)])) return;
    score_[at(i, j)] = score;
    split_[at(i, j)] = split;
  }

 private:
  std::size_t at(Node i, Node j) const { return place_of(i) * nodes_ + place_of(j); }

  std::size_t nodes_;
  std::vector<double> score_;
  std::vector<Node> split_;
};

class Spans {
 public:
  Spans(Graph graph, const Problem& problem)
      : nodes_(graph.nodes()),
        single_(problem.root == RootRule::single),
        arcs_(nodes_),
        by_left_(nodes_),
        by_right_(nodes_),
        arc_right_(nodes_),
        arc_left_(nodes_) {
    const double sign = problem.objective == Objective::minimize ? -1.0 : 1.0;
    for_each_allowed_edge(graph, problem,
                          [&](Node head, Node dependent, EdgeId edge, double weight) {
                            arcs_.offer(head, dependent, sign * weight, edge);
                          });
  }

  // False where there is no tree.
  bool solve() {
    // With a single root edge the root joins the whole at the end.
    const Node from = single_ ? 1 : 0;
    for (Node i = 0; i < nodes_; ++i) {
      by_left_.offer(i, i, 0.0, i);
      by_right_.offer(i, i, 0.0, i);
    }
    for (Node width = 1; width < nodes_ - from; ++width) {
      poll();
      for (Node i = from; i + width < nodes_; ++i) join(i, i + width);
    }
    if (!single_) return by_left_.score(0, nodes_ - 1) > kNone;
    double best = kNone;
    for (Node r = 1; r < nodes_; ++r) {
      const double score =
          arcs_.score(0, r) + by_right_.score(1, r) + by_left_.score(r, nodes_ - 1);
      if (!(score > best)) continue;
      best = score;
      root_child_ = r;
    }
    return best > kNone;
  }

  // The tree that solve() found, top down without recursion.
  void read(Graph graph, Tree& tree) {
    tree.heads.assign(place_of(nodes_), kNoNode);
    if (graph.multigraph() != nullptr) tree.edges.assign(place_of(nodes_), kNoEdge);
    if (single_) {
      take(0, root_child_, tree);
      open_ = {{by_right, 1, root_child_}, {by_left, root_child_, nodes_ - 1}};
    } else {
      open_ = {{by_left, 0, nodes_ - 1}};
    }
    while (!open_.empty()) {
      const auto [kind, i, j] = open_.back();
      open_.pop_back();
      if (i == j) continue;
      if (kind == by_left) {
        const Node m = by_left_.split(i, j);
        take(i, m, tree);
        open_halves(i, m, arc_right_.split(i, m));
        open_.push_back({by_left, m, j});
      } else {
        const Node m = by_right_.split(i, j);
        take(j, m, tree);
        open_halves(m, j, arc_left_.split(m, j));
        open_.push_back({by_right, i, m});
      }
    }
  }

 private:
  enum Kind : std::uint8_t { by_left, by_right };
  struct Open {
    Kind kind;
    Node i, j;
  };

  void join(Node i, Node j) {
    for (Node m = i; m < j; ++m) {
      const double halves = by_left_.score(i, m) + by_right_.score(m + 1, j);
      arc_right_.offer(i, j, halves + arcs_.score(i, j), m);
      arc_left_.offer(i, j, halves + arcs_.score(j, i), m);
    }
    for (Node m = i + 1; m <= j; ++m)
      by_left_.offer(i, j, arc_right_.score(i, m) + by_left_.score(m, j), m);
    for (Node m = i; m < j; ++m)
      by_right_.offer(i, j, by_right_.score(i, m) + arc_left_.score(m, j), m);
  }

  void take(Node head, Node dependent, Tree& tree) const {
    tree.heads[place_of(dependent)] = head;
    if (!tree.edges.empty()) tree.edges[place_of(dependent)] = arcs_.split(head, dependent);
  }

  void open_halves(Node i, Node j, Node split) {
    open_.push_back({by_left, i, split});
    open_.push_back({by_right, split + 1, j});
  }

  Node nodes_;
  bool single_;
  Chart arcs_;  // the best edge of an arc in place of a split
  Chart by_left_, by_right_, arc_right_, arc_left_;
  Node root_child_ = kNoNode;
  std::vector<Open> open_;
};

}  // namespace

std::optional<Tree> best_projective(Graph graph, const Problem& problem) {
  Spans spans(graph, problem);
  if (!spans.solve()) return std::nullopt;
  Tree tree;
  spans.read(graph, tree);
  return tree;
}

}  // namespace coppice
