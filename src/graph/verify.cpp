#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/verify.hpp>
#include <utility>

#include "graph/allowed_edges.hpp"
#include "graph/checked.hpp"
#include "graph/phrases.hpp"
#include "graph/poll.hpp"

namespace coppice {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Calls visit(head, dependent, edge) for the edge into every word, in order.
template <class Visit>
void for_each_tree_edge(Graph graph, std::span<const Node> heads, std::span<const EdgeId> edges,
                        Visit visit) {
  auto nodes = at(graph.nodes());
  if (heads.size() != nodes)
    throw Error(ErrorCode::bad_tree, "heads has " + counted(heads.size(), "entry", "entries") +
                                         ", need " + std::to_string(nodes));
  const Multigraph* multigraph = graph.multigraph();
  if (multigraph != nullptr && edges.size() != nodes)
    throw Error(ErrorCode::bad_tree, "edges has " + counted(edges.size(), "entry", "entries") +
                                         ", need " + std::to_string(nodes));
  for (Node v = 1; v < graph.nodes(); ++v) {
    Node head = heads[at(v)];
    if (head < 0 || head >= graph.nodes() || head == v)
      throw Error(ErrorCode::bad_tree,
                  "head of " + std::to_string(v) + " is " + std::to_string(head));
    EdgeId edge = multigraph == nullptr ? kNoEdge : edges[at(v)];
    if (multigraph != nullptr &&
        (edge < 0 || edge >= multigraph->edges() || multigraph->source(edge) != head ||
         multigraph->target(edge) != v))
      throw Error(ErrorCode::bad_tree, "edge " + std::to_string(edge) + " is not one from " +
                                           std::to_string(head) + " to " + std::to_string(v));
    visit(head, v, edge);
  }
}

}  // namespace

bool is_tree(std::span<const Node> heads) {
  auto nodes = static_cast<Node>(heads.size());
  if (nodes < 1 || heads[0] != kNoNode) return false;
  // 0: not seen, 1: on the walk under way, 2: reaches the root.
  std::vector<std::uint8_t> state(heads.size(), 0);
  state[0] = 2;
  for (Node start = 1; start < nodes; ++start) {
    Node up = start;
    while (state[at(up)] == 0) {
      state[at(up)] = 1;
      up = heads[at(up)];
      if (up < 0 || up >= nodes) return false;
    }
    if (state[at(up)] == 1) return false;
    for (up = start; state[at(up)] == 1; up = heads[at(up)]) state[at(up)] = 2;
  }
  return true;
}

Node root_edges(std::span<const Node> heads) {
  return static_cast<Node>(std::count(heads.begin(), heads.end(), 0));
}

bool obeys(std::span<const Node> heads, RootRule rule) {
  return rule == RootRule::any || root_edges(heads) == 1;
}

double score(Graph graph, std::span<const Node> heads, std::span<const EdgeId> edges) {
  if (graph.scalar() == Scalar::int64)
    return static_cast<double>(integer_score(graph, heads, edges));
  double sum = 0.0;
  for_each_tree_edge(graph, heads, edges, [&](Node head, Node v, EdgeId edge) {
    sum += graph.dense() ? graph.dense()->weight(head, v) : graph.multigraph()->weight(edge);
  });
  return sum;
}

std::int64_t integer_score(Graph graph, std::span<const Node> heads,
                           std::span<const EdgeId> edges) {
  std::int64_t sum = 0;
  for_each_tree_edge(graph, heads, edges, [&](Node head, Node v, EdgeId edge) {
    std::int64_t weight = graph.dense() ? graph.dense()->at<std::int64_t>(head, v)
                                        : graph.multigraph()->integer_weight(edge);
    if (!add_if_it_fits(sum, weight))
      throw Error(ErrorCode::bad_weight,
                  "the sum of the weights up to word " + std::to_string(v) + " overflows int64");
  });
  return sum;
}

namespace {

// The laminar family of a certificate, with a constant-time test for "s is in S".
class Family {
 public:
  Family(const Certificate& certificate, Node nodes) : certificate_(certificate), nodes_(nodes) {}

