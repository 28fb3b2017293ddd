#include "engine/solve/read_edges.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <coppice/error.hpp>
#include <limits>
#include <type_traits>

#include "graph/input.hpp"
#include "graph/large_arrays.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// The value of the last binary digit of a number; infinity for 0.
double last_digit(double number) {
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(std::abs(number));
  if (bits == 0) return std::numeric_limits<double>::infinity();
  if ((bits & kFraction) == 0) return std::abs(number);  // a power of two
  return std::abs(number) - std::bit_cast<double>(bits & (bits - 1));
}

// Drops all edges but those that keep(edge, target) holds of.
template <class W, class Keep>
void keep_edges(Node nodes, Sparse<W>& lists, Keep keep) {
  auto& edges = lists.edges();
  Slot kept(0), first = lists.begin(1);
  for (Node t = 1; t < nodes; ++t) {
    poll_at(t);
    const Slot last = lists.end(t);
    lists.begins()[t] = kept;
    for (Slot e = first; e < last; ++e)
      if (keep(edges[e], t)) edges[kept] = edges[e], ++kept;
    lists.begins()[t + 1] = kept;
    first = last;
  }
  edges.resize(place_of(kept));
}

// By counting. gain_of(e) is asked once for every edge that a tree may have; lowest<W>(): it is
// missing.
template <class W, class GainOf>
void group_by_target(const Multigraph& graph, const Constraints& constraints, Sparse<W>& lists,
                     GainOf gain_of) {
  constexpr EdgeId kAhead = 16;  // so many edges ahead is far enough for memory to answer
  const std::span<const Node> sources = graph.sources(), targets = graph.targets();
  const bool all = constraints.empty();
  auto usable = [&](EdgeId e) {
    const Node s = sources[place_of(e)], t = targets[place_of(e)];
    return t != 0 && s != t && (all || constraints.allows(s, t, e));
  };
  auto& begin = lists.begins();
  auto& edges = lists.edges();
  begin.assign(place_of(graph.nodes()) + 1, Slot(0));
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    poll_at(e);
    if (usable(e)) ++begin[targets[place_of(e)] + 1];
  }
  for (Node t = 0; t < graph.nodes(); ++t)
    begin[t + 1] = Slot(begin[t].value() + begin[t + 1].value());
  resize_large(edges, place_of(begin.back()));
  Indexed<Node, Slot> next(begin.begin(), begin.end() - 1);
  bool some_missing = false;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    poll_at(e);
    // The places are all over the memory: they are asked for before they are needed.
    if (e + kAhead < graph.edges())
      hwy::Prefetch(edges.data() + place_of(next[targets[place_of(e + kAhead)]]));
    if (!usable(e)) continue;
    const Node t = targets[place_of(e)];
    const W gain = gain_of(e);
    some_missing = some_missing || gain == lowest<W>();
    edges[next[t]] = {gain, sources[place_of(e)], e};
    ++next[t];
  }
  if (some_missing)
    keep_edges(graph.nodes(), lists, [](const auto& edge, Node) { return edge.gain != lowest<W>(); });
}

// The same for a dense graph: gain_of(s, t) is lowest<W>() where there is no edge.
template <class W, class GainOf>
void list_columns(Node nodes, Sparse<W>& lists, GainOf gain_of) {
  auto& begin = lists.begins();
  auto& edges = lists.edges();
  if (static_cast<double>(nodes) * nodes > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::bad_graph, "a matrix of " + std::to_string(nodes) +
                                          " nodes has more arcs than can be listed");
  begin.assign(place_of(nodes) + 1, Slot(0));
  edges.clear();
  for (Node t = 1; t < nodes; ++t) {
    poll();
    for (Node s = 0; s < nodes; ++s)
      if (const W gain = gain_of(s, t); gain != lowest<W>()) edges.push_back({gain, s, s});
    begin[t + 1] = edges.end_index();
  }
}

// Calls visit(weight, dependent) for every edge that a tree may have.
template <class Visit>
void for_each_usable(Graph graph, const Constraints& constraints, Visit visit) {
  if (const Multigraph* edges = graph.multigraph()) {
    for (EdgeId e = 0; e < edges->edges(); ++e) {
      poll_at(e);
      const Node s = edges->source(e), t = edges->target(e);
      if (t != 0 && s != t && constraints.allows(s, t, e)) visit(edges->weight(e), t);
    }
    return;
  }
  for (Node s = 0; s < graph.nodes(); ++s) {
    poll();
    for (Node t = 1; t < graph.nodes(); ++t)
      if (s != t && constraints.allows(s, t, kNoEdge)) visit(graph.dense()->weight(s, t), t);
  }
}

// The edges with their weights, to be maximised. Integers lose the best into their node, so that
// float64 holds those that are near it exactly.
void group_weights(const Multigraph& graph, const Constraints& constraints, bool minimize,
                   Sparse<double>& lists) {
  if (graph.scalar() != Scalar::int64)
    return group_by_target(graph, constraints, lists, [&](EdgeId e) {
      const double given = graph.weights()[place_of(e)];
      return minimize && given != kNoWeight ? -given : given;
    });
  double size = 0.0;
  auto weight = [&](EdgeId e) {
    const std::int64_t given = graph.integer_weights()[place_of(e)];
    size = std::max(size, std::abs(static_cast<double>(given)));
    return minimize ? -given : given;
  };
  Indexed<Node, std::int64_t> best(place_of(graph.nodes()),
                                   std::numeric_limits<std::int64_t>::min());
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    const Node s = graph.source(e), t = graph.target(e);
    if (t != 0 && s != t && constraints.allows(s, t, e)) best[t] = std::max(best[t], weight(e));
  }
  check_magnitude(static_cast<std::uint64_t>(size), graph.nodes());
  group_by_target(graph, constraints, lists, [&](EdgeId e) {
    return static_cast<double>(weight(e) - best[graph.target(e)]);
  });
}

}  // namespace

