// Probabilities among the trees that are meant.
#include <algorithm>
#include <cmath>
#include <coppice/distribution.hpp>
#include <stdexcept>

#include "graph/constraints.hpp"

namespace coppice {
namespace {

// Heads in rows. Parallel edges add up: log of the sum of exp(weight).
class Potentials {
 public:
  Potentials(Graph graph, const Which& which)
      : nodes_(static_cast<std::size_t>(graph.nodes())), values_(nodes_ * nodes_, kNoWeight) {
    Constraints constraints;
    constraints.load(graph, which);
    if (const DenseView* view = graph.dense())
      take(*view, constraints);
    else
      take(*graph.multigraph(), constraints);
  }

  DenseView view() const {
    return DenseView::head_dependent(values_.data(), static_cast<Node>(nodes_));
  }
  double& at(Node head, Node dependent) {
    return values_[static_cast<std::size_t>(head) * nodes_ + static_cast<std::size_t>(dependent)];
  }

 private:
  void take(const DenseView& view, const Constraints& constraints) {
    for (Node head = 0; head < view.nodes(); ++head)
      for (Node dependent = 1; dependent < view.nodes(); ++dependent)
        if (head != dependent && constraints.allows(head, dependent, kNoEdge))
          at(head, dependent) = view.weight(head, dependent);
  }

  void take(const Multigraph& graph, const Constraints& constraints) {
    for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
      Node head = graph.source(edge), dependent = graph.target(edge);
      double weight = graph.weight(edge);
      if (head == dependent || dependent == 0 || weight == kNoWeight ||
          !constraints.allows(head, dependent, edge))
        continue;
      double& sum = at(head, dependent);
      double most = std::max(sum, weight), least = std::min(sum, weight);
      sum = most + std::log1p(std::exp(least - most));
    }
  }

  std::size_t nodes_;
  std::vector<double> values_;
};

}  // namespace

std::vector<double> log_probs(Graph graph, const Which& which, const TreeList& trees) {
  if (which.objective == Objective::minimize)
    throw std::invalid_argument("costs to be minimised are no log-potentials");
  Potentials potentials(graph, which);
  const TreeDistribution distribution(potentials.view(), which.root);
  std::vector<double> result = distribution.log_probs(trees);
  const Multigraph* multigraph = graph.multigraph();
  if (multigraph == nullptr) return result;
  // Of the edges that a head and a dependent share, the tree has one.
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    for (Node v = 1; v < trees.nodes(); ++v) {
      auto word = static_cast<std::size_t>(v);
      result[rank] +=
          multigraph->weight(trees.edges(rank)[word]) - potentials.at(trees.heads(rank)[word], v);
    }
  return result;
}

}  // namespace coppice
