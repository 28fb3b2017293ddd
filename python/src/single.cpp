// One graph at a time: kbest, Stream, Multigraph.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <coppice/diverse.hpp>
#include <coppice/kbest.hpp>
#include <coppice/legal.hpp>
#include <coppice/max_marginals.hpp>
#include <coppice/undirected.hpp>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "decode.hpp"
#include "interrupt.hpp"
#include "rules.hpp"
#include "shared_stream.hpp"
#include "undirected/rooting.hpp"

namespace coppice::python {
namespace {

// The rows of all trees without the entry of the root.
std::vector<std::int32_t> words_only(std::span<const std::int32_t> rows, std::size_t nodes) {
  std::vector<std::int32_t> words;
  words.reserve(rows.size());
  for (std::size_t begin = 0; begin < rows.size(); begin += nodes)
    words.insert(words.end(), rows.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                 rows.begin() + static_cast<std::ptrdiff_t>(begin + nodes));
  return words;
}

// (heads [size, words], scores [size], edges [size, words] or None, bound and its gap or None)
nb::tuple to_python(const TreeList& trees, Graph graph) {
  auto nodes = static_cast<std::size_t>(graph.nodes());
  auto rows = [&](std::span<const std::int32_t> all) {
    return read_only(words_only(all, nodes), {trees.size(), nodes - 1});
  };
  auto copy = [&](auto values) {
    using T = std::remove_const_t<typename decltype(values)::element_type>;
    return read_only(std::vector<T>(values.begin(), values.end()), {trees.size()});
  };
  bool integers = graph.scalar() == Scalar::int64;
  return nb::make_tuple(
      rows(trees.all_heads()), integers ? copy(trees.integer_scores()) : copy(trees.scores()),
      graph.multigraph() ? rows(trees.all_edges()) : nb::none(),
      trees.complete() ? nb::object(nb::none()) : nb::make_tuple(trees.bound(), trees.bound_gap()));
}

nb::tuple solve(Graph graph, const Problem& problem, const Request& request) {
  // Sentences reuse the memory of the last one; that of larger graphs is not kept.
  constexpr std::int64_t kSentence = 256 * 256;
  const std::int64_t edges = graph.multigraph() != nullptr
                                 ? graph.multigraph()->edges()
                                 : std::int64_t{graph.nodes()} * graph.nodes();
  const bool keep = edges <= kSentence && request.k && *request.k <= kSentence;
  thread_local Decoder sentence_decoder;
  TreeList trees;
  interruptible([&] {
    if (keep)
      sentence_decoder.kbest(graph, problem, request, trees);
    else
      Decoder().kbest(graph, problem, request, trees);
  });
  return to_python(trees, graph);
}

// Of a directed graph or an undirected one.
class AnyStream {
 public:
  AnyStream(Graph graph, const Problem& problem, const Request& request)
      : stream_(std::in_place_type<TreeStream>, graph, problem, request) {}
  AnyStream(const UndirectedGraph& graph, const Problem& problem, const Request& request)
      : stream_(std::in_place_type<SpanningTreeStream>, graph, problem, request) {}

  std::optional<Tree> next() {
    return std::visit([](auto& stream) { return stream.next(); }, stream_);
  }
  // With its gap.
  std::optional<std::pair<double, double>> bound() const {
    const auto* stream = std::get_if<TreeStream>(&stream_);
    if (stream == nullptr || stream->complete()) return std::nullopt;
    return std::pair(stream->bound(), stream->bound_gap());
  }

 private:
  std::variant<TreeStream, SpanningTreeStream> stream_;
};
nb::tuple solve_diverse(Graph graph, const Problem& problem, const DiverseRequest& request) {
  return to_python(interruptible([&] { return diverse(graph, problem, request); }), graph);
}

class Stream {
 public:
  template <class AnyGraph>
  Stream(const AnyGraph& graph, const Problem& problem, const Request& request)
      : integers_(graph.scalar() == Scalar::int64),
        stream_(std::in_place, graph, problem, request) {}

  // (heads, score, edges or None), or None at the end.
  nb::object next() {
    const std::optional<Tree> tree = stream_.next();
    if (!tree) return nb::none();
    auto row = [](const std::vector<std::int32_t>& all) {
      return read_only(std::vector(all.begin() + 1, all.end()), {all.size() - 1});
    };
    return nb::make_tuple(row(tree->heads),
                          integers_ ? nb::cast(tree->integer_score) : nb::cast(tree->score),
                          tree->edges.empty() ? nb::object(nb::none()) : row(tree->edges));
  }
  // With its gap; None unless the budget has run out.
  std::optional<std::pair<double, double>> bound() {
    return stream_.ask([](const AnyStream& stream) { return stream.bound(); });
  }

