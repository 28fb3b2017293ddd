#include "support/projective.hpp"

#include <algorithm>
#include <coppice/verify.hpp>
#include <map>

namespace coppice::testing {
namespace {

struct Edge {
  Node head, dependent;
  EdgeId id;
};
struct Part {
  double score = 0.0;
  std::vector<Edge> edges;
};
using Parts = std::vector<Part>;  // best first

class Spans {
 public:
  Spans(Graph graph, const Problem& problem, std::size_t k) : nodes_(graph.nodes()), k_(k) {
    const double sign = problem.objective == Objective::minimize ? -1.0 : 1.0;
    auto add = [&](Node head, Node dependent, EdgeId id, double weight) {
      if (weight != kNoWeight && head != dependent && dependent != 0)
        edges_[{head, dependent}].push_back({sign * weight, {{head, dependent, id}}});
    };
    if (const DenseView* view = graph.dense()) {
      for (Node h = 0; h < nodes_; ++h)
        for (Node d = 1; d < nodes_; ++d)
          if (h != d) add(h, d, kNoEdge, view->weight(h, d));
    } else {
      const Multigraph& edges = *graph.multigraph();
      for (EdgeId e = 0; e < edges.edges(); ++e)
        add(edges.source(e), edges.target(e), e, edges.weight(e));
    }
    const Node from = problem.root == RootRule::single ? 1 : 0;
    for (Node i = 0; i < nodes_; ++i) by_left_[{i, i}] = by_right_[{i, i}] = {{}};
    for (Node width = 1; width < nodes_; ++width)
      for (Node i = from; i + width < nodes_; ++i) join(i, i + width);
    if (from == 0) {
      all_ = by_left_[{0, nodes_ - 1}];
      return;
    }
    for (Node r = 1; r < nodes_; ++r)
      add_to(all_, product(product(by_right_[{1, r}], by_left_[{r, nodes_ - 1}]), edges_[{0, r}]));
  }
  const Parts& all() const { return all_; }

 private:
  using Table = std::map<std::pair<Node, Node>, Parts>;

  void join(Node i, Node j) {
    Parts halves;
    for (Node m = i; m < j; ++m) add_to(halves, product(by_left_[{i, m}], by_right_[{m + 1, j}]));
    arc_right_[{i, j}] = product(halves, edges_[{i, j}]);
    arc_left_[{i, j}] = product(halves, edges_[{j, i}]);
    for (Node m = i + 1; m <= j; ++m)
      add_to(by_left_[{i, j}], product(arc_right_[{i, m}], by_left_[{m, j}]));
    for (Node m = i; m < j; ++m)
      add_to(by_right_[{i, j}], product(by_right_[{i, m}], arc_left_[{m, j}]));
  }
  void add_to(Parts& to, const Parts& more) const {
    to.insert(to.end(), more.begin(), more.end());
    std::stable_sort(to.begin(), to.end(),
                     [](const Part& a, const Part& b) { return a.score > b.score; });
    if (to.size() > k_) to.resize(k_);
  }
  Parts product(const Parts& left, const Parts& right) const {
    Parts all;
    for (const Part& a : left) {
      for (const Part& b : right) {
        all.push_back({a.score + b.score, a.edges});
        all.back().edges.insert(all.back().edges.end(), b.edges.begin(), b.edges.end());
      }
    }
    Parts best;
    add_to(best, all);
    return best;
  }

  Node nodes_;
  std::size_t k_;
  Table edges_, by_left_, by_right_, arc_right_, arc_left_;
  Parts all_;
};

}  // namespace

std::vector<Tree> projective_kbest(Graph graph, const Problem& problem, std::size_t k) {
  const Spans spans(graph, problem, k);
  std::vector<Tree> trees;
  for (const Part& part : spans.all()) {
    Tree& tree = trees.emplace_back();
    tree.heads.assign(static_cast<std::size_t>(graph.nodes()), kNoNode);
    if (graph.multigraph() != nullptr) tree.edges.assign(tree.heads.size(), kNoEdge);
    for (const Edge& edge : part.edges) {
      tree.heads[static_cast<std::size_t>(edge.dependent)] = edge.head;
      if (!tree.edges.empty()) tree.edges[static_cast<std::size_t>(edge.dependent)] = edge.id;
    }
    tree.score = score(graph, tree.heads, tree.edges);
  }
  return trees;
}

}  // namespace coppice::testing
