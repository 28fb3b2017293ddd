#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <coppice/problem.hpp>
#include <optional>
#include <vector>

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

void bind_problem(nb::module_& module) {
  nb::class_<Problem>(module, "Problem")
      .def(
          "__init__",
          [](Problem* self, bool single_root, bool minimize) {
            new (self) Problem{.root = single_root ? RootRule::single : RootRule::any,
                               .objective = minimize ? Objective::minimize : Objective::maximize};
          },
          nb::arg("single_root"), nb::arg("minimize"))
      .def(
          "add_rule", [](Problem& self, const Rule& rule) { self.rules.push_back(rule); },
          nb::arg("rule"))
      .def(
          "require", [](Problem& self, Column<Node> pairs) { self.required = arcs_of(pairs); },
          nb::arg("pairs"))
      .def(
          "forbid", [](Problem& self, Column<Node> pairs) { self.forbidden = arcs_of(pairs); },
          nb::arg("pairs"))
      .def(
          "require_edges",
          [](Problem& self, Column<EdgeId> ids) { self.required_edges = ids_of(ids); },
          nb::arg("ids"))
      .def(
          "forbid_edges",
          [](Problem& self, Column<EdgeId> ids) { self.forbidden_edges = ids_of(ids); },
          nb::arg("ids"));
  nb::class_<Request>(module, "Request")
      .def(
          "__init__",
          [](Request* self, std::optional<std::int64_t> k, std::optional<double> max_gap,
             std::optional<std::int64_t> budget, std::optional<double> time_limit) {
            new (self)
                Request{.k = k, .max_gap = max_gap, .budget = budget, .time_limit = time_limit};
          },
          nb::arg("k").none(), nb::arg("max_gap").none(), nb::arg("budget").none(),
          nb::arg("time_limit").none());
}

}  // namespace coppice::python