 private:
  bool integers_;
  SharedStream<AnyStream> stream_;
};

template <class AnyGraph, class T>
AnyGraph from_edges(std::int64_t nodes, Column<Node> sources, Column<Node> targets,
                    Column<T> weights) {
  return AnyGraph::from_edges(nodes, span_of(sources), span_of(targets), span_of(weights));
}

// What both kinds of graph have; arcs_of(graph): the edges as arcs, all or the first so many.
template <class AnyGraph, class Bound, class Arcs>
void bind_graph(Bound& bound, const Arcs& arcs_of) {
  bound
      .def_static("of_floats", &from_edges<AnyGraph, double>, nb::arg("nodes"), nb::arg("sources"),
                  nb::arg("targets"), nb::arg("weights"))
      .def_static("of_integers", &from_edges<AnyGraph, std::int64_t>, nb::arg("nodes"),
                  nb::arg("sources"), nb::arg("targets"), nb::arg("weights"))
      .def("endpoints",
           [arcs_of](const AnyGraph& self) {
             const auto edges = static_cast<std::size_t>(self.edges());
             auto copy = [&](std::span<const Node> nodes) {
               return to_numpy(std::vector(nodes.begin(), nodes.begin() + self.edges()), {edges});
             };
             return std::pair(copy(arcs_of(self).sources()), copy(arcs_of(self).targets()));
           })
      .def("weights",
           [arcs_of](const AnyGraph& self) -> nb::object {
             const auto edges = static_cast<std::size_t>(self.edges());
             auto copy = [&](auto weights) {
               return to_numpy(std::vector(weights.begin(), weights.begin() + self.edges()),
                               {edges});
             };
             return self.scalar() == Scalar::int64 ? copy(arcs_of(self).integer_weights())
                                                   : copy(arcs_of(self).weights());
           })
      .def_prop_ro("nodes", &AnyGraph::nodes);
}

// What legal trees there are, of a matrix and of a multigraph.
template <class Given, class ToGraph>
void bind_legal(nb::module_& module, ToGraph to_graph) {
  module.def(
      "count_legal",
      [to_graph](const Given& given, const Problem& problem, const KeptFacts* facts,
                 std::int64_t limit) {
        return interruptible(
            [&] { return count_legal(known(to_graph(given), facts), problem, limit); });
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("facts").none(), nb::arg("limit"));
  module.def(
      "draw_legal",
      [to_graph](const Given& given, const Problem& problem, const KeptFacts* facts,
                 std::size_t count, std::uint64_t seed, std::int64_t limit) {
        const Graph graph = known(to_graph(given), facts);
        return to_python(
            interruptible([&] { return sample_legal(graph, problem, count, seed, limit); }), graph);
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("facts").none(), nb::arg("count"),
      nb::arg("seed"), nb::arg("limit"));
  module.def(
      "why_none_legal",
      [to_graph](const Given& given, const Problem& problem, const KeptFacts* facts,
                 const std::vector<std::string>& names) {
        return interruptible(
            [&] { return why_none_legal(known(to_graph(given), facts), problem, names); });
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("facts").none(), nb::arg("names"));
}

void bind_undirected(nb::module_& module) {
  nb::class_<UndirectedGraph> undirected(module, "UndirectedGraph");
  bind_graph<UndirectedGraph>(
      undirected, [](const UndirectedGraph& self) -> const Multigraph& { return self.arcs(); });
  undirected.def("first_of_each_part", [](const UndirectedGraph& self) {
    std::vector<Node> firsts = self.first_of_each_part();
    const std::size_t parts = firsts.size();
    return to_numpy(std::move(firsts), {parts});
  });
  module.def(
      "kbest_edges",
      [](const UndirectedGraph& graph, const Problem& problem, const Request& request,
         const KeptFacts*) {
        const TreeList trees = interruptible([&] { return kbest(graph, problem, request); });
        return to_python(trees, graph.arcs());
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("request"), nb::arg("facts").none());
  module.def(
      "count_legal",
      [](const UndirectedGraph& graph, const Problem& problem, const KeptFacts*,
         std::int64_t limit) {
        return interruptible([&] {
          const Rooting rooting(graph, problem);
          return count_legal(rooting.graph(), rooting.problem(), limit);
        });
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("facts").none(), nb::arg("limit"));
  module.def(
      "draw_legal",
      [](const UndirectedGraph& graph, const Problem& problem, const KeptFacts*, std::size_t count,
         std::uint64_t seed, std::int64_t limit) {
        const TreeList trees = interruptible([&] {
          const Rooting rooting(graph, problem);
          TreeList drawn = sample_legal(rooting.graph(), rooting.problem(), count, seed, limit);
          rooting.name_edges(drawn);
          return drawn;
        });
        return to_python(trees, graph.arcs());
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("facts").none(), nb::arg("count"),
      nb::arg("seed"), nb::arg("limit"));
  module.def(
      "max_marginals",
      [](const UndirectedGraph& graph, const Problem& problem) {
        auto found = interruptible([&] { return max_marginals(graph, problem); });
        auto edges = found.size();
        return to_numpy(std::move(found), {edges});
      },
      nb::arg("graph"), nb::arg("problem"));
}

}  // namespace

void bind_single(nb::module_& module) {
  nb::class_<Multigraph> directed(module, "Multigraph");
  bind_graph<Multigraph>(directed,
                         [](const Multigraph& self) -> const Multigraph& { return self; });

  module.def(
      "label_arcs",
      [](Array scores, LabelScoreArray label_scores, std::optional<LabelIdArray> labels) {
        auto graph = interruptible([&] {
          return labelled(matrix_of(scores).view(), label_choices(label_scores, labels));
        });
        auto edges = graph.labels.size();
        return std::pair(std::move(graph.graph), to_numpy(std::move(graph.labels), {edges}));
      },
      nb::arg("scores"), nb::arg("label_scores"), nb::arg("labels").none());

  module.def(
      "kbest",
      [](Array scores, const Problem& problem, const Request& request, const KeptFacts* facts) {
        return solve(known(matrix_of(scores).view(), facts), problem, request);
      },
      nb::arg("scores"), nb::arg("problem"), nb::arg("request"), nb::arg("facts").none());
  module.def(
      "kbest_edges",
      [](const Multigraph& graph, const Problem& problem, const Request& request,
         const KeptFacts* facts) { return solve(known(graph, facts), problem, request); },
      nb::arg("graph"), nb::arg("problem"), nb::arg("request"), nb::arg("facts").none());

  nb::class_<DiverseRequest>(module, "DiverseRequest")
      .def(
          "__init__",
          [](DiverseRequest* self, std::int64_t k, std::int32_t distance,
             std::vector<std::string> ignored_labels, std::optional<std::int64_t> budget,
             std::optional<double> time_limit) {
            new (self) DiverseRequest{k, distance, std::move(ignored_labels), budget, time_limit};
          },
          nb::arg("k"), nb::arg("distance"), nb::arg("ignored_labels"), nb::arg("budget").none(),
          nb::arg("time_limit").none());
  module.def(
      "diverse",
      [](Array scores, const Problem& problem, const DiverseRequest& request,
         const KeptFacts* facts) {
        return solve_diverse(known(matrix_of(scores).view(), facts), problem, request);
      },
      nb::arg("scores"), nb::arg("problem"), nb::arg("request"), nb::arg("facts").none());
  module.def(
      "diverse",
      [](const Multigraph& graph, const Problem& problem, const DiverseRequest& request,
         const KeptFacts* facts) { return solve_diverse(known(graph, facts), problem, request); },
      nb::arg("graph"), nb::arg("problem"), nb::arg("request"), nb::arg("facts").none());

  module.def(
      "max_marginals",
      [](Array scores, const Problem& problem) {
        const DenseView view = matrix_of(scores).view();
        auto found = interruptible([&] { return max_marginals(view, problem); });
        auto nodes = static_cast<std::size_t>(view.nodes());
        return to_numpy(std::move(found), {nodes, nodes});
      },
      nb::arg("scores"), nb::arg("problem"));
  module.def(
      "max_marginals",
      [](const Multigraph& graph, const Problem& problem) {
        auto found = interruptible([&] { return max_marginals(graph, problem); });
        auto edges = found.size();
        return to_numpy(std::move(found), {edges});
      },
      nb::arg("graph"), nb::arg("problem"));
  bind_legal<Array>(module, [](const Array& scores) { return matrix_of(scores).view(); });
  bind_legal<Multigraph>(module,
                         [](const Multigraph& graph) -> const Multigraph& { return graph; });
  bind_undirected(module);

  nb::class_<Stream>(module, "Stream")
      .def(
          "__init__",
          [](Stream* self, Array scores, const Problem& problem, const Request& request,
             const KeptFacts* facts) {
            DenseView view = matrix_of(scores).view();
            interruptible([&] { new (self) Stream(known(view, facts), problem, request); });
          },
          nb::arg("scores"), nb::arg("problem"), nb::arg("request"), nb::arg("facts").none())
      .def(
          "__init__",
          [](Stream* self, const Multigraph& graph, const Problem& problem, const Request& request,
             const KeptFacts* facts) {
            interruptible([&] { new (self) Stream(known(graph, facts), problem, request); });
          },
          nb::arg("graph"), nb::arg("problem"), nb::arg("request"), nb::arg("facts").none())
      .def(
          "__init__",
          [](Stream* self, const UndirectedGraph& graph, const Problem& problem,
             const Request& request, const KeptFacts*) {
            interruptible([&] { new (self) Stream(graph, problem, request); });
          },
          nb::arg("graph"), nb::arg("problem"), nb::arg("request"), nb::arg("facts").none())
      .def("next", &Stream::next)
      .def_prop_ro("bound", &Stream::bound);
}

}  // namespace coppice::python
