// Structures: lines, grids, stars, layers, sparse random graphs.
#include <algorithm>

#include "zoo/groups.hpp"

namespace coppice::zoo {
namespace {

// Adds edges in both directions.
void join(Multigraph& graph, Node a, Node b, double there, double back) {
  graph.add_edge(a, b, there);
  graph.add_edge(b, a, back);
}

// i <-> i + 1, and the root with an edge to every node.
template <class Weight, class RootWeight>
Multigraph line(Node words, const Weight& weight, const RootWeight& root_weight) {
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) graph.add_edge(0, v, root_weight());
  for (Node v = 1; v < words; ++v) join(graph, v, v + 1, weight(), weight());
  return graph;
}
Specimen line_random(Node words, std::uint64_t seed) {
  Random random(seed);
  auto weight = [&] { return random.unit(); };
  return line(words, weight, weight);
}
Specimen line_zeros(Node words, std::uint64_t) {
  return line(
      words, [] { return 0.0; }, [] { return -1.0; });
}
Specimen line_integers(Node words, std::uint64_t seed) {
  Random random(seed);
  return line(
      words, [&] { return random.integer(3); }, [] { return -5.0; });
}

// A path through all nodes, an edge from the root to every tenth, the rest anywhere.
template <class Weight>
Multigraph sparse(Node words, Node edges, Random& random, const Weight& weight) {
  const auto path = random.permuted_nodes(words);
  Multigraph graph(words + 1);
  for (std::size_t i = 1; i < path.size(); ++i) {
    graph.add_edge(path[i - 1], path[i], weight());
    if (i % 10 == 0) graph.add_edge(0, path[i], weight());
  }
  while (graph.edges() < edges)
    graph.add_edge(1 + random.below(words), 1 + random.below(words), weight());
  return graph;
}
Specimen sparse_random(Node words, std::uint64_t seed) {
  Random random(seed);
  return sparse(words, 10 * words, random, [&] { return random.unit(); });
}
Specimen sparse_zero_one(Node words, std::uint64_t seed) {
  Random random(seed);
  return sparse(words, 31 * words / 10, random, [&] { return random.integer(2); });
}
Specimen sparse_equal(Node words, std::uint64_t seed) {
  Random random(seed);
  return sparse(words, 31 * words / 10, random, [] { return 1.0; });
}
Specimen sparse_tenths(Node words, std::uint64_t seed) {
  Random random(seed);
  return sparse(words, 5 * words, random, [&] { return 0.1 * random.integer(10); });
}
// Eleven edges a node, ends at random, some twenty from the root; costs. Every word has a head.
template <class T, class Cost>
Specimen digraph(Node words, std::uint64_t seed, Cost cost) {
  constexpr Node kRootEdges = 20;
  Random random(seed);
  Multigraph graph(words + 1, std::is_integral_v<T> ? Scalar::int64 : Scalar::float64);
  auto add = [&](Node source, Node target) {
    if (source != target) graph.add_edge(source, target, static_cast<T>(cost(random)));
  };
  for (Node i = 0; i < kRootEdges; ++i) add(0, 1 + random.below(words));
  add(0, 1);
  for (Node v = 2; v <= words; ++v) add(1 + random.below(v - 1), v);
  for (std::int64_t i = 0; i < 10 * std::int64_t{words}; ++i)
    add(1 + random.below(words), 1 + random.below(words));
  return graph;
}
Specimen digraph_random(Node words, std::uint64_t seed) {
  return digraph<double>(words, seed, [](Random& random) { return random.unit(); });
}
Specimen digraph_integers(Node words, std::uint64_t seed) {
  return digraph<std::int64_t>(words, seed, [](Random& random) { return random.below(1000); });
}
Specimen sparse_int64(Node words, std::uint64_t seed) {
  Random random(seed);
  const auto shape = sparse(words, 4 * words, random, [&] { return random.integer(4); });
  const auto large = (std::int64_t{1} << 59) / (words + 1);
  Multigraph graph(words + 1, Scalar::int64);
  for (EdgeId e = 0; e < shape.edges(); ++e)
    graph.add_edge(shape.source(e), shape.target(e),
                   large - static_cast<std::int64_t>(shape.weight(e)));
  return graph;
}

// Most edges exist many times, with few different weights.
Specimen parallel(Node words, std::uint64_t seed) {
  Random random(seed);
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    for (Node copies = 0; copies < 6; ++copies) {
      graph.add_edge(random.below(v), v, random.integer(2));
      graph.add_edge(v % words + 1, v, random.integer(2));
      graph.add_edge(v - 1, v, 1.0);
    }
  }
  return graph;
}

