// Few trees, one, none; replacements that lead nowhere.
#include <algorithm>

#include "zoo/groups.hpp"

namespace coppice::zoo {
namespace {

// A ring and one edge from the root to each node: the other trees all change the root edge.
template <class RootWeight>
Multigraph ring(Node words, const RootWeight& root_weight) {
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(0, v, root_weight());
    graph.add_edge(v, v % words + 1, 0.0);
  }
  return graph;
}
Specimen ring_equal(Node words, std::uint64_t) {
  return ring(words, [] { return -1.0; });
}
Specimen ring_random(Node words, std::uint64_t seed) {
  Random random(seed);
  return ring(words, [&] { return -random.unit(); });
}

// A path from the root, and edges back that are worth more: the path is the only tree.
Multigraph path_with_back_edges(Node words, std::uint64_t seed, double back) {
  Random random(seed);
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(v - 1, v, 0.0);
    for (Node copies = 0; copies < 3 && v < words; ++copies)
      graph.add_edge(v + 1 + random.below(words - v), v, back);
  }
  return graph;
}
Specimen one_tree(Node words, std::uint64_t seed) { return path_with_back_edges(words, seed, 1.0); }
// The second tree skips one node near the end.
Specimen two_trees(Node words, std::uint64_t seed) {
  auto graph = path_with_back_edges(words, seed, 1.0);
  graph.add_edge(words - 2, words, -1.0);
  return graph;
}
// Seven short cuts, 128 trees in all (fewer where there are fewer nodes).
Specimen few_trees(Node words, std::uint64_t seed) {
  auto graph = path_with_back_edges(words, seed, 1.0);
  const Node apart = std::max<Node>(2, words / 7);
  for (Node v = 2, cuts = 0; v <= words && cuts < 7; v += apart, ++cuts)
    graph.add_edge(v - 2, v, -1.0 - v);
  return graph;
}
// A hundred parallel edges to the last node: exactly as many trees.
Specimen hundred_trees(Node words, std::uint64_t seed) {
  auto graph = path_with_back_edges(words, seed, 1.0);
  for (int copies = 1; copies < 100; ++copies) graph.add_edge(words - 1, words, 0.0);
  return graph;
}
Specimen one_tree_dense(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<double>(words, [&](Node h, Node d) {
    return h + 1 == d ? 0.0 : h > d ? 1.0 + random.unit() : kNoWeight;
  });
}
// Nothing leads to the last two nodes but they themselves; all others are joined.
Specimen no_tree(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<double>(words, [&](Node h, Node d) {
    return h < words - 1 && d >= words - 1 ? kNoWeight : random.unit();
  });
}
// Two parts that only the root joins: no tree has a single root edge.
Specimen two_parts(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<double>(words, [&](Node h, Node d) {
    const bool across = h > 0 && (h <= words / 2) != (d <= words / 2);
    return across ? kNoWeight : random.integer(3);
  });
}
// One root edge only.
Specimen one_root_edge(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<double>(
      words, [&](Node h, Node d) { return h == 0 && d != words ? kNoWeight : random.integer(3); });
}

// Edges back cost nothing, but each closes a cycle that only a dear root edge opens.
Specimen dead_ends(Node words, std::uint64_t seed) {
  auto graph = path_with_back_edges(words, seed, 0.0);
  for (Node v = 2; v <= words; ++v) graph.add_edge(0, v, -100.0);
  return graph;
}
Specimen dead_ends_dense(Node words, std::uint64_t) {
  return complete<double>(words, [](Node h, Node d) {
    return h == 0 && d > 1 ? -100.0 : h + 1 < d ? kNoWeight : 0.0;
  });
}
// The same, each way out at a price of its own.
Specimen dead_ends_random(Node words, std::uint64_t seed) {
  Random random(seed);
  auto graph = path_with_back_edges(words, seed, -1e-3);
  for (Node v = 2; v <= words; ++v) graph.add_edge(0, v, -100.0 - random.unit());
  return graph;
}
// Cliques of six that hang from each other by one cheap gate, and by dear ones elsewhere.
Specimen gates(Node words, std::uint64_t seed) {
  constexpr Node size = 6;
  Random random(seed);
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    const Node first = (v - 1) / size * size + 1;
    for (Node u = first; u < first + size && u <= words; ++u)
      if (u != v) graph.add_edge(u, v, random.unit());
    if (v == first)
      graph.add_edge(v - 1, v, -1.0);
    else
      graph.add_edge(random.below(first), v, -50.0);
  }
  return graph;
}
// All edges back, at prices that make each the best but one: every cycle is opened again.
Specimen back_edges_cheap(Node words, std::uint64_t seed) {
  Random random(seed);
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(v - 1, v, 0.0);
    if (v < words) graph.add_edge(v + 1, v, 0.25 + 0.25 * random.below(2));
    if (v > 2) graph.add_edge(random.below(v - 1), v, -1.0);
  }
  return graph;
}

}  // namespace

std::vector<Family> scarce_trees() {
  const auto& n = kSparseSizes;
  return {
      {"ring-equal", "only the root edge can change, all equal", ring_equal, n},
      {"ring-random", "only the root edge can change", ring_random, n},
      {"one-tree", "edges back that lure", one_tree, n},
      {"two-trees", "the same, and one short cut", two_trees, n},
      {"few-trees", "the same, and seven", few_trees, n},
      {"hundred-trees", "the same, by parallel edges", hundred_trees, n},
      {"one-tree-dense", "every edge back, one tree", one_tree_dense, kDenseSizes},
      {"no-tree", "two nodes cannot be reached", no_tree, kDenseSizes},
      {"two-parts", "no tree with a single root edge", two_parts, kDenseSizes},
      {"one-root-edge", "the root leads to the last node only", one_root_edge, kDenseSizes},
      {"dead-ends", "most replacements close a cycle", dead_ends, n},
      {"dead-ends-dense", "the same with every edge back", dead_ends_dense, kDenseSizes},
      {"dead-ends-random", "the same with prices", dead_ends_random, n},
      {"gates", "cliques with one cheap entry each", gates, n},
      {"back-edges", "a path, and better edges back", back_edges_cheap, n},
  };
}

}  // namespace coppice::zoo
