// Whether a list is what it claims to be, without trusting the engine that made it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/kbest.hpp>
#include <coppice/undirected.hpp>
#include <coppice/verify.hpp>
#include <set>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "decode.hpp"
#include "graph/poll.hpp"
#include "interrupt.hpp"
#include "rules.hpp"
#include "undirected/rooting.hpp"

namespace coppice::python {
namespace {

using Rows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A row for words 1..N with an entry for the root in front.
void take_row(const Rows& rows, std::size_t rank, std::vector<std::int32_t>& to) {
  const std::int32_t* row = rows.data() + rank * rows.shape(1);
  to.assign(1, -1);
  to.insert(to.end(), row, row + rows.shape(1));
}

class ListCheck {
 public:
  ListCheck(Graph graph, const Problem& problem) : graph_(graph), problem_(problem) {
    for (const Rule& rule : problem.rules) judges_.push_back(rule.prepare(graph));
  }

  // What is wrong with the next tree, or an empty string.
  std::string check(const Tree& tree, double claimed) {
    if (!is_tree(tree.heads)) return "the heads are no tree";
    if (!obeys(tree.heads, problem_.root))
      return std::to_string(root_edges(tree.heads)) + " root edges";
    for (const std::string& fault : {wrong_edge(tree), wrong_arc(tree), broken_rule(tree)})
      if (!fault.empty()) return fault;
    const double sum = score(graph_, tree.heads, tree.edges);
    if (!std::isfinite(sum)) return "the graph lacks an edge of the tree";
    const double slack = 1e-6 * (1 + std::abs(sum));  // scores of labels are float32
    if (!(std::abs(sum - claimed) <= slack))
      return "the score is " + std::to_string(sum) + ", not " + std::to_string(claimed);
    const double sign = problem_.objective == Objective::maximize ? 1 : -1;
    const bool first = seen_.empty();
    if (!first && sign * claimed > sign * last_ + slack) return "it is better than the one before";
    last_ = claimed;
    if (!seen_.emplace(tree.heads, tree.edges).second) return "it came before";
    return first ? not_best(tree) : std::string();
  }

  std::string check_none() const { return best(graph_, problem_) ? "there is a tree" : ""; }

 private:
  std::string wrong_edge(const Tree& tree) const {
    const Multigraph* graph = graph_.multigraph();
    for (std::size_t v = 1; v < tree.edges.size(); ++v) {
      const EdgeId edge = tree.edges[v];
      if (edge < 0 || edge >= graph->edges() || graph->source(edge) != tree.heads[v] ||
          graph->target(edge) != static_cast<Node>(v))
        return "there is no such edge into node " + std::to_string(v);
      if (has(problem_.forbidden_edges, edge))
        return "edge " + std::to_string(edge) + " is forbidden";
    }
    for (const EdgeId edge : problem_.required_edges)
      if (!has(tree.edges, edge)) return "edge " + std::to_string(edge) + " is required";
    return {};
  }

  std::string wrong_arc(const Tree& tree) const {
    const auto taken = [&](const Arc& arc) {
      return tree.heads.at(static_cast<std::size_t>(arc.dependent)) == arc.head;
    };
    const auto said = [](const Arc& arc, const char* what) {
      return std::to_string(arc.head) + " -> " + std::to_string(arc.dependent) + what;
    };
    for (const Arc& arc : problem_.required)
      if (!taken(arc)) return said(arc, " is required");
    for (const Arc& arc : problem_.forbidden)
      if (taken(arc)) return said(arc, " is forbidden");
    return {};
  }

  std::string broken_rule(const Tree& tree) {
    for (std::size_t i = 0; i < judges_.size(); ++i)
      if (judges_[i]({tree.heads, tree.edges}, clause_))
        return "it breaks the rule " + problem_.rules[i].name();
    return {};
  }

