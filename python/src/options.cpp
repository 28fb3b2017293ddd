#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <span>

#include "arrays.hpp"
#include "decode.hpp"

namespace coppice::python {
namespace {

std::vector<Arc> arcs_of(const Column<Node>& pairs) {
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
    arcs.push_back({pairs.data()[i], pairs.data()[i + 1]});
  return arcs;
}

std::vector<EdgeId> ids_of(const Column<EdgeId>& ids) {
  return {ids.data(), ids.data() + ids.size()};
}

}  // namespace

bool may_take_long(double edges, const Options& options) {
  constexpr double kSteps = 5e7;  // well below a tenth of a second
  return !options.k || static_cast<double>(*options.k) * edges > kSteps;
}

void bind_options(nb::module_& module) {
  nb::class_<Options>(module, "Options")
      .def(
          "__init__",
          [](Options* self, bool single_root, bool minimize, std::optional<std::int64_t> k,
             std::optional<double> max_gap) {
            new (self) Options{.root = single_root ? RootRule::single : RootRule::any,
                               .k = k,
                               .max_gap = max_gap,
                               .objective = minimize ? Objective::minimize : Objective::maximize};
          },
          nb::arg("single_root"), nb::arg("minimize"), nb::arg("k").none(),
          nb::arg("max_gap").none())
      .def("copy", [](const Options& self) { return self; })
      .def(
          "require", [](Options& self, Column<Node> pairs) { self.required = arcs_of(pairs); },
          nb::arg("pairs"))
      .def(
          "forbid", [](Options& self, Column<Node> pairs) { self.forbidden = arcs_of(pairs); },
          nb::arg("pairs"))
      .def(
          "require_edges",
          [](Options& self, Column<EdgeId> ids) { self.required_edges = ids_of(ids); },
          nb::arg("ids"))
      .def(
          "forbid_edges",
          [](Options& self, Column<EdgeId> ids) { self.forbidden_edges = ids_of(ids); },
          nb::arg("ids"));
}

}  // namespace coppice::python
