// How sure the trees of one graph are.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "arrays.hpp"
#include "confidence.hpp"
#include "decode.hpp"
#include "graph/tree_builder.hpp"
#include "interrupt.hpp"

namespace coppice::python {
namespace {

using Rows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Trees without their scores, which nobody asks for here.
TreeList list_of(const Rows& heads, const std::optional<Rows>& edges) {
  const std::size_t words = heads.shape(1);
  if (edges) check_shape(*edges, {heads.shape(0), words}, "edges");
  TreeList trees;
  TreeBuilder(trees).reset(static_cast<Node>(words + 1), edges.has_value(), false);
  for (std::size_t rank = 0; rank < heads.shape(0); ++rank) {
    TreeBuilder::Row row = TreeBuilder(trees).append(0.0, 0);
    row.heads[0] = kNoNode;
    std::copy_n(heads.data() + rank * words, words, row.heads.begin() + 1);
    if (!edges) continue;
    row.edges[0] = kNoEdge;
    std::copy_n(edges->data() + rank * words, words, row.edges.begin() + 1);
  }
  return trees;
}

// (probabilities, heads, labels, other heads, others)
nb::tuple judge(Graph graph, const Problem& problem, const TreeList& trees) {
  const auto words = static_cast<std::size_t>(graph.words());
  const ListProbabilities found = interruptible([&] { return confidence(graph, problem, trees); });
  std::vector<double> heads(found.all.size()), labels(heads.size()), others(heads.size());
  std::vector<std::int32_t> other_heads(heads.size());
  write_confidence(found, words, {heads.data(), labels.data(), other_heads.data(), others.data()});
  const std::size_t count = trees.size();
  return nb::make_tuple(to_numpy(std::vector(found.probabilities), {count}),
                        to_numpy(std::move(heads), {count, words}),
                        to_numpy(std::move(labels), {count, words}),
                        to_numpy(std::move(other_heads), {count, words}),
                        to_numpy(std::move(others), {count, words}));
}

}  // namespace

void bind_confidence(nb::module_& module) {
  module.def(
      "confidence",
      [](Array scores, const Problem& problem, const Rows& heads) {
        return judge(matrix_of(scores).view(), problem, list_of(heads, std::nullopt));
      },
      nb::arg("scores"), nb::arg("problem"), nb::arg("heads"));
  module.def(
      "confidence_edges",
      [](const Multigraph& graph, const Problem& problem,
         const std::optional<Column<std::int32_t>>& edge_labels, const Rows& heads,
         const Rows& edges) {
        SentenceFacts facts;
        if (edge_labels) facts.edge_labels = span_of(*edge_labels);
        return judge(Graph(graph, facts), problem, list_of(heads, edges));
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("edge_labels").none(), nb::arg("heads"),
      nb::arg("edges"));
}

}  // namespace coppice::python
