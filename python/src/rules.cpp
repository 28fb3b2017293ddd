// Rules: the ready-made ones, and Python functions.
#include "rules.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <coppice/problem.hpp>
#include <coppice/rules.hpp>

#include "arrays.hpp"
#include "decode.hpp"

namespace coppice::python {
namespace {

// A Python object that may be let go by any thread, with or without the interpreter lock.
std::shared_ptr<PyObject> shared(nb::handle object) {
  object.inc_ref();
  return std::shared_ptr<PyObject>(object.ptr(), [](PyObject* held) {
    if (Py_IsInitialized() == 0) return;
    nb::gil_scoped_acquire lock;
    Py_DECREF(held);
  });
}

using Rows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void append(nb::handle rows, std::vector<ClauseEdge>& edges) {
  auto array = nb::cast<Rows>(rows);
  for (std::size_t i = 0; i < array.shape(0); ++i)
    edges.push_back({array(i, 0), array(i, 1), array(i, 2)});
}

// function(heads, edges or None) returns None, or two arrays of (head, dependent, edge id or -1).
Rule python_rule(const std::string& name, nb::callable function) {
  auto held = shared(function);
  return Rule(name, Rule::Prepare([held](Graph) {
                return Rule::Judge([held](const TreeRef& tree, Clause& broken) {
                  nb::gil_scoped_acquire lock;
                  auto row = [](std::span<const std::int32_t> all) -> nb::object {
                    if (all.empty()) return nb::none();
                    return to_numpy(std::vector(all.begin() + 1, all.end()), {all.size() - 1});
                  };
                  nb::object answer = nb::handle(held.get())(row(tree.heads), row(tree.edges));
                  if (answer.is_none()) return false;
                  broken.clear();
                  append(answer[0], broken.without);
                  append(answer[1], broken.with);
                  return true;
                });
              }));
}

}  // namespace

KeptFacts::KeptFacts(std::vector<std::int32_t> edge_labels,
                     const std::vector<std::string>& label_names,
                     const std::vector<std::string>& tags, const std::vector<std::string>& feats,
                     const std::vector<std::string>& misc, bool added_root) {
  std::vector<Word> words(tags.size());
  using Text = std::string_view;  // of the string itself, not of a copy
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = {tags[i], feats.empty() ? Text() : Text(feats[i]),
                misc.empty() ? Text() : Text(misc[i])};
  facts_ = std::make_unique<OwnedFacts>(SentenceFacts{.edge_labels = edge_labels,
                                                      .label_names = label_names,
                                                      .words = words,
                                                      .added_root = added_root});
}

SentenceFacts KeptFacts::with_labels(std::span<const std::int32_t> edge_labels) const {
  SentenceFacts facts = get();
  facts.edge_labels = edge_labels;
  return facts;
}

void bind_rules(nb::module_& module) {
  nb::class_<KeptFacts>(module, "Facts")
      .def(nb::init<std::vector<std::int32_t>, const std::vector<std::string>&,
                    const std::vector<std::string>&, const std::vector<std::string>&,
                    const std::vector<std::string>&, bool>(),
           nb::arg("edge_labels"), nb::arg("label_names"), nb::arg("tags"), nb::arg("feats"),
           nb::arg("misc"), nb::arg("added_root"));
  nb::class_<Rule>(module, "Rule").def_prop_ro("name", &Rule::name);
  module.def(
      "rule_at_most",
      [](std::int32_t n, std::vector<std::string> labels, bool exact) {
        return rules::at_most(n, std::move(labels),
                              exact ? rules::Subtypes::apart : rules::Subtypes::included);
      },
      nb::arg("n"), nb::arg("labels"), nb::arg("exact"));
  module.def("rule_max_children", nb::overload_cast<std::int32_t>(&rules::max_children),
             nb::arg("d"));
  module.def("rule_max_children_each",
             nb::overload_cast<std::vector<std::int32_t>>(&rules::max_children), nb::arg("d"));
  module.def("rule_min_children", &rules::min_children, nb::arg("d"));
  module.def("rule_max_depth", &rules::max_depth, nb::arg("d"));
  module.def("rule_projective", &rules::projective);
  module.def("rule_leaves", &rules::leaves, nb::arg("labels"));
  module.def("rule_sum_condition",
             nb::overload_cast<const std::vector<double>&, const std::vector<double>&, std::int32_t,
                               double>(&rules::sum_condition),
             nb::arg("least"), nb::arg("most"), nb::arg("samples"), nb::arg("tolerance"));
  module.def("rule_ud", &rules::ud);
  module.def("rule_of", &python_rule, nb::arg("name"), nb::arg("function"));
  module.def(
      "ud_incidents",
      [](const Multigraph& graph, const KeptFacts& facts, Column<Node> heads,
         Column<EdgeId> edges) {
        nb::list found;
        const TreeRef tree{span_of(heads), span_of(edges)};
        for (const auto& incident : rules::ud_incidents(Graph(graph, facts.get()), tree))
          found.append(
              nb::make_tuple(nb::str(incident.id.data(), incident.id.size()), incident.node));
        return found;
      },
      nb::arg("graph"), nb::arg("facts"), nb::arg("heads"), nb::arg("edges"));
}

}  // namespace coppice::python