// Root and one hub lead everywhere, for the same price.
Specimen star(Node words, std::uint64_t) {
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(0, v, 1.0);
    graph.add_edge(v == 1 ? 2 : 1, v, 1.0);
  }
  return graph;
}
// Two hubs that compete for all others, and for each other.
Specimen double_star(Node words, std::uint64_t seed) {
  Random random(seed);
  Multigraph graph(words + 1);
  join(graph, 1, 2, 5.0, 5.0);
  graph.add_edge(0, 1, 0.0);
  graph.add_edge(0, 2, 0.0);
  for (Node v = 3; v <= words; ++v) {
    join(graph, 1, v, random.unit(), random.unit());
    join(graph, 2, v, random.unit(), random.unit());
  }
  return graph;
}
// A hub and spokes that all want to be above it.
Specimen hub(Node words, std::uint64_t seed) {
  Random random(seed);
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) graph.add_edge(0, v, -10.0);
  for (Node v = 2; v <= words; ++v) join(graph, 1, v, 1.0, 1.0 + 1e-3 * random.below(3));
  return graph;
}
// A hub within a ring.
Specimen wheel(Node words, std::uint64_t) {
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) graph.add_edge(0, v, -1.0);
  for (Node v = 2; v <= words; ++v) {
    join(graph, 1, v, 0.0, 0.0);
    if (words > 2) join(graph, v, v == words ? 2 : v + 1, 0.0, 0.0);
  }
  return graph;
}
// A path that ends in a star.
Specimen broom(Node words, std::uint64_t seed) {
  Random random(seed);
  Multigraph graph(words + 1);
  const Node handle = words / 2;
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(0, v, -3.0);
    if (v > 1) join(graph, v <= handle ? v - 1 : handle, v, 0.0, random.integer(2));
  }
  return graph;
}
// A spine with a leg at each node, all edges both ways.
Specimen caterpillar(Node words, std::uint64_t seed) {
  Random random(seed);
  Multigraph graph(words + 1);
  const Node spine = (words + 1) / 2;
  for (Node v = 1; v <= words; ++v) graph.add_edge(0, v, -1.0);
  for (Node v = 1; v < spine; ++v) join(graph, v, v + 1, random.unit(), random.unit());
  for (Node v = 1; v + spine <= words; ++v) join(graph, v, v + spine, 0.5, 0.5);
  return graph;
}
// Two lines with rungs.
Specimen ladder(Node words, std::uint64_t) {
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) graph.add_edge(0, v, -2.0);
  for (Node v = 1; v + 2 <= words; ++v) join(graph, v, v + 2, 0.0, 0.0);
  for (Node v = 1; v + 1 <= words; v += 2) join(graph, v, v + 1, -1.0, -1.0);
  return graph;
}

// Four neighbours each.
template <class Weight>
Multigraph grid(Node words, const Weight& weight, double root_weight) {
  Multigraph graph(words + 1);
  Node width = 1;
  while ((width + 1) * (width + 1) <= words) ++width;
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(0, v, root_weight);
    if (v % width != 0 && v + 1 <= words) join(graph, v, v + 1, weight(), weight());
    if (v + width <= words) join(graph, v, v + width, weight(), weight());
  }
  return graph;
}
Specimen grid_equal(Node words, std::uint64_t) {
  return grid(
      words, [] { return 0.0; }, -1.0);
}
Specimen grid_random(Node words, std::uint64_t seed) {
  Random random(seed);
  return grid(
      words, [&] { return random.unit(); }, -1.0);
}

