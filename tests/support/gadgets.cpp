#include "support/gadgets.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <queue>
#include <utility>

namespace coppice::testing {
namespace {

using Scores = std::vector<std::int64_t>;

// The k largest sums of an element of one list and one of the other, both sorted downwards.
Scores largest_sums(const Scores& a, const Scores& b, std::size_t k) {
  struct Pair {
    std::int64_t sum;
    std::size_t i, j;
    bool operator<(const Pair& other) const { return sum < other.sum; }
  };
  Scores sums;
  if (a.empty() || b.empty()) return sums;
  std::priority_queue<Pair> queue;
  queue.push({a[0] + b[0], 0, 0});
  while (!queue.empty() && sums.size() < k) {
    const Pair top = queue.top();
    queue.pop();
    sums.push_back(top.sum);
    if (top.j + 1 < b.size()) queue.push({a[top.i] + b[top.j + 1], top.i, top.j + 1});
    if (top.j == 0 && top.i + 1 < a.size()) queue.push({a[top.i + 1] + b[0], top.i + 1, 0});
  }
  return sums;
}

// How close two nodes of a gadget are: the more digits they share, the heavier their edges, so that
// best edges make cycles of cycles.
std::int64_t closeness(Node a, Node b) {
  return 3 - std::min<std::int64_t>(3, std::bit_width(static_cast<unsigned>(a ^ b)));
}

}  // namespace

Gadgets::Gadgets(const Spec& spec) {
  std::mt19937_64 random(spec.seed);
  Node begin = 0;  // of the gadget before
  while (nodes_ <= spec.words) {
    const auto size = static_cast<Node>(1 + random() % 4);
    auto pick = [&](Node from, Node to) {
      return from + static_cast<Node>(random() % static_cast<std::uint64_t>(to - from));
    };
    const bool at_root = nodes_ == 1 || spec.shape == Shape::fan;
    const Node entry = at_root                      ? 0
                       : spec.shape == Shape::chain ? pick(begin, nodes_)
                                                    : pick(1, nodes_);
    begin = nodes_;
    nodes_ += size;
    place(begin, size, entry, spec, random);
  }
  if (spec.background) add_background(spec, random);
  // Nothing may depend on the numbers of nodes and the order of edges.
  std::vector<Node> name(static_cast<std::size_t>(nodes_));
  std::iota(name.begin(), name.end(), 0);
  std::shuffle(name.begin() + 1, name.end(), random);
  for (Edge& edge : edges_)
    edge = {name[static_cast<std::size_t>(edge.source)],
            name[static_cast<std::size_t>(edge.target)], edge.weight};
  std::shuffle(edges_.begin(), edges_.end(), random);
}

// Draws the edges of a gadget and tries every choice of one for each of its nodes.
void Gadgets::place(Node first, Node size, Node entry, const Spec& spec, std::mt19937_64& random) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<std::vector<Edge>> choices(n);
  auto draw = [&](std::int64_t level) {
    return level * spec.largest +
           static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spec.largest + 1));
  };
  auto add = [&](Node source, Node v, std::int64_t weight) {
    choices[static_cast<std::size_t>(v)].push_back({source, first + v, weight});
  };
  const bool nested = random() % 2 == 0;
  for (Node v = 0; v < size; ++v) {
    if (v == 0 || random() % 2 == 0) add(entry, v, draw(0));
    if (entry != 0 && spec.root_edges && random() % 4 == 0) add(0, v, draw(0));
    for (Node u = 0; u < size; ++u)
      if (u != v && (u + 1 == v || random() % 4 != 0))
        add(first + u, v, draw(nested ? closeness(u, v) : 0));
    if (spec.parallel && random() % 2 == 0)
      add(choices[static_cast<std::size_t>(v)][0].source, v, draw(0));
  }

  Lists lists;
  std::vector<std::size_t> chosen(n, 0);
  for (bool more = true; more;) {
    std::int64_t score = 0;
    int root_edges = 0;
    bool valid = true;
    for (std::size_t v = 0; v < n; ++v) {
      score += choices[v][chosen[v]].weight;
      root_edges += choices[v][chosen[v]].source == 0 ? 1 : 0;
      std::size_t steps = 0;
      for (auto up = static_cast<Node>(v); valid && up >= 0 && up < size; ++steps) {
        const auto at = static_cast<std::size_t>(up);
        up = choices[at][chosen[at]].source - first;
        valid = steps <= n;
      }
    }
    if (valid) lists.any.push_back(score);
    // The first gadget has the one root edge. (In a fan all have: then there is no such tree.)
    if (valid && root_edges == (first == 1 ? 1 : 0)) lists.single.push_back(score);
    std::size_t v = 0;
    while (v < n && ++chosen[v] == choices[v].size()) chosen[v++] = 0;
    more = v < n;
  }
  std::sort(lists.any.begin(), lists.any.end(), std::greater<>());
  std::sort(lists.single.begin(), lists.single.end(), std::greater<>());
  lists_.push_back(std::move(lists));
  for (const auto& edges : choices) edges_.insert(edges_.end(), edges.begin(), edges.end());
}