bool read_edges(const Multigraph& graph, const Constraints& constraints, const Which& which,
                Sparse<double>& lists, Scale& scale) {
  const Node nodes = graph.nodes();
  const bool integral = graph.scalar() == Scalar::int64;
  group_weights(graph, constraints, which.objective == Objective::minimize, lists);
  lists.prepare(which.root);
  const auto& edges = lists.edges();
  Indexed<Node, double> best(place_of(nodes)), second(place_of(nodes));
  double largest_loss = 0.0, size = 0.0;
  bool none = false;  // nothing enters some node
  for (Node t = 1; t < nodes; ++t) {
    poll_at(t);
    double first = kNoWeight, other = kNoWeight, least = std::numeric_limits<double>::infinity();
    lists.look_at(t, [&](double weight) {
      other = std::max(other, std::min(weight, first));
      first = std::max(first, weight);
      least = std::min(least, weight);
    });
    none = none || first == kNoWeight;
    if (first == kNoWeight) continue;
    best[t] = first;
    second[t] = first - other;
    largest_loss = std::max(largest_loss, first - least);
    size = std::max({size, std::abs(first), std::abs(least)});
  }
  if (!integral) check_magnitude(size, nodes);
  if (none) return false;
  scale = scale_of(nodes, largest_loss, integral);
  if ((!integral || scale.wide) && may_be_uneven(nodes, largest_loss, second))
    scale = scale_of_uneven(nodes, integral, [&](auto visit) {
      for (Node t = 1; t < nodes; ++t) {
        poll_at(t);
        for (Slot e = lists.begin(t); e < lists.end(t); ++e) visit(edges[e].gain, best[t]);
      }
    });
  if (scale.leaves_out) {
    keep_edges(nodes, lists, [&](const auto& edge, Node t) {
      return scale.gain(edge.gain, best[t]) != kNoWeight;
    });
    for (Node t = 1; t < nodes; ++t) lists.look_at(t);
  }
  for (Node t = 1; t < nodes; ++t) {
    poll_at(t);
    lists.change_gains(t, [&](double weight) { return scale.gain(weight, best[t]); });
  }
  return true;
}

void read_edges(const Dense& dense, RootRule rule, Sparse<double>& lists) {
  Node last = kNoNode;
  const double* column = nullptr;
  list_columns(dense.nodes(), lists, [&](Node s, Node t) {
    if (t != last) column = dense.column(last = t);
    return column[s];
  });
  lists.start(rule);
}

bool some_loss(Graph graph, const Constraints& constraints, Objective objective,
               const Scale& scale, LossTest* test) {
  const double sign = objective == Objective::minimize ? -1.0 : 1.0;
  Indexed<Node, double> best(place_of(graph.nodes()), kNoWeight);
  auto for_each = [&](auto visit) {
    for_each_usable(graph, constraints, [&](double weight, Node t) {
      if (weight != kNoWeight) visit(sign * weight, best[t]);
    });
  };
  for_each([](double weight, double& largest) { largest = std::max(largest, weight); });
  bool some = false;
  for_each([&](double weight, double largest) { some = some || test(scale, weight, largest); });
  return some;
}

Digits digits_of(Graph graph, const Constraints& constraints) {
  int first = 0, last = 0;  // powers of two: above every weight; of the last digit of one
  bool some = false;
  for_each_usable(graph, constraints, [&](double weight, Node) {
    if (weight == kNoWeight || weight == 0.0) return;
    int above = 0, digit = 0;
    std::frexp(weight, &above);
    std::frexp(last_digit(weight), &digit);
    first = some ? std::max(first, above) : above;
    last = some ? std::min(last, digit - 1) : digit - 1;
    some = true;
  });
  if (graph.scalar() == Scalar::int64) last = 0, first = std::max(first, 0);
  const int tree = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(graph.nodes())));
  const int penalty = first - last + tree + 3;
  return {-last, penalty, penalty + tree + 8};
}

template <class W>
void read_exactly(Graph graph, const Constraints& constraints, const Which& which, int shift,
                  const W& penalty, Sparse<W>& lists) {
  const bool minimize = which.objective == Objective::minimize;
  auto exactly = [&](auto given, Node head) {
    W gain;
    if constexpr (std::is_integral_v<decltype(given)>)
      gain = W(given);
    else
      gain = W(static_cast<double>(given), shift);
    if (minimize) gain = -gain;
    return head == 0 ? gain - penalty : gain;
  };
  if (const Multigraph* edges = graph.multigraph()) {
    group_by_target(*edges, constraints, lists, [&](EdgeId e) {
      if (edges->scalar() == Scalar::int64)
        return exactly(edges->integer_weight(e), edges->source(e));
      const double weight = edges->weight(e);
      return weight == kNoWeight ? lowest<W>() : exactly(weight, edges->source(e));
    });
  } else {
    const DenseView& view = *graph.dense();
    list_columns(view.nodes(), lists, [&](Node s, Node t) {
      if (s == t || !constraints.allows(s, t, kNoEdge)) return lowest<W>();
      if (view.scalar() == Scalar::int64) return exactly(view.at<std::int64_t>(s, t), s);
      const double weight = view.weight(s, t);
      return weight == kNoWeight ? lowest<W>() : exactly(weight, s);
    });
  }
  lists.start(which.root);
}

template void read_exactly(Graph, const Constraints&, const Which&, int, const Wide128&,
                           Sparse<Wide128>&);
template void read_exactly(Graph, const Constraints&, const Which&, int, const WideAny&,
                           Sparse<WideAny>&);

}  // namespace coppice::engine