// Nodes that differ in one bit.
Specimen hypercube(Node words, std::uint64_t) {
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(0, v, -1.0);
    for (Node bit = 1; bit <= words; bit *= 2)
      if (const Node other = (v - 1) ^ bit; other < words) graph.add_edge(other + 1, v, 0.0);
  }
  return graph;
}

// Two halves; every edge leads to the other one, and all are equal.
Specimen bipartite(Node words, std::uint64_t) {
  return complete<double>(words, [](Node h, Node d) {
    return h == 0 ? -1.0 : ((h ^ d) & 1) == 1 ? 0.0 : kNoWeight;
  });
}
// Edges lead forwards only: no cycle anywhere, and a factorial of trees.
Specimen dag_random(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<double>(words, [&](Node h, Node d) { return h < d ? random.unit() : kNoWeight; });
}
Specimen dag_equal(Node words, std::uint64_t) {
  return complete<double>(words, [](Node h, Node d) { return h < d ? 1.0 : kNoWeight; });
}
// Layers of ten behind the first node; each node hangs from any node of the layer before.
Specimen layers(Node words, std::uint64_t) {
  constexpr Node width = 10;
  Multigraph graph(words + 1);
  graph.add_edge(0, 1, 1.0);
  for (Node v = 2; v <= words; ++v) {
    const Node last = (v - 2) / width * width + 1;  // of the layer before
    for (Node u = std::max<Node>(1, last - width + 1); u <= last; ++u) graph.add_edge(u, v, 1.0);
  }
  return graph;
}
// Two ways at each step, for the same price.
Specimen diamonds(Node words, std::uint64_t) {
  Multigraph graph(words + 1);
  graph.add_edge(0, 1, 1.0);
  for (Node v = 2; v <= words; ++v) {
    graph.add_edge(v - 1, v, 1.0);
    graph.add_edge(v - 2 > 0 ? v - 2 : 1, v, 1.0);
  }
  return graph;
}

}  // namespace

std::vector<Family> hard_shapes() {
  const auto& n = kSparseSizes;
  const std::vector<Node> digraph_sizes = {100, 1000, 10'000, 100'000};
  constexpr auto costs = Objective::minimize;
  return {
      {"line-random", "a line, random weights", line_random, {100, 1000, 4000, 16'000}},
      {"line-zeros", "a line of zeros, root -1", line_zeros, {100, 1000, 4000, 30'000}},
      {"line-integers", "a line of small integers, root -5", line_integers, n},
      {"sparse-random", "ten edges a node, random weights", sparse_random, n},
      {"sparse-zero-one", "three edges a node, 0 or 1", sparse_zero_one, n},
      {"sparse-equal", "three edges a node, all equal", sparse_equal, n},
      {"sparse-tenths", "five edges a node, multiples of 0.1", sparse_tenths, n},
      {"digraph", "eleven edges a node, random costs", digraph_random, digraph_sizes, costs},
      {"digraph-int64", "the same in int64", digraph_integers, digraph_sizes, costs},
      {"sparse-int64", "int64: four edges a node near the limit", sparse_int64, n},
      {"parallel", "many parallel edges, 0 or 1", parallel, n},
      {"star", "root and hub lead everywhere", star, n},
      {"double-star", "two hubs compete", double_star, n},
      {"hub", "spokes that want to be above the hub", hub, n},
      {"wheel", "a hub within a ring, zeros", wheel, n},
      {"broom", "a path that ends in a star", broom, n},
      {"caterpillar", "a spine with legs", caterpillar, n},
      {"ladder", "two lines with rungs", ladder, n},
      {"grid-equal", "four neighbours, zeros", grid_equal, n},
      {"grid-random", "four neighbours, random weights", grid_random, n},
      {"hypercube", "neighbours differ in one bit, zeros", hypercube, n},
      {"bipartite", "complete bipartite, zeros", bipartite, kDenseSizes},
      {"dag-random", "complete and acyclic, random weights", dag_random, kDenseSizes},
      {"dag-equal", "complete and acyclic, all equal", dag_equal, kDenseSizes},
      {"layers", "layers of ten, all equal", layers, n},
      {"diamonds", "two equal ways at each step", diamonds, n},
  };
}

}  // namespace coppice::zoo
