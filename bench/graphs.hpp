// Random graphs to measure with.
#pragma once

#include <coppice/graph.hpp>
#include <random>
#include <utility>
#include <vector>

namespace coppice::bench {

struct Dense {
  Node nodes;
  std::vector<double> weights;
  DenseView view() const { return DenseView::head_dependent(weights.data(), nodes); }
};

// Weights uniform between 0 and 1.
inline std::vector<Dense> uniform(Node words, int count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> weight;
  const auto nodes = static_cast<std::size_t>(words) + 1;
  std::vector<Dense> graphs;
  for (int i = 0; i < count; ++i) {
    Dense graph{words + 1, std::vector<double>(nodes * nodes)};
    for (double& w : graph.weights) w = weight(random);
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

// Every node can be reached; weights uniform between 0 and 1.
inline Multigraph sparse(Node nodes, Node edges, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> weight;
  Multigraph graph(nodes);
  for (Node v = 1; v < nodes; ++v)
    graph.add_edge(static_cast<Node>(random() % static_cast<unsigned>(v)), v, weight(random));
  while (graph.edges() < edges)
    graph.add_edge(static_cast<Node>(random() % static_cast<unsigned>(nodes)),
                   static_cast<Node>(random() % static_cast<unsigned>(nodes)), weight(random));
  return graph;
}

}  // namespace coppice::bench
