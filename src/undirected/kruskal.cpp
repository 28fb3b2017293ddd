#include "undirected/kruskal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/exact_sum.hpp"
#include "graph/indexed.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"
#include "graph/tree_builder.hpp"
#include "undirected/joined_parts.hpp"

namespace coppice {
namespace {

template <class W>
class Kruskal {
 public:
  Kruskal(const UndirectedGraph& graph, std::span<const W> weights, bool minimize)
      : graph_(graph), weights_(weights), minimize_(minimize), parts_(graph.nodes()) {}

  // The edges of the tree, or fewer where there is none.
  std::vector<EdgeId> find(RootRule rule) {
    std::vector<EdgeId> of_root;
    read(rule, of_root);
    std::vector<Range> later{Range(0, choices_.size())};  // the best at the end
    while (!later.empty()) {
      const auto [begin, end] = later.back();
      later.pop_back();
      take(begin, end, later);
    }
    if (!of_root.empty())
      tree_.push_back(*std::ranges::min_element(of_root, [&](EdgeId one, EdgeId other) {
        return before({weight(one), one}, {weight(other), other});
      }));
    return std::move(tree_);
  }

 private:
  struct Choice {
    W weight;
    EdgeId edge;
  };
  using Range = std::pair<std::size_t, std::size_t>;
  static constexpr std::size_t kSorted = 1024;  // so many are sorted

  W weight(EdgeId edge) const { return weights_[place_of(edge)]; }
  bool before(const Choice& one, const Choice& other) const {
    if (one.weight != other.weight)
      return minimize_ ? one.weight < other.weight : other.weight < one.weight;
    return one.edge < other.edge;
  }

  void read(RootRule rule, std::vector<EdgeId>& of_root) {
    double largest = 0.0;
    for (EdgeId edge = 0; edge < graph_.edges(); ++edge) {
      poll_at(edge);
      const Node one = graph_.end(edge), other = graph_.other_end(edge);
      const auto size = std::abs(static_cast<double>(weight(edge)));
      if (one == other || size == -kNoWeight) continue;
      largest = std::max(largest, size);
      if (rule == RootRule::single && (one == 0 || other == 0))
        of_root.push_back(edge);
      else
        choices_.push_back({weight(edge), edge});
    }
    if constexpr (std::is_integral_v<W>)
      check_magnitude(static_cast<std::uint64_t>(largest), graph_.nodes());
    else
      check_magnitude(largest, graph_.nodes());
  }

  void take(std::size_t begin, std::size_t end, std::vector<Range>& later) {
    poll();
    const auto at = [&](std::size_t place) {
      return choices_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    const auto is_before = [&](const Choice& one, const Choice& other) {
      return before(one, other);
    };
    const auto within_a_part = [&](const Choice& choice) {
      return parts_.of(graph_.end(choice.edge)) == parts_.of(graph_.other_end(choice.edge));
    };
    if (begin > 0)
      end = static_cast<std::size_t>(std::remove_if(at(begin), at(end), within_a_part) - at(0));
    if (end - begin > kSorted) {
      const std::size_t middle = begin + (end - begin) / 2;
      std::nth_element(at(begin), at(middle), at(end), is_before);
      later.emplace_back(middle, end);
      later.emplace_back(begin, middle);
      return;
    }
    std::sort(at(begin), at(end), is_before);
    for (std::size_t i = begin; i < end; ++i)
      if (const EdgeId edge = choices_[i].edge;
          parts_.join(graph_.end(edge), graph_.other_end(edge)))
        tree_.push_back(edge);
  }

  const UndirectedGraph& graph_;
  std::span<const W> weights_;
  bool minimize_;
  JoinedParts parts_;
  std::vector<Choice> choices_;
  std::vector<EdgeId> tree_;
};

// The edges as they hang from node 0.
void hang(const UndirectedGraph& graph, std::span<const EdgeId> edges, TreeBuilder::Row row) {
  const auto nodes = place_of(graph.nodes());
  std::vector<std::size_t> begin(nodes + 1, 0);  // of each node, where its edges in `at` begin
  for (const EdgeId edge : edges)
    ++begin[place_of(graph.end(edge))], ++begin[place_of(graph.other_end(edge))];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<EdgeId> at(2 * edges.size());
  for (const EdgeId edge : edges)
    for (const Node node : {graph.end(edge), graph.other_end(edge)})
      at[--begin[place_of(node)]] = edge;
  std::vector<Node> queue(1, 0);
  row.heads[0] = kNoNode, row.edges[0] = kNoEdge;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Node node = queue[i];
    poll_at(node);
    for (std::size_t e = begin[place_of(node)]; e < begin[place_of(node) + 1]; ++e) {
      if (at[e] == row.edges[place_of(node)]) continue;
      const Node below = graph.end(at[e]) == node ? graph.other_end(at[e]) : graph.end(at[e]);
      row.heads[place_of(below)] = node;
      row.edges[place_of(below)] = at[e];
      queue.push_back(below);
    }
  }
}

// The exact sum of the weights of a tree, and what it is with one edge for another one.
template <class W>
class Score {
 public:
  Score(std::span<const W> weights, std::span<const EdgeId> edges) : weights_(weights) {
    if constexpr (std::is_integral_v<W>) {
      for (const EdgeId edge : edges) whole_ += weights[place_of(edge)];
    } else {
      ExactSum sum;
      for (const EdgeId edge : edges) sum.add(weights[place_of(edge)]);
      sum_.high = sum.value();
      sum.add(-sum_.high);
      sum_.low = sum.value();
    }
  }
  std::int64_t whole() const { return whole_; }
  double value() const { return std::is_integral_v<W> ? static_cast<double>(whole_) : sum_.high; }
  double with(EdgeId edge, EdgeId instead_of) const {
    const W plus = weights_[place_of(edge)], minus = weights_[place_of(instead_of)];
    if constexpr (std::is_integral_v<W>) return static_cast<double>(whole_ + (plus - minus));
    const Parts change = exact_difference(plus, minus);
    const Parts sum = exact_sum(sum_.high, change.high);
    return sum.high + (sum.low + (sum_.low + change.low));
  }

