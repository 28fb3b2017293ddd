// Much to contract: clusters, nested cycles, distances.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "zoo/groups.hpp"

namespace coppice::zoo {
namespace {

// Distances between random allele profiles: the loci at which the dependent is known and differs.
// What is not known makes them asymmetric. The root is as far from all as can be.
template <class T>
Specimen alleles(Node words, std::uint64_t seed) {
  constexpr std::size_t loci = 64;
  constexpr unsigned char unknown = 0;
  Random random(seed);
  std::vector<unsigned char> profiles((static_cast<std::size_t>(words) + 1) * loci);
  for (auto& allele : profiles)
    allele = random.below(10) == 0 ? unknown : static_cast<unsigned char>(1 + random.below(4));
  auto profile = [&](Node v) { return profiles.data() + static_cast<std::size_t>(v) * loci; };
  return complete<T>(words, [&](Node h, Node d) {
    if (h == 0) return static_cast<T>(loci);
    const unsigned char* from = profile(h);
    const unsigned char* to = profile(d);
    int differ = 0;
    for (std::size_t locus = 0; locus < loci; ++locus)
      differ += (to[locus] != unknown) & (to[locus] != from[locus]);
    return static_cast<T>(differ);
  });
}

// Distances between random points: symmetric, so that the two that are nearest choose each other.
template <class Distance>
Specimen metric(Node words, std::uint64_t seed, Node side, const Distance& distance) {
  Random random(seed);
  std::vector<std::pair<Node, Node>> points(static_cast<std::size_t>(words) + 1);
  for (auto& point : points) point = {random.below(side), random.below(side)};
  return complete<double>(words, [&](Node h, Node d) {
    const auto& a = points[static_cast<std::size_t>(h)];
    const auto& b = points[static_cast<std::size_t>(d)];
    return distance(std::abs(a.first - b.first), std::abs(a.second - b.second)) +
           (h == 0 ? 3.0 * side : 0.0);
  });
}
Specimen city_blocks(Node words, std::uint64_t seed) {
  return metric(words, seed, 30, [](Node x, Node y) { return static_cast<double>(x + y); });
}
Specimen plane(Node words, std::uint64_t seed) {
  return metric(words, seed, 1'000'000, [](Node x, Node y) { return std::hypot(x, y); });
}

// Pairs of pairs of pairs of pairs: three quarters of all nodes lie in components within
// components.
Specimen binary_hierarchy(Node words, std::uint64_t seed) {
  Random random(seed);
  const auto place = random.permuted_nodes(words);
  return complete<double>(words, [&](Node h, Node d) {
    if (h == 0) return -10.0;
    const Node i = place[static_cast<std::size_t>(h)] - 1;
    const Node j = place[static_cast<std::size_t>(d)] - 1;
    for (int level = 0; level < 4; ++level)
      if (((i >> level) ^ 1) == (j >> level)) return -static_cast<double>(level);
    return -4.0 - random.below(2);
  });
}

// The same all the way up, the price doubling at each level.
Specimen ultrametric(Node words, std::uint64_t seed) {
  Random random(seed);
  const auto place = random.permuted_nodes(words);
  return complete<double>(words, [&](Node h, Node d) {
    if (h == 0) return -0x1p20;
    Node i = place[static_cast<std::size_t>(h)] - 1, j = place[static_cast<std::size_t>(d)] - 1;
    double price = 1.0;
    for (; i != j; i /= 2, j /= 2) price *= 2.0;
    return -price;
  });
}

Specimen two_clusters(Node words, std::uint64_t) {
  return complete<double>(words, [&](Node h, Node d) {
    if (h == 0) return -500.0;
    return (h <= words / 2) == (d <= words / 2) ? 0.0 : -300.0;
  });
}

// Clusters of ten, each with its own best member, random weights across.
Specimen many_clusters(Node words, std::uint64_t seed) {
  Random random(seed);
  return complete<double>(words, [&](Node h, Node d) {
    if (h == 0) return -100.0;
    return h / 10 == d / 10 ? random.integer(3) : -10.0 - random.unit();
  });
}

// Every node is added to a cycle with all before it: components nested as deeply as there are
// nodes. entry(k) is the weight of the edge by which node k + 1 enters the first k.
template <class Entry>
Multigraph nest(Node words, std::uint64_t seed, double root_weight, const Entry& entry) {
  Random random(seed);
  const auto node = random.permuted_nodes(words);
  auto at = [&](Node k) { return node[static_cast<std::size_t>(k)]; };
  Multigraph graph(words + 1);
  for (Node k = 1; k < words; ++k) {
    graph.add_edge(at(1 + random.below(k)), at(k + 1), 0.0);
    graph.add_edge(at(k + 1), at(1), entry(k));
  }
  for (Node v = 1; v <= words; ++v) graph.add_edge(0, v, root_weight);
  return graph;
}
Specimen nest_tiny(Node words, std::uint64_t seed) {
  return nest(words, seed, -1.0, [](Node k) { return -k * 0x1p-40; });
}
Specimen nest_geometric(Node words, std::uint64_t seed) {
  return nest(words, seed, -0x1p61, [&](Node k) { return -std::exp2(60.0 * k / words); });
}
Specimen nest_zero(Node words, std::uint64_t seed) {
  return nest(words, seed, -1.0, [](Node) { return 0.0; });
}

// Groups of `arity` of groups of `arity` ...: each group is a ring by random members.
template <Node arity>
Multigraph rings_of_rings(Node words, std::uint64_t seed, double price(int level)) {
  Random random(seed);
  const auto node = random.permuted_nodes(words);
  Multigraph graph(words + 1);
  auto member = [&](Node start, Node size) {
    return node[static_cast<std::size_t>(1 + start + random.below(std::min(size, words - start)))];
  };
  int level = 0;
  for (std::int64_t size = 1; size < words; size *= arity, ++level) {
    const auto step = static_cast<Node>(size);
    for (std::int64_t group = 0; group < words; group += size * arity) {
      const auto first = static_cast<Node>(group);
      const auto parts =
          static_cast<Node>(std::min<std::int64_t>(arity, (words - group + size - 1) / size));
      for (Node part = 0; part < parts && parts > 1; ++part)
        graph.add_edge(member(first + part * step, step),
                       member(first + (part + 1) % parts * step, step), -price(level));
    }
  }
  for (Node v = 1; v <= words; ++v) graph.add_edge(0, v, -2.0 * price(level));
  return graph;
}
Specimen pairs_of_pairs(Node words, std::uint64_t seed) {
  return rings_of_rings<2>(words, seed, [](int level) { return 1.0 + level; });
}
Specimen pairs_geometric(Node words, std::uint64_t seed) {
  return rings_of_rings<2>(words, seed, [](int level) { return std::exp2(2.0 * level); });
}
Specimen threes_of_threes(Node words, std::uint64_t seed) {
  return rings_of_rings<3>(words, seed, [](int level) { return 0.1 * (1 + level); });
}
Specimen long_rings(Node words, std::uint64_t seed) {
  return rings_of_rings<30>(words, seed, [](int level) { return 1.0 + level; });
}

// A ring with a few short cuts.
Specimen ring_chords(Node words, std::uint64_t seed) {
  Random random(seed);
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    graph.add_edge(0, v, -10.0);
    graph.add_edge(v, v % words + 1, 0.0);
    if (v % 4 == 0) graph.add_edge(v, 1 + random.below(words), -0.5);
  }
  return graph;
}

// Cliques of eight, joined in a line by single edges both ways.
Specimen cliques(Node words, std::uint64_t) {
  constexpr Node size = 8;
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    const Node first = (v - 1) / size * size + 1;
    graph.add_edge(0, v, -2.0);
    for (Node u = first; u < first + size && u <= words; ++u)
      if (u != v) graph.add_edge(u, v, 0.0);
    if (v == first && v > 1) {
      graph.add_edge(v - 1, v, -1.0);
      graph.add_edge(v, v - 1, -1.0);
    }
  }
  return graph;
}

}  // namespace

