#include "undirected/rooting.hpp"

#include <algorithm>
#include <coppice/error.hpp>
#include <coppice/verify.hpp>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "graph/indexed.hpp"
#include "graph/phrases.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {
namespace {

// The two ends of an edge, the lower one first.
using Ends = std::pair<Node, Node>;

Ends ends_of(Node one, Node other) { return std::minmax(one, other); }

std::string text(Ends ends) {
  return std::to_string(ends.first) + " - " + std::to_string(ends.second);
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::bad_constraint, what); }

Ends checked(const char* what, Arc pair, Node nodes) {
  for (const Node node : {pair.head, pair.dependent})
    if (node < 0 || node >= nodes)
      refuse(std::string(what) + " edge " + std::to_string(pair.head) + " - " +
             std::to_string(pair.dependent) + ": " + std::to_string(node) + " is not a node 0.." +
             std::to_string(nodes - 1));
  if (pair.head == pair.dependent)
    refuse(std::string(what) + " edge " + std::to_string(pair.head) + " - " +
           std::to_string(pair.dependent) + ": a tree has no edge from a node to itself");
  return ends_of(pair.head, pair.dependent);
}

EdgeId checked(const char* what, EdgeId edge, EdgeId edges) {
  if (edge < 0 || edge >= edges)
    refuse(std::string(what) + " edge id " + std::to_string(edge) + " is not an edge 0.." +
           std::to_string(edges - 1));
  return edge;
}

}  // namespace

// What is asked of single edges, by their ends.
struct Rooting::Wanted {
  Wanted(const UndirectedGraph& graph, const Problem& problem) {
    for (const Arc pair : problem.forbidden)
      forbidden_ends.insert(checked("forbidden", pair, graph.nodes()));
    for (const EdgeId edge : problem.forbidden_edges)
      forbidden.insert(checked("forbidden", edge, graph.edges()));
    for (const Arc pair : problem.required)
      required.try_emplace(checked("required", pair, graph.nodes()), kNoEdge);
    for (const EdgeId edge : problem.required_edges) {
      checked("required", edge, graph.edges());
      const Ends ends =
          checked("required", Arc{graph.end(edge), graph.other_end(edge)}, graph.nodes());
      EdgeId& chosen = required.try_emplace(ends, kNoEdge).first->second;
      if (chosen != kNoEdge && chosen != edge)
        refuse("required edges " + std::to_string(chosen) + " and " + std::to_string(edge) +
               " are both " + text(ends));
      chosen = edge;
    }
    for (const auto& [ends, edge] : required)
      if (forbidden_ends.contains(ends) || forbidden.contains(edge))
        refuse("required edge " + text(ends) + ": it is forbidden too");
  }

  std::set<Ends> forbidden_ends;
  std::set<EdgeId> forbidden;
  std::map<Ends, EdgeId> required;  // kNoEdge: any edge between these two
};

Rooting::Rooting(const UndirectedGraph& graph, const Problem& problem)
    : graph_(&graph), problem_{.root = problem.root, .objective = problem.objective} {
  if (!problem.rules.empty())
    throw Error(ErrorCode::bad_argument,
                "rules look at heads and children, which an undirected graph does not have");
  const Wanted wanted(graph, problem);
  if (wanted.required.empty() && wanted.forbidden.empty() && wanted.forbidden_ends.empty()) return;
  make_pieces(wanted);
  lead_arcs(wanted);
}

void Rooting::make_pieces(const Wanted& wanted) {
  piece_.resize(place_of(graph_->nodes()));
  std::iota(piece_.begin(), piece_.end(), 0);
  hangs_from_.assign(piece_.size(), kNoNode);
  std::map<Node, std::vector<Node>> neighbours;  // from the lowest node to the highest
  for (const auto& [ends, edge] : wanted.required) {
    neighbours[ends.first].push_back(ends.second);
    neighbours[ends.second].push_back(ends.first);
  }
  std::vector<Node> queue;
  for (const auto& [first, some] : neighbours) {
    if (hangs_from_[place_of(first)] != kNoNode) continue;
    queue.assign(1, first);
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const Node node : neighbours[queue[i]]) {
        if (node == hangs_from_[place_of(queue[i])]) continue;
        if (piece_[place_of(node)] == first) refuse("the required edges form a cycle");
        piece_[place_of(node)] = first;
        hangs_from_[place_of(node)] = queue[i];
        queue.push_back(node);
      }
    firsts_.push_back(first);
  }
}

