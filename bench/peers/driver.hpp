// What a program does that bench/peers can drive, whatever library it calls.
//
//   PROGRAM WORK-FILE
//
// The file says what to do: "K any|single GRAPHS", then of each graph its number of nodes and the
// weights, [head][dependent], row by row; the diagonal and column 0 mean nothing. The program
// prints "ready VERSION STEP" (STEP: to what its weights are rounded, as a share of their range; 0
// if not at all) and obeys standard input:
//
//   answers   for each graph print how many trees, then each as the heads of nodes 1, 2, ...; at
//   the
//             end the seconds of processor time that this took
//   run       solve all graphs, print the seconds
//
// Each library's own input is made before the clock starts, except what a run uses up. C++17, and
// nothing of coppice: it is compiled together with other libraries, with the top of this repository
// on the include path.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "bench/clock.hpp"

namespace coppice::bench {

struct Weights {
  int nodes = 0;
  std::vector<double> values;

  double operator()(int head, int dependent) const {
    return values[static_cast<std::size_t>(head) * static_cast<std::size_t>(nodes) +
                  static_cast<std::size_t>(dependent)];
  }
};

struct Work {
  std::int64_t k = 1;
  bool single = false;
  std::vector<Weights> graphs;
};

inline Work read_work(const char* path) {
  std::ifstream file(path);
  Work work;
  std::string root;
  std::size_t graphs = 0;
  file >> work.k >> root >> graphs;
  work.single = root == "single";
  for (std::size_t i = 0; i < graphs; ++i) {
    Weights graph;
    file >> graph.nodes;
    graph.values.resize(static_cast<std::size_t>(graph.nodes) *
                        static_cast<std::size_t>(graph.nodes));
    for (double& weight : graph.values) file >> weight;
    work.graphs.push_back(std::move(graph));
  }
  if (!file) work.graphs.clear();
  return work;
}

using HeadsList = std::vector<std::vector<int>>;  // trees, each the heads of nodes 1, 2, ...

inline void print(const HeadsList& trees) {
  std::cout << trees.size() << '\n';
  for (const auto& heads : trees) {
    for (const int head : heads) std::cout << head << ' ';
    std::cout << '\n';
  }
}

// Peer has
//   explicit Peer(const Work&);                         prepares
//   void solve(std::size_t graph);                      is timed
//   HeadsList answer(std::size_t graph);                solves, and says what was found
//   static constexpr const char* version, double step;
template <class Peer>
int drive(int argc, char** argv) {
  const Work work = argc > 1 ? read_work(argv[1]) : Work{};
  if (work.graphs.empty()) {
    std::fprintf(stderr, "usage: %s WORK-FILE\n", argv[0]);
    return 2;
  }
  Peer peer(work);
  std::cout << "ready " << Peer::version << ' ' << Peer::step << std::endl;
  for (std::string command; std::getline(std::cin, command);) {
    const double seconds = seconds_of([&] {
      for (std::size_t i = 0; i < work.graphs.size(); ++i)
        command == "run" ? peer.solve(i) : print(peer.answer(i));
    });
    std::cout << seconds << std::endl;
  }
  return 0;
}

// Calls use(head, dependent) for every edge that a tree can have.
template <class Use>
void for_each_edge(const Weights& graph, Use use) {
  for (int head = 0; head < graph.nodes; ++head)
    for (int dependent = 1; dependent < graph.nodes; ++dependent)
      if (head != dependent) use(head, dependent);
}

struct Range {
  double low, high;
};

inline Range range(const Weights& graph) {
  Range found{graph(0, 1), graph(0, 1)};
  for_each_edge(graph, [&](int head, int dependent) {
    found.low = std::min(found.low, graph(head, dependent));
    found.high = std::max(found.high, graph(head, dependent));
  });
  return found;
}

// Weights under which the best tree with one root edge, where there is one, is best without the
// rule: a root edge costs more than all others together can gain.
inline Weights single_by_weights(Weights graph) {
  const auto [low, high] = range(graph);
  for (int dependent = 1; dependent < graph.nodes; ++dependent)
    graph.values[static_cast<std::size_t>(dependent)] -= (high - low) * graph.nodes;
  return graph;
}

}  // namespace coppice::bench
