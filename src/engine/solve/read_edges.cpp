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

bool is_missing(double weight) { return weight == kNoWeight; }
bool is_missing(std::int64_t /*weight*/) { return false; }

// Calls use(weights) for a pointer to what the graph has.
template <class Use>
auto with_weights(const Multigraph& graph, Use use) {
  return graph.scalar() == Scalar::int64 ? use(graph.integer_weights().data())
                                         : use(graph.weights().data());
}

// Calls visit(edge, source, target) for every edge that a tree may have. What is kept by targets is
// all over the memory: ahead(target) asks for it before it is needed. (Not inlined, so that a small
// loop has all registers to itself.)
template <class Weight, class Visit, class Ahead>
HWY_NOINLINE void for_each_edge(const Multigraph& graph, const Weight* weights,
                                const Constraints& constraints, Visit visit, Ahead ahead) {
  constexpr EdgeId kAhead = 16;  // far enough for memory to answer
  const Node *sources = graph.sources().data(), *targets = graph.targets().data();
  const EdgeId edges = graph.edges();
  auto visit_all = [=](auto allowed) {
    for (EdgeId e = 0; e < edges; ++e) {
      poll_at(e);
      if (e + kAhead < edges) ahead(targets[e + kAhead]);
      const Node s = sources[e], t = targets[e];
      if (t != 0 && s != t && !is_missing(weights[e]) && allowed(s, t, e)) visit(e, s, t);
    }
  };
  // Most often all are, and then there is nothing to call.
  if (constraints.empty()) return visit_all([](Node, Node, EdgeId) { return true; });
  visit_all([&](Node s, Node t, EdgeId e) { return constraints.allows(s, t, e); });
}
template <class Weight, class Visit>
void for_each_edge(const Multigraph& graph, const Weight* weights, const Constraints& constraints,
                   Visit visit) {
  for_each_edge(graph, weights, constraints, visit, [](Node) {});
}

// By counting: next[t] is how many edges there are into t; gain(edge, source, target) is
// lowest<W>() for all others. In the end next[t] is where those into t end.
template <class W, class Weight, class Gain>
void group_by_target(const Multigraph& graph, const Weight* weights, const Constraints& constraints,
                     Indexed<Node, Slot>& next, Gain gain, EdgeLists<W>& lists) {
  auto& begins = lists.begins();
  begins.assign(1, Slot(0));
  for (Node t = 0; t < graph.nodes(); ++t) {
    begins.push_back(Slot(begins[t].value() + next[t].value()));
    next[t] = begins[t];
  }
  resize_large(lists.edges(), place_of(begins.back()));
  for_each_edge(
      graph, weights, constraints,
      [next = next.data(), edges = lists.edges().data(), gain](EdgeId e, Node s, Node t) {
        const W its_gain = gain(e, s, t);
        if (its_gain == lowest<W>()) return;
        edges[place_of(next[t])] = {its_gain, s, e};
        ++next[t];
      },
      [next = next.data(), edges = lists.edges().data()](Node t) {
        hwy::Prefetch(edges + place_of(next[t]));
      });
}

