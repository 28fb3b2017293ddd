#include "rules/edges.hpp"

#include <algorithm>
#include <coppice/error.hpp>

#include "graph/phrases.hpp"

namespace coppice::rules {

void EdgeLists::build(std::span<const Node> ends, Lists& lists) const {
  lists.begin.assign(at(graph_.nodes()) + 1, 0);
  for (Node v : ends) ++lists.begin[at(v) + 1];
  for (std::size_t v = 0; v < at(graph_.nodes()); ++v) lists.begin[v + 1] += lists.begin[v];
  lists.edges.resize(ends.size());
  std::vector<std::size_t> next(lists.begin.begin(), lists.begin.end() - 1);
  for (std::size_t e = 0; e < ends.size(); ++e)
    lists.edges[next[at(ends[e])]++] = static_cast<EdgeId>(e);
}

std::span<const EdgeId> EdgeLists::into(Node v) {
  if (into_.begin.empty()) build(graph_.multigraph()->targets(), into_);
  return std::span(into_.edges)
      .subspan(into_.begin[at(v)], into_.begin[at(v) + 1] - into_.begin[at(v)]);
}

std::span<const EdgeId> EdgeLists::out_of(Node v) {
  if (out_of_.begin.empty()) build(graph_.multigraph()->sources(), out_of_);
  return std::span(out_of_.edges)
      .subspan(out_of_.begin[at(v)], out_of_.begin[at(v) + 1] - out_of_.begin[at(v)]);
}

void EdgeLists::append_arcs_out_of(Node v, std::vector<ClauseEdge>& arcs) {
  if (const DenseView* view = graph_.dense()) {
    for (Node w = 1; w < view->nodes(); ++w)
      if (w != v && view->weight(v, w) != kNoWeight) arcs.push_back({v, w});
    return;
  }
  auto first = static_cast<std::ptrdiff_t>(arcs.size());
  for (EdgeId e : out_of(v)) {
    Node w = graph_.multigraph()->target(e);
    if (w != v && w != 0) arcs.push_back({v, w});
  }
  std::sort(arcs.begin() + first, arcs.end(),
            [](const ClauseEdge& a, const ClauseEdge& b) { return a.dependent < b.dependent; });
  arcs.erase(std::unique(arcs.begin() + first, arcs.end()), arcs.end());
}

namespace {

const SentenceFacts* labelled(Graph graph, std::string_view rule) {
  auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::bad_argument, "rule " + std::string(rule) + ": " + why);
  };
  const SentenceFacts* facts = graph.facts();
  if (graph.multigraph() == nullptr) fail("the graph has no labels");
  if (facts == nullptr || facts->label_names.empty())
    fail("the labels have no names: give them as label_names of the facts");
  auto edges = at(graph.multigraph()->edges());
  if (facts->edge_labels.size() != edges)
    fail("the graph has " + counted(facts->edge_labels.size(), "label") + " for " +
         counted(edges, "edge"));
  auto wrong = std::find_if(facts->edge_labels.begin(), facts->edge_labels.end(),
                            [names = facts->label_names.size()](std::int32_t label) {
                              return static_cast<std::uint32_t>(label) >= names;
                            });
  if (wrong != facts->edge_labels.end())
    fail("edge " + std::to_string(wrong - facts->edge_labels.begin()) + " has label " +
         std::to_string(*wrong) + ", but there are names for " +
         std::to_string(facts->label_names.size()));
  return facts;
}

}  // namespace

LabelledEdges::LabelledEdges(Graph graph, std::string_view rule)
    : graph_(graph.multigraph()), facts_(labelled(graph, rule)), lists_(graph) {}

namespace {

// "nsubj" stands for "nsubj:pass" too.
bool stands_for(const std::string& label, const std::string& name) {
  return name == label ||
         (name.size() > label.size() && name[label.size()] == ':' && name.starts_with(label));
}

}  // namespace

Marked::Marked(Graph graph, const std::string& rule, const std::vector<std::string>& labels,
               Subtypes subtypes)
    : edges_(graph, rule), marked_(edges_.names().size(), 0) {
  for (std::size_t name = 0; name < marked_.size(); ++name)
    for (const std::string& label : labels)
      if (subtypes == Subtypes::included ? stands_for(label, edges_.names()[name])
                                         : label == edges_.names()[name])
        marked_[name] = 1;
  if (std::ranges::find(marked_, 1) == marked_.end())
    throw Error(ErrorCode::bad_argument, "rule " + rule + ": the graph has none of these labels");
}

}  // namespace coppice::rules
