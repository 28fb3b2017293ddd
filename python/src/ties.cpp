// How many best trees there are, and what they have in common.
#include <nanobind/nanobind.h>

#include <bit>
#include <coppice/ties.hpp>
#include <coppice/undirected.hpp>

#include "arrays.hpp"
#include "decode.hpp"
#include "interrupt.hpp"

namespace coppice::python {
namespace {

// The number as bytes, the lowest first.
template <class Count>
nb::bytes bytes_of(const Count& count) {
  static_assert(std::endian::native == std::endian::little);
  const BigCount found = interruptible(count);
  return nb::bytes(reinterpret_cast<const char*>(found.words.data()),
                   found.words.size() * sizeof(std::uint64_t));
}

nb::bytes count(Graph graph, const Problem& problem) {
  return bytes_of([&] { return Ties(graph, problem).count(); });
}

double log_count(Graph graph, const Problem& problem) {
  return interruptible([&] { return Ties(graph, problem).log_count(); });
}

std::vector<double> support(Graph graph, const Problem& problem) {
  return interruptible([&] { return Ties(graph, problem).support(); });
}

}  // namespace

void bind_ties(nb::module_& module) {
  module.def(
      "count_optimal",
      [](Array scores, const Problem& problem) { return count(matrix_of(scores).view(), problem); },
      nb::arg("scores"), nb::arg("problem"));
  module.def(
      "count_optimal",
      [](const Multigraph& graph, const Problem& problem) { return count(graph, problem); },
      nb::arg("graph"), nb::arg("problem"));
  module.def(
      "log_count_optimal",
      [](Array scores, const Problem& problem) {
        return log_count(matrix_of(scores).view(), problem);
      },
      nb::arg("scores"), nb::arg("problem"));
  module.def(
      "log_count_optimal",
      [](const Multigraph& graph, const Problem& problem) { return log_count(graph, problem); },
      nb::arg("graph"), nb::arg("problem"));
  module.def(
      "optimal_support",
      [](Array scores, const Problem& problem) {
        const DenseView view = matrix_of(scores).view();
        const auto nodes = static_cast<std::size_t>(view.nodes());
        return to_numpy(support(view, problem), {nodes, nodes});
      },
      nb::arg("scores"), nb::arg("problem"));
  module.def(
      "optimal_support",
      [](const Multigraph& graph, const Problem& problem) {
        return to_numpy(support(graph, problem), {static_cast<std::size_t>(graph.edges())});
      },
      nb::arg("graph"), nb::arg("problem"));
  module.def(
      "count_optimal",
      [](const UndirectedGraph& graph, const Problem& problem) {
        return bytes_of([&] { return count_optimal(graph, problem); });
      },
      nb::arg("graph"), nb::arg("problem"));
  module.def(
      "log_count_optimal",
      [](const UndirectedGraph& graph, const Problem& problem) {
        return interruptible([&] { return log_count_optimal(graph, problem); });
      },
      nb::arg("graph"), nb::arg("problem"));
  module.def(
      "optimal_support",
      [](const UndirectedGraph& graph, const Problem& problem) {
        auto found = interruptible([&] { return optimal_support(graph, problem); });
        return to_numpy(std::move(found), {static_cast<std::size_t>(graph.edges())});
      },
      nb::arg("graph"), nb::arg("problem"));
}

}  // namespace coppice::python