  std::string not_best(Tree tree) const {
    tree.score = score(graph_, tree.heads, tree.edges);
    if (graph_.scalar() == Scalar::int64)
      tree.integer_score = integer_score(graph_, tree.heads, tree.edges);
    if (!problem_.rules.empty()) {
      const auto proof = prove_best(graph_, problem_, tree);
      return proof ? check_proof(graph_, problem_, tree, *proof) : "there is a better legal tree";
    }
    const auto certified = certified_best(graph_, problem_);
    if (!certified) return "there should be no tree";
    return check_certificate(graph_, problem_, tree, certified->certificate);
  }

  static bool has(const std::vector<EdgeId>& edges, EdgeId edge) {
    return std::ranges::find(edges, edge) != edges.end();
  }

  Graph graph_;
  const Problem& problem_;
  std::vector<Rule::Judge> judges_;
  Clause clause_;
  std::set<std::pair<std::vector<Node>, std::vector<EdgeId>>> seen_;
  double last_ = 0.0;
};

// turn(tree) makes it a tree of this graph, or says why it is none.
template <class Turn>
std::string verify(Graph graph, const Problem& problem, const Rows& heads,
                   const std::optional<Rows>& edges, const Column<double>& scores,
                   const Turn& turn) {
  ListCheck check(graph, problem);
  Tree tree;
  for (std::size_t rank = 0; rank < heads.shape(0); ++rank) {
    poll();
    take_row(heads, rank, tree.heads);
    if (edges) take_row(*edges, rank, tree.edges);
    std::string fault = turn(tree);
    if (fault.empty()) fault = check.check(tree, scores.data()[rank]);
    if (!fault.empty()) return "rank " + std::to_string(rank) + ": " + fault;
  }
  return heads.shape(0) == 0 ? check.check_none() : std::string();
}

std::string verify(Graph graph, const Problem& problem, const Rows& heads,
                   const std::optional<Rows>& edges, const Column<double>& scores) {
  return interruptible([&] {
    return verify(graph, problem, heads, edges, scores, [](Tree&) { return std::string(); });
  });
}

std::string verify(const UndirectedGraph& graph, const Problem& problem, const Rows& heads,
                   const std::optional<Rows>& edges, const Column<double>& scores) {
  return interruptible([&] {
    const Rooting rooting(graph, problem);
    const Multigraph& arcs = *rooting.graph().multigraph();
    const auto turn = [&](Tree& tree) -> std::string {
      try {
        tree = rooting.arcs_of(std::move(tree));
      } catch (const Error& error) {
        return error.what();
      }
      for (std::size_t v = 1; v < tree.edges.size(); ++v)
        if (arcs.target(tree.edges[v]) != static_cast<Node>(v))
          return "edge " + std::to_string(tree.edges[v] % graph.edges()) +
                 " does not go with the constraints";
      return {};
    };
    return verify(rooting.graph(), rooting.problem(), heads, edges, scores, turn);
  });
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def(
      "verify",
      [](Array graph, const Problem& problem, const KeptFacts* facts, const Rows& heads,
         const std::optional<Rows>& edges, const Column<double>& scores) {
        return verify(known(matrix_of(graph).view(), facts), problem, heads, edges, scores);
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("facts").none(), nb::arg("heads"),
      nb::arg("edges").none(), nb::arg("scores"));
  module.def(
      "verify",
      [](const Multigraph& graph, const Problem& problem, const KeptFacts* facts, const Rows& heads,
         const std::optional<Rows>& edges, const Column<double>& scores) {
        return verify(known(graph, facts), problem, heads, edges, scores);
      },
      nb::arg("graph"), nb::arg("problem"), nb::arg("facts").none(), nb::arg("heads"),
      nb::arg("edges").none(), nb::arg("scores"));
  module.def(
      "verify",
      [](const UndirectedGraph& graph, const Problem& problem, const KeptFacts*, const Rows& heads,
         const std::optional<Rows>& edges,
         const Column<double>& scores) { return verify(graph, problem, heads, edges, scores); },
      nb::arg("graph"), nb::arg("problem"), nb::arg("facts").none(), nb::arg("heads"),
      nb::arg("edges").none(), nb::arg("scores"));
}

}  // namespace coppice::python
