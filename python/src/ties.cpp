// How many best trees there are, and what they have in common.
#include <nanobind/nanobind.h>

#include <bit>
#include <coppice/ties.hpp>

#include "arrays.hpp"
#include "decode.hpp"
#include "interrupt.hpp"

namespace coppice::python {
namespace {

// The number as bytes, the lowest first.
nb::bytes count(Graph graph, const Which& which) {
  static_assert(std::endian::native == std::endian::little);
  const BigCount found = interruptible([&] { return count_optimal(graph, which); });
  return nb::bytes(reinterpret_cast<const char*>(found.words.data()),
                   found.words.size() * sizeof(std::uint64_t));
}

double log_count(Graph graph, const Which& which) {
  return interruptible([&] { return Ties(graph, which).log_count(); });
}

std::vector<double> support(Graph graph, const Which& which) {
  return interruptible([&] { return optimal_support(graph, which); });
}

}  // namespace

void bind_ties(nb::module_& module) {
  module.def(
      "count_optimal",
      [](Array scores, const Which& which) { return count(matrix_of(scores).view(), which); },
      nb::arg("scores"), nb::arg("which"));
  module.def(
      "count_optimal",
      [](const Multigraph& graph, const Which& which) { return count(graph, which); },
      nb::arg("graph"), nb::arg("which"));
  module.def(
      "log_count_optimal",
      [](Array scores, const Which& which) { return log_count(matrix_of(scores).view(), which); },
      nb::arg("scores"), nb::arg("which"));
  module.def(
      "log_count_optimal",
      [](const Multigraph& graph, const Which& which) { return log_count(graph, which); },
      nb::arg("graph"), nb::arg("which"));
  module.def(
      "optimal_support",
      [](Array scores, const Which& which) {
        const DenseView view = matrix_of(scores).view();
        const auto nodes = static_cast<std::size_t>(view.nodes());
        return to_numpy(support(view, which), {nodes, nodes});
      },
      nb::arg("scores"), nb::arg("which"));
  module.def(
      "optimal_support",
      [](const Multigraph& graph, const Which& which) {
        return to_numpy(support(graph, which), {static_cast<std::size_t>(graph.edges())});
      },
      nb::arg("graph"), nb::arg("which"));
}

}  // namespace coppice::python
