#include "graph/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <cstdint>
#include <string>

#include "graph/phrases.hpp"

namespace coppice {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::uint64_t key(Node head, Node dependent) {
  return (static_cast<std::uint64_t>(head) << 32) | static_cast<std::uint32_t>(dependent);
}

std::string text(Arc arc) {
  return std::to_string(arc.head) + " -> " + std::to_string(arc.dependent);
}

void check_arc(const char* what, Arc arc, Node nodes) {
  auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::bad_constraint, std::string(what) + " edge " + text(arc) + ": " + why);
  };
  if (arc.head < 0 || arc.head >= nodes)
    fail("head " + std::to_string(arc.head) + " is not a node 0.." + std::to_string(nodes - 1));
  if (arc.dependent < 1 || arc.dependent >= nodes)
    fail("dependent " + std::to_string(arc.dependent) + " is not a word 1.." +
         std::to_string(nodes - 1));
  if (arc.head == arc.dependent) fail("a word cannot be its own head");
}

Arc arc_of(Graph graph, const char* what, EdgeId edge) {
  const Multigraph* edges = graph.multigraph();
  if (edges == nullptr)
    throw Error(ErrorCode::bad_constraint, std::string(what) + " edge id " + std::to_string(edge) +
                                               ": a score matrix has arcs, not edge ids");
  if (edge < 0 || edge >= edges->edges())
    throw Error(ErrorCode::bad_constraint, std::string(what) + " edge id " + std::to_string(edge) +
                                               " is not an edge 0.." +
                                               std::to_string(edges->edges() - 1));
  return {edges->source(edge), edges->target(edge)};
}

}  // namespace

void check_limits(const Request& request, bool must_end) {
  if (request.k && *request.k < 1)
    throw Error(ErrorCode::bad_argument,
                "k is " + std::to_string(*request.k) + ", must be at least 1");
  if (request.max_gap && !(*request.max_gap >= 0.0))
    throw Error(ErrorCode::bad_argument,
                "max_gap is " + shortest(*request.max_gap) + ", must be 0 or more");
  if (request.budget && *request.budget < 1)
    throw Error(ErrorCode::bad_argument,
                "budget is " + std::to_string(*request.budget) + ", must be at least 1");
  if (request.time_limit && !(*request.time_limit > 0.0))
    throw Error(ErrorCode::bad_argument,
                "time_limit is " + shortest(*request.time_limit) + ", must be more than 0 seconds");
  if (must_end && !request.k && !request.max_gap)
    throw Error(ErrorCode::bad_argument, "give k, max_gap or both: how many trees are wanted?");
}

void Constraints::load(Graph graph, const Problem& problem) {
  empty_ = problem.required.empty() && problem.forbidden.empty() &&
           problem.required_edges.empty() && problem.forbidden_edges.empty();
  if (empty_) return;
  Node nodes = graph.nodes();
  forbidden_arcs_.clear();
  for (Arc arc : problem.forbidden) {
    check_arc("forbidden", arc, nodes);
    forbidden_arcs_.push_back(key(arc.head, arc.dependent));
  }
  std::sort(forbidden_arcs_.begin(), forbidden_arcs_.end());
  forbidden_edges_ = problem.forbidden_edges;
  for (EdgeId edge : forbidden_edges_) arc_of(graph, "forbidden", edge);
  std::sort(forbidden_edges_.begin(), forbidden_edges_.end());

  required_head_.assign(at(nodes), kNoNode);
  required_edge_.assign(at(nodes), kNoEdge);
  for (Arc arc : problem.required) require(graph, arc, kNoEdge, problem.root);
  for (EdgeId edge : problem.required_edges)
    require(graph, arc_of(graph, "required", edge), edge, problem.root);
}

void Constraints::require(Graph graph, Arc arc, EdgeId edge, RootRule rule) {
  check_arc("required", arc, graph.nodes());
  auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::bad_constraint, "required edge " + text(arc) + ": " + why);
  };
  Node& head = required_head_[at(arc.dependent)];
  EdgeId& parallel = required_edge_[at(arc.dependent)];
  if (head != kNoNode && head != arc.head) fail(text({head, arc.dependent}) + " is required too");
  if (edge != kNoEdge && parallel != kNoEdge && parallel != edge)
    fail("edges " + std::to_string(parallel) + " and " + std::to_string(edge) +
         " are both required");
  head = arc.head;
  if (edge != kNoEdge) parallel = edge;
  if (!allows(arc.head, arc.dependent, parallel)) fail("it is forbidden too");
  if (rule == RootRule::single && arc.head == 0)
    for (Node v = 1; v < graph.nodes(); ++v)
      if (v != arc.dependent && required_head_[at(v)] == 0)
        fail(text({0, v}) + " is required too, and the root rule allows one root edge");
  Node up = arc.head;
  while (up != kNoNode && up != arc.dependent) up = required_head_[at(up)];
  if (up == arc.dependent) fail("the required edges form a cycle, " + cycle_of(arc.dependent));
}

// From head to dependent, all around; the middle of a long one is left out.
std::string Constraints::cycle_of(Node node) const {
  constexpr std::size_t kMost = 10;
  std::vector<Node> around(1, node);
  for (Node up = required_head_[at(node)]; up != node; up = required_head_[at(up)])
    around.push_back(up);
  std::string text = std::to_string(node);
  for (std::size_t i = around.size(); i-- > 0;) {
    const bool left_out = i + kMost / 2 < around.size() && i >= kMost / 2;
    if (!left_out) text += " -> " + std::to_string(around[i]);
    if (left_out && i == kMost / 2) text += " -> ...";
  }
  return text;
}

bool Constraints::allows(Node head, Node dependent, EdgeId edge) const {
  if (empty_) return true;
  Node required = required_head_[at(dependent)];
  if (required != kNoNode && required != head) return false;
  EdgeId parallel = required_edge_[at(dependent)];
  if (parallel != kNoEdge && parallel != edge) return false;
  if (std::binary_search(forbidden_arcs_.begin(), forbidden_arcs_.end(), key(head, dependent)))
    return false;
  return edge == kNoEdge ||
         !std::binary_search(forbidden_edges_.begin(), forbidden_edges_.end(), edge);
}

}  // namespace coppice