std::vector<Family> many_cycles() {
  const auto& n = kSparseSizes;
  const auto& dense = kDenseSizes;
  constexpr auto costs = Objective::minimize;
  return {
      {"alleles", "integer distances, asymmetric", alleles<double>, {20, 200, 1000, 2000}, costs},
      {"alleles-int64", "the same in int64", alleles<std::int64_t>, {20, 200, 1000, 5000}, costs},
      {"city-blocks", "integer distances, symmetric", city_blocks, dense, costs},
      {"plane", "distances of points, symmetric", plane, dense, costs},
      {"hierarchy", "pairs of pairs, four levels", binary_hierarchy, {20, 200, 400, 1000}},
      {"ultrametric", "pairs of pairs, doubling to the top", ultrametric, dense},
      {"two-clusters", "0 within, -300 across, root -500", two_clusters, dense},
      {"many-clusters", "clusters of ten", many_clusters, dense},
      {"nest-tiny", "nested as deeply as can be, by 2^-40", nest_tiny, n},
      {"nest-geometric", "nested as deeply as can be, doubling", nest_geometric, n},
      {"nest-zero", "nested as deeply as can be, all equal", nest_zero, n},
      {"pairs", "sparse pairs of pairs, to the top", pairs_of_pairs, n},
      {"pairs-geometric", "the same, the price growing fourfold", pairs_geometric, n},
      {"threes", "rings of three of rings of three", threes_of_threes, n},
      {"long-rings", "rings of thirty of rings of thirty", long_rings, n},
      {"ring-chords", "a ring with short cuts", ring_chords, n},
      {"cliques", "cliques joined by bridges", cliques, n},
  };
}

}  // namespace coppice::zoo
