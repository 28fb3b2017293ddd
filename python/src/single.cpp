// One graph at a time: kbest, Stream, Multigraph.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <coppice/kbest.hpp>
#include <coppice/max_marginals.hpp>
#include <utility>

#include "arrays.hpp"
#include "decode.hpp"
#include "interrupt.hpp"
#include "rules.hpp"
#include "shared_stream.hpp"

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

// (heads [size, words], scores [size], edges [size, words] or None, bound or None)
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
  return nb::make_tuple(rows(trees.all_heads()),
                        integers ? copy(trees.integer_scores()) : copy(trees.scores()),
                        graph.multigraph() ? rows(trees.all_edges()) : nb::none(),
                        trees.complete() ? nb::object(nb::none()) : nb::cast(trees.bound()));
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

class Stream {
 public:
  Stream(Graph graph, const Problem& problem, const Request& request)
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
  // None unless the budget has run out.
  std::optional<double> bound() {
    return stream_.ask([](const TreeStream& stream) -> std::optional<double> {
      if (stream.complete()) return std::nullopt;
      return stream.bound();
    });
  }

 private:
  bool integers_;
  SharedStream<TreeStream> stream_;
};

template <class T>
Multigraph multigraph(std::int64_t nodes, Column<Node> sources, Column<Node> targets,
                      Column<T> weights) {
  return Multigraph::from_edges(nodes, span_of(sources), span_of(targets), span_of(weights));
}

}  // namespace

void bind_single(nb::module_& module) {
  nb::class_<Multigraph>(module, "Multigraph")
      .def_static("of_floats", &multigraph<double>, nb::arg("nodes"), nb::arg("sources"),
                  nb::arg("targets"), nb::arg("weights"))
      .def_static("of_integers", &multigraph<std::int64_t>, nb::arg("nodes"), nb::arg("sources"),
                  nb::arg("targets"), nb::arg("weights"))
      .def("endpoints",
           [](const Multigraph& self) {
             auto copy = [](std::span<const Node> nodes) {
               return to_numpy(std::vector(nodes.begin(), nodes.end()), {nodes.size()});
             };
             return std::pair(copy(self.sources()), copy(self.targets()));
           })
      .def("weights",
           [](const Multigraph& self) -> nb::object {
             auto copy = [](auto weights) {
               return to_numpy(std::vector(weights.begin(), weights.end()), {weights.size()});
             };
             return self.scalar() == Scalar::int64 ? copy(self.integer_weights())
                                                   : copy(self.weights());
           })
      .def_prop_ro("nodes", &Multigraph::nodes);

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
      .def("next", &Stream::next)
      .def_prop_ro("bound", &Stream::bound);
}

}  // namespace coppice::python