void Rooting::lead_arcs(const Wanted& wanted) {
  const Multigraph& arcs = graph_->arcs();
  const EdgeId edges = graph_->edges();
  const auto led_to = [&](EdgeId edge, Node source, Node target) {
    const Ends ends = ends_of(source, target);
    if (wanted.forbidden.contains(edge) || wanted.forbidden_ends.contains(ends)) return source;
    if (piece_[place_of(source)] != piece_[place_of(target)]) return piece_[place_of(target)];
    if (hangs_from_[place_of(target)] != source) return source;
    const EdgeId chosen = wanted.required.at(ends);
    return chosen == kNoEdge || chosen == edge ? target : source;
  };
  std::vector<Node> targets(place_of(arcs.edges()));
  for (EdgeId arc = 0; arc < arcs.edges(); ++arc)
    targets[place_of(arc)] =
        led_to(arc < edges ? arc : arc - edges, arcs.source(arc), arcs.target(arc));
  rooted_ =
      arcs.scalar() == Scalar::int64
          ? Multigraph::from_edges(arcs.nodes(), arcs.sources(), targets, arcs.integer_weights())
          : Multigraph::from_edges(arcs.nodes(), arcs.sources(), targets, arcs.weights());
}

// A piece that a tree enters at another node than its first one is turned: all that lies between
// the two hangs the other way round.
void Rooting::name_edges(std::span<Node> heads, std::span<EdgeId> edges) const {
  for (const Node first : firsts_) {
    if (first == 0) continue;
    EdgeId arc = edges[place_of(first)];
    for (Node node = graph_->arcs().target(arc);;) {
      const EdgeId before = std::exchange(edges[place_of(node)], arc);
      const Node next = heads[place_of(node)];
      heads[place_of(node)] = graph_->arcs().source(arc);
      if (node == first) break;
      arc = back(before);
      node = next;
    }
  }
  for (EdgeId& edge : edges)
    if (edge >= graph_->edges()) edge -= graph_->edges();
}

void Rooting::name_edges(TreeList& trees) const {
  TreeBuilder(trees).rewrite([&](TreeBuilder::Row row) { name_edges(row.heads, row.edges); });
}

EdgeId Rooting::arc_of(EdgeId edge, Node head, Node node) const {
  if (edge >= 0 && edge < graph_->edges()) {
    if (graph_->end(edge) == head && graph_->other_end(edge) == node) return edge;
    if (graph_->end(edge) == node && graph_->other_end(edge) == head) return back(edge);
  }
  throw Error(ErrorCode::bad_tree, "edge " + std::to_string(edge) + " is not one between " +
                                       std::to_string(head) + " and " + std::to_string(node));
}

Tree Rooting::arcs_of(Tree tree) const {
  if (tree.heads.size() != place_of(graph_->nodes()) || !is_tree(tree.heads)) return tree;
  for (std::size_t v = 1; v < tree.edges.size(); ++v)
    tree.edges[v] = arc_of(tree.edges[v], tree.heads[v], static_cast<Node>(v));
  const bool with_edges = !tree.edges.empty();
  for (const Node first : firsts_) {
    std::vector<Node> path(1, first);  // from the first node to where the piece is entered
    const auto head = [&](Node node) { return tree.heads[place_of(node)]; };
    while (head(path.back()) != kNoNode && piece_[place_of(head(path.back()))] == first)
      path.push_back(head(path.back()));
    if (path.size() == 1) continue;
    const Node entry = head(path.back());
    const EdgeId edge = with_edges ? tree.edges[place_of(path.back())] : kNoEdge;
    for (std::size_t i = path.size(); --i > 0;) {
      tree.heads[place_of(path[i])] = path[i - 1];
      if (with_edges) tree.edges[place_of(path[i])] = back(tree.edges[place_of(path[i - 1])]);
    }
    tree.heads[place_of(first)] = entry;
    if (with_edges) tree.edges[place_of(first)] = edge;
  }
  return tree;
}

void Rooting::set_scores(Tree& tree) const {
  std::vector<EdgeId> arcs = tree.edges;
  for (std::size_t v = 1; v < arcs.size(); ++v)
    arcs[v] = arc_of(arcs[v], tree.heads[v], static_cast<Node>(v));
  tree.score = score(graph_->arcs(), tree.heads, arcs);
  tree.integer_score =
      graph_->scalar() == Scalar::int64 ? integer_score(graph_->arcs(), tree.heads, arcs) : 0;
}

std::vector<double> Rooting::shares(std::span<const double> of_arcs) const {
  return by_edge(of_arcs, [](double one, double other) { return std::min(1.0, one + other); });
}

std::vector<double> Rooting::by_edge(std::span<const double> of_arcs,
                                     double (*both)(double, double)) const {
  std::vector<double> result(of_arcs.begin(), of_arcs.begin() + graph_->edges());
  for (std::size_t edge = 0; edge < result.size(); ++edge)
    result[edge] = both(result[edge], of_arcs[edge + result.size()]);
  return result;
}

}  // namespace coppice