 private:
  std::span<const W> weights_;
  std::int64_t whole_ = 0;
  Parts sum_;
};

// The worst edge of a tree between two nodes: the one that connected their parts, when the edges
// came best first. Parts hang from larger ones, so that no way up is longer than log N.
class Bottlenecks {
 public:
  Bottlenecks(const UndirectedGraph& graph, std::span<const EdgeId> edges)
      : edges_(edges),
        up_(place_of(graph.nodes()), kNoNode),
        time_(up_.size(), edges.size()),
        size_(up_.size(), 1) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      Node one = top(graph.end(edges[i])), other = top(graph.other_end(edges[i]));
      if (size_[place_of(one)] > size_[place_of(other)]) std::swap(one, other);
      up_[place_of(one)] = other;
      time_[place_of(one)] = i;
      size_[place_of(other)] += size_[place_of(one)];
    }
  }
  EdgeId between(Node one, Node other) const {
    std::size_t last = 0;
    while (one != other) {
      Node& earlier = time_[place_of(one)] < time_[place_of(other)] ? one : other;
      last = time_[place_of(earlier)];
      earlier = up_[place_of(earlier)];
    }
    return edges_[last];
  }

 private:
  Node top(Node node) const {
    while (up_[place_of(node)] != kNoNode) node = up_[place_of(node)];
    return node;
  }

  std::span<const EdgeId> edges_;
  std::vector<Node> up_;
  std::vector<std::size_t> time_;  // at which it hung itself there, never for the last
  std::vector<Node> size_;
};

// Calls use(weights, edges) with the edges of the best tree, if there is one.
template <class Use>
void with_best(const UndirectedGraph& graph, RootRule rule, Objective objective, Use use) {
  const auto with = [&]<class W>(std::span<const W> weights) {
    const bool minimize = objective == Objective::minimize;
    const std::vector<EdgeId> edges = Kruskal<W>(graph, weights, minimize).find(rule);
    if (edges.size() + 1 == place_of(graph.nodes())) use(weights, std::span(edges));
  };
  if (graph.scalar() == Scalar::int64)
    with(graph.arcs().integer_weights());
  else
    with(graph.arcs().weights());
}

}  // namespace

TreeList best_tree(const UndirectedGraph& graph, RootRule rule, Objective objective) {
  TreeList trees;
  TreeBuilder builder(trees);
  builder.reset(Graph(graph.arcs()));
  with_best(graph, rule, objective,
            [&]<class W>(std::span<const W> weights, std::span<const EdgeId> edges) {
              const Score<W> score(weights, edges);
              hang(graph, edges, builder.append(score.value(), score.whole()));
            });
  return trees;
}

std::vector<double> best_with_each_edge(const UndirectedGraph& graph, RootRule rule,
                                        Objective objective) {
  std::vector<double> result(place_of(graph.edges()),
                             objective == Objective::minimize ? -kNoWeight : kNoWeight);
  with_best(graph, rule, objective,
            [&]<class W>(std::span<const W> weights, std::span<const EdgeId> edges) {
              const Score<W> score(weights, edges);
              const bool single = rule == RootRule::single;
              const Bottlenecks bottlenecks(graph, single ? edges.first(edges.size() - 1) : edges);
              for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
                poll_at(edge);
                const Node one = graph.end(edge), other = graph.other_end(edge);
                if (one == other || static_cast<double>(weights[place_of(edge)]) == kNoWeight)
                  continue;
                const bool of_root = single && (one == 0 || other == 0);
                result[place_of(edge)] =
                    score.with(edge, of_root ? edges.back() : bottlenecks.between(one, other));
              }
            });
  return result;
}

}  // namespace coppice