// The same for a dense graph: gain_of(s, t) is lowest<W>() where there is no edge.
template <class W, class GainOf>
void list_columns(Node nodes, EdgeLists<W>& lists, GainOf gain_of) {
  auto& begin = lists.begins();
  auto& edges = lists.edges();
  if (static_cast<double>(nodes) * nodes > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::bad_graph,
                "a matrix of " + std::to_string(nodes) + " nodes has more arcs than can be listed");
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
void for_each_weight(Graph graph, const Constraints& constraints, Visit visit) {
  if (const Multigraph* edges = graph.multigraph())
    return with_weights(*edges, [&](const auto* weights) {
      for_each_edge(*edges, weights, constraints,
                    [&](EdgeId e, Node, Node t) { visit(static_cast<double>(weights[e]), t); });
    });
  for (Node s = 0; s < graph.nodes(); ++s) {
    poll();
    for (Node t = 1; t < graph.nodes(); ++t)
      if (const double weight = graph.dense()->weight(s, t);
          s != t && weight != kNoWeight && constraints.allows(s, t, kNoEdge))
        visit(weight, t);
  }
}

// The weight, or minus the weight; the least integer, which has no negative, stays as it is.
template <class Weight>
Weight with_sign(Weight sign, Weight weight) {
  if constexpr (std::is_integral_v<Weight>)
    return static_cast<Weight>(static_cast<std::uint64_t>(sign) *
                               static_cast<std::uint64_t>(weight));
  else
    return sign * weight;
}

// a - b, which is not negative.
template <class Weight>
double difference(Weight a, Weight b) {
  if constexpr (std::is_integral_v<Weight>)
    return static_cast<double>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  else
    return a - b;
}

// What is known of the weights of the edges into a node, to be maximised.
template <class Weight>
struct Column {
  Weight best = std::numeric_limits<Weight>::lowest(), second = best;
  Weight least = std::numeric_limits<Weight>::max();
  std::int32_t edges = 0;
};

template <class Weight>
Indexed<Node, Column<Weight>> look_at_columns(const Multigraph& graph,
                                              const Constraints& constraints, const Weight* weights,
                                              Weight sign) {
  Indexed<Node, Column<Weight>> columns(place_of(graph.nodes()));
  for_each_edge(
      graph, weights, constraints,
      [=, columns = columns.data()](EdgeId e, Node, Node t) {
        Column<Weight> column = columns[t];
        const Weight weight = with_sign(sign, weights[e]);
        column.second = std::max(column.second, std::min(weight, column.best));
        column.best = std::max(weight, column.best);
        column.least = std::min(column.least, weight);
        ++column.edges;
        columns[t] = column;
      },
      [columns = columns.data()](Node t) { hwy::Prefetch(columns + t); });
  return columns;
}

template <class Weight>
bool read_weights(const Multigraph& graph, const Weight* weights, const Constraints& constraints,
                  const Problem& problem, EdgeLists<double>& lists, Scale& scale) {
  constexpr bool kIntegral = std::is_integral_v<Weight>;
  const Node nodes = graph.nodes();
  const Weight sign = problem.objective == Objective::minimize ? -1 : 1;
  Indexed<Node, Weight> bests(place_of(nodes));
  Indexed<Node, double> seconds(place_of(nodes), kInfinity);
  Indexed<Node, Slot> next(place_of(nodes), Slot(0));
  double largest_loss = 0.0, size = 0.0;
  bool none = false;  // nothing enters some node
  const auto columns = look_at_columns(graph, constraints, weights, sign);
  for (Node t = 1; t < nodes; ++t) {
    const auto& [best, second, least, edges] = columns[t];
    none = none || edges == 0;
    if (edges == 0) continue;
    bests[t] = best;
    next[t] = Slot(edges);
    if (edges > 1) seconds[t] = difference(best, second);
    largest_loss = std::max(largest_loss, difference(best, least));
    size =
        std::max({size, std::abs(static_cast<double>(best)), std::abs(static_cast<double>(least))});
  }
  if constexpr (kIntegral)
    check_magnitude(static_cast<std::uint64_t>(size), nodes);
  else
    check_magnitude(size, nodes);
  if (none) return false;
  // Only differences matter; those of integers are exact.
  auto with_best = [=, bests = bests.data()](EdgeId e, Node t, auto use) {
    if constexpr (kIntegral)
      return use(-difference(bests[t], with_sign(sign, weights[e])), 0.0);
    else
      return use(with_sign(sign, weights[e]), bests[t]);
  };
  scale = scale_of(nodes, largest_loss, kIntegral);
  if ((!kIntegral || scale.wide) && may_be_uneven(nodes, largest_loss, seconds, true))
    scale = scale_of_uneven(nodes, largest_loss, kIntegral, [&](auto visit) {
      for_each_edge(graph, weights, constraints,
                    [&](EdgeId e, Node, Node t) { with_best(e, t, visit); });
    });
  auto gain = [with_best, scale](EdgeId e, Node, Node t) {
    return with_best(e, t, [&](double weight, double best) { return scale.gain(weight, best); });
  };
  if (scale.leaves_out) {
    next.assign(place_of(nodes), Slot(0));
    for_each_edge(graph, weights, constraints, [&](EdgeId e, Node s, Node t) {
      if (gain(e, s, t) != kNoWeight) ++next[t];
    });
  }
  group_by_target(graph, weights, constraints, next, gain, lists);
  lists.start(problem.root);
  return true;
}

}  // namespace