  // What is wrong with the family, or an empty string.
  std::string build() {
    auto sets = certificate_.parent.size();
    if (sets < at(nodes_) || certificate_.y.size() != sets)
      return "certificate: parent and y differ in length";
    for (std::size_t s = 0; s < sets; ++s) {
      Node parent = certificate_.parent[s];
      if (parent != kNoNode && (parent < nodes_ || at(parent) <= s || at(parent) >= sets))
        return "certificate: set " + std::to_string(s) + " has parent " + std::to_string(parent);
    }
    if (certificate_.parent[0] != kNoNode) return "certificate: the root is in a set";
    // Number the nodes so that every set is an interval [first, last).
    std::vector<Node> size(sets, 0);
    for (Node v = 0; v < nodes_; ++v) size[at(v)] = 1;
    for (std::size_t s = 0; s < sets; ++s)
      if (certificate_.parent[s] != kNoNode) size[at(certificate_.parent[s])] += size[s];
    first_.assign(sets, 0);
    last_.assign(sets, 0);
    std::vector<Node> free(sets, 0);
    Node outside = 0;
    for (std::size_t s = sets; s-- > 0;) {
      Node parent = certificate_.parent[s];
      Node& from = parent == kNoNode ? outside : free[at(parent)];
      first_[s] = free[s] = from;
      from += size[s];
      last_[s] = from;
    }
    return {};
  }

  bool contains(std::size_t set, Node node) const {
    return first_[set] <= first_[at(node)] && first_[at(node)] < last_[set];
  }

  // Sum of y over the sets that head -> dependent enters.
  double entered(Node head, Node dependent) const {
    double sum = 0.0;
    for (Node set = dependent; set != kNoNode && !contains(at(set), head);
         set = certificate_.parent[at(set)])
      sum += certificate_.y[at(set)];
    return sum;
  }

 private:
  const Certificate& certificate_;
  Node nodes_;
  std::vector<Node> first_, last_;
};

}  // namespace

std::string check_certificate(Graph graph, const Problem& problem, const Tree& tree,
                              const Certificate& certificate) {
  if (tree.heads.size() != at(graph.nodes()) || !is_tree(tree.heads)) return "not a tree";
  if (!obeys(tree.heads, problem.root)) return "more than one root edge";
  Family family(certificate, graph.nodes());
  if (std::string wrong = family.build(); !wrong.empty()) return wrong;

  double sign = problem.objective == Objective::minimize ? -1.0 : 1.0;
  double dual = 0.0, magnitude = 0.0;
  for (std::size_t set = 1; set < certificate.y.size(); ++set) {
    dual += certificate.y[set];
    magnitude += std::abs(certificate.y[set]);
  }
  const double price = certificate.root_price;
  if (price != 0.0 && problem.root == RootRule::any)
    return "certificate: root price without the single-root rule";
  double weight = sign * score(graph, tree.heads, tree.edges) - price;
  if (!std::isfinite(weight)) return "the graph lacks an edge of the tree";
  double tolerance = (magnitude + std::abs(weight) + std::abs(price)) * 0x1p-50 * graph.nodes();
  for (std::size_t set = at(graph.nodes()); set < certificate.y.size(); ++set)
    if (certificate.y[set] > tolerance)
      return "certificate: y of set " + std::to_string(set) + " is positive";
  if (!(std::abs(dual - weight) <= tolerance))
    return "dual value " + shortest(dual) + " is not the weight of the tree " + shortest(weight);

  std::string wrong;
  for_each_allowed_edge(graph, problem, [&](Node head, Node dependent, EdgeId, double w) {
    poll();
    const double priced = sign * w - (head == 0 ? price : 0.0);
    if (family.entered(head, dependent) - priced < -tolerance - std::abs(w) * 0x1p-50)
      wrong = "edge " + std::to_string(head) + " -> " + std::to_string(dependent) +
              " has negative reduced cost";
  });
  return wrong;
}

}  // namespace coppice
