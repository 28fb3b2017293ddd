// What programs that measure share: a clock, medians, random graphs.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <ctime>
#include <random>
#include <utility>
#include <vector>

namespace coppice::bench {

// Processor time of this thread that the work takes.
template <class Work>
double seconds_of(const Work& work) {
  auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

inline double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

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
inline Multigraph sparse(Node nodes, Node edges) {
  std::mt19937_64 random(1);
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
