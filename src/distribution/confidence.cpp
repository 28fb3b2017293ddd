#include <algorithm>
#include <cmath>
#include <coppice/confidence.hpp>
#include <coppice/distribution.hpp>

namespace coppice {
namespace {

class Judge {
 public:
  Judge(Graph graph, const Problem& problem)
      : graph_(graph),
        distribution_(graph, problem),
        edge_marginals_(distribution_.edge_marginals()) {}

  void add(const TreeRef& tree, ListProbabilities& result) const {
    const std::size_t first = result.all.size();
    result.all.resize(first + tree.heads.size() - 1);
    const std::span<ArcProbabilities> arcs = std::span(result.all).subspan(first);
    for (std::size_t v = 1; v < tree.heads.size(); ++v) arcs[v - 1] = heads_of(v, tree.heads[v]);
    if (!edge_marginals_.empty()) set_labels(tree, arcs);
  }

  std::vector<double> probabilities(const TreeList& trees) const {
    std::vector<double> result = distribution_.log_probs(trees);
    for (double& value : result) value = std::exp(value);
    return result;
  }

 private:
  ArcProbabilities heads_of(std::size_t word, Node head) const {
    const auto nodes = static_cast<std::size_t>(graph_.nodes());
    const std::span<const double> marginals = distribution_.marginals();
    ArcProbabilities arc;
    for (std::size_t h = 0; h < nodes; ++h) {
      const double probability = marginals[h * nodes + word];
      if (static_cast<Node>(h) == head) {
        arc.head = probability;
      } else if (probability > arc.other) {
        arc.other = probability;
        arc.other_head = static_cast<Node>(h);
      }
    }
    return arc;
  }

  // An arc may have the same label several times: these are one label, as likely as all of them.
  void set_labels(const TreeRef& tree, std::span<ArcProbabilities> arcs) const {
    const Multigraph& graph = *graph_.multigraph();
    const SentenceFacts* facts = graph_.facts();
    const bool labelled = facts != nullptr && !facts->edge_labels.empty();
    const auto name = [&](EdgeId edge) {
      return labelled ? facts->edge_labels[static_cast<std::size_t>(edge)] : edge;
    };
    std::vector<double> sums(arcs.size(), 0.0);
    for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
      const auto v = static_cast<std::size_t>(graph.target(edge));
      if (v > 0 && graph.source(edge) == tree.heads[v] && name(edge) == name(tree.edges[v]))
        sums[v - 1] += edge_marginals_[static_cast<std::size_t>(edge)];
    }
    for (std::size_t i = 0; i < arcs.size(); ++i)
      arcs[i].label = arcs[i].head > 0.0 ? std::min(1.0, sums[i] / arcs[i].head) : 0.0;
  }

  Graph graph_;
  TreeDistribution distribution_;
  std::vector<double> edge_marginals_;
};

}  // namespace

ListProbabilities confidence(Graph graph, const Problem& problem, const TreeList& trees) {
  if (trees.empty()) return {};
  Problem all = problem;  // legal or not
  all.rules.clear();
  const Judge judge(graph, all);
  ListProbabilities result;
  result.probabilities = judge.probabilities(trees);
  for (std::size_t rank = 0; rank < trees.size(); ++rank) judge.add(trees[rank], result);
  return result;
}

}  // namespace coppice
