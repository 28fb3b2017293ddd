#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/kbest.hpp>
#include <coppice/max_marginals.hpp>
#include <optional>
#include <utility>

#include "engine/cyclic_paths.hpp"
#include "engine/greedy_paths.hpp"
#include "graph/constraints.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"

namespace coppice {
namespace {

std::size_t at(Node node) { return static_cast<std::size_t>(node); }

// Of every arc the best edge that is allowed, [dependent][head].
class BestEdges {
 public:
  BestEdges(Graph graph, const Which& which) : nodes_(graph.nodes()) {
    if (!which.rules.empty())
      throw Error(ErrorCode::bad_argument, "there are no max-marginals of trees that obey rules");
    constraints_.load(graph, which);
    minimize_ = which.objective == Objective::minimize;
    weights_.assign(at(nodes_) * at(nodes_), kNoWeight);
  }

  void add(Node head, Node dependent, EdgeId edge, double weight) {
    check_weight(head, dependent, weight);
    if (!usable(head, dependent, edge, weight)) return;
    largest_ = std::max(largest_, std::abs(weight));
    double& best = weights_[at(dependent) * at(nodes_) + at(head)];
    best = std::max(best, gain(weight));
  }
  bool usable(Node head, Node dependent, EdgeId edge, double weight) const {
    return head != dependent && dependent != 0 && weight != kNoWeight &&
           (constraints_.empty() || constraints_.allows(head, dependent, edge));
  }

  // [head][dependent], maximised.
  std::vector<double> find(RootRule root) {
    check_magnitude(largest_, nodes_);
    std::vector<double> result;
    engine::GreedyPaths greedy;
    if (greedy.find(weights_, nodes_, root, result)) {
      mend(root, greedy.scale(), result);
    } else {
      engine::CyclicPaths cyclic(weights_, nodes_, root == RootRule::single);
      result = cyclic.find();
      mend(root, cyclic.scale(), result);
    }
    return result;
  }
  // Whether a score that came of larger numbers has lost digits that it should have.
  static bool lost_digits(double score, double scale) {
    return score != kNoWeight && std::abs(score) < scale * 0x1p-10;
  }
  // The same by a solve of its own, without a loss to subtract; the arc has an edge of that gain.
  double solve(Node head, Node dependent, double edge_gain, RootRule root) {
    double& weight = weights_[at(dependent) * at(nodes_) + at(head)];
    const double kept = std::exchange(weight, edge_gain);
    const auto tree = coppice::best(DenseView::dependent_head(weights_.data(), nodes_),
                                    {.root = root, .required = {{head, dependent}}});
    weight = kept;
    return tree ? tree->score : kNoWeight;
  }
  double best(Node head, Node dependent) const {
    return weights_[at(dependent) * at(nodes_) + at(head)];
  }
  double gain(double weight) const { return minimize_ ? -weight : weight; }

 private:
  // Finite masks that a cycle is entered by cancel out of the scores of trees that avoid them, and
  // leave their rounding behind.
  void mend(RootRule root, double scale, std::vector<double>& result) {
    std::optional<Tree> best_tree;  // its arcs need no solves of their own
    for (Node head = 0; head < nodes_; ++head)
      for (Node dependent = 1; dependent < nodes_; ++dependent) {
        double& score = result[at(head) * at(nodes_) + at(dependent)];
        if (!lost_digits(score, scale)) continue;
        if (!best_tree)
          best_tree =
              coppice::best(DenseView::dependent_head(weights_.data(), nodes_), {.root = root});
        if (best_tree && best_tree->heads[at(dependent)] == head)
          score = best_tree->score;
        else
          score = solve(head, dependent, best(head, dependent), root);
      }
  }

  Node nodes_;
  Constraints constraints_;
  bool minimize_ = false;
  double largest_ = 0.0;
  std::vector<double> weights_;
};

std::vector<double> of_matrix(const DenseView& scores, BestEdges& edges, RootRule root) {
  for (Node dependent = 1; dependent < scores.nodes(); ++dependent) {
    poll();
    for (Node head = 0; head < scores.nodes(); ++head)
      if (head != dependent) edges.add(head, dependent, kNoEdge, scores.weight(head, dependent));
  }
  std::vector<double> result = edges.find(root);
  for (double& score : result) score = edges.gain(score);
  return result;
}

// An edge that is not the best of its arc costs the difference more.
std::vector<double> of_multigraph(const Multigraph& graph, BestEdges& edges, RootRule root) {
  for (EdgeId edge = 0; edge < graph.edges(); ++edge)
    edges.add(graph.source(edge), graph.target(edge), edge, graph.weight(edge));
  const std::vector<double> of_arcs = edges.find(root);
  std::vector<double> result(at(graph.edges()), edges.gain(kNoWeight));
  for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
    const Node head = graph.source(edge), dependent = graph.target(edge);
    const double weight = graph.weight(edge);
    if (!edges.usable(head, dependent, edge, weight)) continue;
    const double of_arc = of_arcs[at(head) * at(graph.nodes()) + at(dependent)];
    if (of_arc == kNoWeight) continue;
    const double best = edges.best(head, dependent), own = edges.gain(weight);
    double score = of_arc - best + own;
    if (own != best && BestEdges::lost_digits(score, std::max(std::abs(of_arc), std::abs(best))))
      score = edges.solve(head, dependent, own, root);
    result[at(edge)] = edges.gain(score);
  }
  return result;
}

}  // namespace

std::vector<double> max_marginals(Graph graph, const Which& which) {
  BestEdges edges(graph, which);
  return graph.dense() != nullptr ? of_matrix(*graph.dense(), edges, which.root)
                                  : of_multigraph(*graph.multigraph(), edges, which.root);
}

}  // namespace coppice