bool read_edges(const Multigraph& graph, const Constraints& constraints, const Problem& problem,
                EdgeLists<double>& lists, Scale& scale) {
  return with_weights(graph, [&](const auto* weights) {
    return read_weights(graph, weights, constraints, problem, lists, scale);
  });
}

void read_edges(const Dense& dense, RootRule rule, EdgeLists<double>& lists) {
  Node last = kNoNode;
  const double* column = nullptr;
  list_columns(dense.nodes(), lists, [&](Node s, Node t) {
    if (t != last) column = dense.column(last = t);
    return column[s];
  });
  lists.start(rule);
}

bool some_loss(Graph graph, const Constraints& constraints, Objective objective, const Scale& scale,
               LossTest* test) {
  const double sign = objective == Objective::minimize ? -1.0 : 1.0;
  Indexed<Node, double> best(place_of(graph.nodes()), kNoWeight);
  auto for_each = [&](auto visit) {
    for_each_weight(graph, constraints,
                    [&](double weight, Node t) { visit(sign * weight, best[t]); });
  };
  for_each([](double weight, double& largest) { largest = std::max(largest, weight); });
  bool some = false;
  for_each([&](double weight, double largest) { some = some || test(scale, weight, largest); });
  return some;
}

Digits digits_of(Graph graph, const Constraints& constraints) {
  int first = 0, last = 0;  // powers of two: above every weight; of the last digit of one
  bool some = false;
  for_each_weight(graph, constraints, [&](double weight, Node) {
    if (weight == 0.0) return;
    int above = 0;
    const double fraction = std::frexp(std::abs(weight), &above);
    const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    const int digit = above - 53 + std::countr_zero(digits);
    first = some ? std::max(first, above) : above;
    last = some ? std::min(last, digit) : digit;
    some = true;
  });
  if (graph.scalar() == Scalar::int64) last = 0, first = std::max(first, 0);
  const int tree = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(graph.nodes())));
  // A tree, the price of root edges, and sums of a few of these.
  return {-last, first - last + 2 * tree + 8};
}

template <class W>
void read_exactly(Graph graph, const Constraints& constraints, const Problem& problem, int shift,
                  EdgeLists<W>& lists) {
  const bool minimize = problem.objective == Objective::minimize;
  auto exactly = [&](auto given) {
    const W gain = [&] {
      if constexpr (std::is_integral_v<decltype(given)>)
        return W(given);
      else
        return W(static_cast<double>(given), shift);
    }();
    return minimize ? -gain : gain;
  };
  if (const Multigraph* edges = graph.multigraph()) {
    with_weights(*edges, [&](const auto* weights) {
      Indexed<Node, Slot> next(place_of(edges->nodes()), Slot(0));
      for_each_edge(*edges, weights, constraints, [&](EdgeId, Node, Node t) { ++next[t]; });
      auto gain = [&](EdgeId e, Node, Node) { return exactly(weights[e]); };
      group_by_target(*edges, weights, constraints, next, gain, lists);
    });
  } else {
    const DenseView& view = *graph.dense();
    list_columns(view.nodes(), lists, [&](Node s, Node t) {
      if (s == t || !constraints.allows(s, t, kNoEdge)) return lowest<W>();
      if (view.scalar() == Scalar::int64) return exactly(view.at<std::int64_t>(s, t));
      const double weight = view.weight(s, t);
      return weight == kNoWeight ? lowest<W>() : exactly(weight);
    });
  }
  lists.start(problem.root);
}

template void read_exactly(Graph, const Constraints&, const Problem&, int, EdgeLists<Wide128>&);
template void read_exactly(Graph, const Constraints&, const Problem&, int, EdgeLists<WideAny>&);

}  // namespace coppice::engine