void Gadgets::add_background(const Spec& spec, std::mt19937_64& random) {
  const auto n = static_cast<std::size_t>(nodes_);
  std::vector<bool> taken(n * n, false);
  for (const Edge& edge : edges_)
    taken[static_cast<std::size_t>(edge.source) * n + static_cast<std::size_t>(edge.target)] = true;
  // A tree of gadgets scores from 0 to nodes * 4 * largest, one with background less than 0.
  const std::int64_t worse = -4 * spec.largest * (nodes_ + 1);
  for (std::size_t h = 0; h < n; ++h)
    for (std::size_t d = 1; d < n; ++d)
      if (h != d && !taken[h * n + d])
        edges_.push_back({static_cast<Node>(h), static_cast<Node>(d),
                          worse - static_cast<std::int64_t>(random() % 1000)});
}

std::vector<std::int64_t> Gadgets::best_scores(RootRule rule, std::size_t k) const {
  // Two lists at a time make one, so that most of the lists that are put together are short.
  std::vector<Scores> level;
  for (const Lists& lists : lists_)
    level.push_back(rule == RootRule::any ? lists.any : lists.single);
  for (Scores& scores : level) scores.resize(std::min(k, scores.size()));
  while (level.size() > 1) {
    std::vector<Scores> next;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(largest_sums(level[i], level[i + 1], k));
    if (level.size() % 2 == 1) next.push_back(std::move(level.back()));
    level = std::move(next);
  }
  return level[0];
}

Multigraph Gadgets::multigraph(double unit) const {
  Multigraph graph(nodes_);
  for (const Edge& edge : edges_)
    graph.add_edge(edge.source, edge.target, unit * static_cast<double>(edge.weight));
  return graph;
}

Multigraph Gadgets::integer_multigraph(std::int64_t unit) const {
  Multigraph graph(nodes_, Scalar::int64);
  for (const Edge& edge : edges_) graph.add_edge(edge.source, edge.target, unit * edge.weight);
  return graph;
}

Matrix Gadgets::matrix(double unit) const {
  const auto n = static_cast<std::size_t>(nodes_);
  Matrix matrix{nodes_, std::vector<double>(n * n, kNoWeight), {}};
  for (const Edge& edge : edges_)
    matrix.doubles[static_cast<std::size_t>(edge.source) * n +
                   static_cast<std::size_t>(edge.target)] = unit * static_cast<double>(edge.weight);
  return matrix;
}

std::vector<std::int64_t> Gadgets::integer_matrix(std::int64_t unit) const {
  const auto n = static_cast<std::size_t>(nodes_);
  std::vector<std::int64_t> weights(n * n, 0);
  for (const Edge& edge : edges_)
    weights[static_cast<std::size_t>(edge.source) * n + static_cast<std::size_t>(edge.target)] =
        unit * edge.weight;
  return weights;
}

}  // namespace coppice::testing
