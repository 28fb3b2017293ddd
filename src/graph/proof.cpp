// Checks a proof that no legal tree is better (verify.hpp) against the graph and the rules alone.
#include "graph/proof.hpp"

#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>

#include "graph/allowed_edges.hpp"
#include "graph/best_projective.hpp"
#include "graph/clause_parts.hpp"
#include "graph/indexed.hpp"
#include "graph/poll.hpp"

namespace coppice {

bool is_better(Graph graph, const Problem& problem, const Tree& a, const Tree& b) {
  double magnitude = 0.0;
  for (const Tree* tree : {&a, &b})
    for (Node v = 1; v < graph.nodes(); ++v)
      magnitude +=
          std::abs(graph.dense() != nullptr ? graph.dense()->weight(tree->heads[place_of(v)], v)
                                            : graph.multigraph()->weight(tree->edges[place_of(v)]));
  const double gain = score(graph, a.heads, a.edges) - score(graph, b.heads, b.edges);
  return (problem.objective == Objective::maximize ? gain : -gain) >
         magnitude * 0x1p-50 * graph.nodes();
}

namespace {

// Can every node be reached from the root; under RootRule::single, by one of its edges alone?
bool has_tree(Graph graph, const Problem& problem) {
  std::vector<std::vector<Node>> next(place_of(graph.nodes()));
  for_each_allowed_edge(graph, problem, [&](Node head, Node dependent, EdgeId, double) {
    next[place_of(head)].push_back(dependent);
  });
  auto reaches_all = [&](Node from, Node reached) {
    std::vector<std::uint8_t> seen(place_of(graph.nodes()), 0);
    std::vector<Node> waiting{from};
    seen[0] = seen[place_of(from)] = 1;
    while (!waiting.empty()) {
      const Node v = waiting.back();
      waiting.pop_back();
      for (Node w : next[place_of(v)]) {
        if (seen[place_of(w)] != 0) continue;
        seen[place_of(w)] = 1;
        ++reached;
        waiting.push_back(w);
      }
    }
    return reached == graph.nodes();
  };
  if (problem.root == RootRule::any) return reaches_all(0, 1);
  return std::any_of(next[0].begin(), next[0].end(), [&](Node r) { return reaches_all(r, 2); });
}

// Is it a tree of edges of the graph? A proof may come from anywhere.
std::string misfit(Graph graph, const Tree& tree) {
  try {
    score(graph, tree.heads, tree.edges);
  } catch (const Error& error) {
    return error.what();
  }
  return is_tree(tree.heads) ? "" : "not a tree";
}

bool names_nodes(Graph graph, const Clause& clause) {
  auto known = [&](const ClauseEdge& edge) {
    return edge.head >= 0 && edge.head < graph.nodes() && edge.dependent >= 1 &&
           edge.dependent < graph.nodes();
  };
  return std::all_of(clause.without.begin(), clause.without.end(), known) &&
         std::all_of(clause.with.begin(), clause.with.end(), known);
}

class ProofCheck {
 public:
  ProofCheck(Graph graph, const Problem& problem, const Tree& tree)
      : graph_(graph), problem_(problem), tree_(tree), by_spans_(by_spans(graph, problem)) {
    for (const Rule& rule : problem.rules) judges_.push_back(rule.prepare(graph));
  }

  std::string check_tree() {
    if (std::string wrong = misfit(graph_, tree_); !wrong.empty()) return wrong;
    if (!obeys(tree_.heads, problem_.root)) return "more than one root edge";
    Node allowed = 1;
    for_each_allowed_edge(graph_, problem_, [&](Node head, Node dependent, EdgeId edge, double) {
      if (takes({tree_.heads, tree_.edges}, {head, dependent, edge})) ++allowed;
    });
    if (allowed != graph_.nodes()) return "takes an edge that is missing or not allowed";
    Clause clause;
    for (std::size_t i = 0; i < judges_.size(); ++i)
      if (judges_[i]({tree_.heads, tree_.edges}, clause))
        return "breaks the rule " + problem_.rules[i].name();
    return {};
  }

  std::string check_parts(const Proof& proof) {
    std::vector<Problem> open{by_forbidding(graph_, problem_)};
    for (const Proof::Part& part : proof.parts) {
      poll();
      if (open.empty()) return "more parts than there are";
      const Problem meant = std::move(open.back());
      open.pop_back();
      std::string wrong = part.clause ? check_clause(part) : check_leaf(meant, part);
      if (!wrong.empty()) return wrong;
      if (!part.clause) continue;
      std::vector<Problem> parts = parts_of(graph_, meant, *part.clause);
      open.insert(open.end(), parts.rbegin(), parts.rend());
    }
    return open.empty() ? "" : "parts are missing";
  }

 private:
  // Does the clause come from a rule, and so hold for every legal tree?
  std::string check_clause(const Proof::Part& part) {
    if (!part.best) return "a part without a tree is split";
    const Tree& best = part.best->tree;
    if (std::string wrong = misfit(graph_, best); !wrong.empty()) return wrong;
    if (!names_nodes(graph_, *part.clause)) return "a clause names what is no node";
    Clause clause;
    const bool known = std::any_of(judges_.begin(), judges_.end(), [&](Rule::Judge& judge) {
      return judge({best.heads, best.edges}, clause) && clause == *part.clause;
    });
    return known ? "" : "a clause that no rule has returned";
  }

  // Is no tree of this part better?
  std::string check_leaf(const Problem& meant, const Proof::Part& part) const {
    if (by_spans_) {
      const auto best = best_projective(graph_, meant);
      return best && is_better(graph_, problem_, *best, tree_) ? "a part has a better tree" : "";
    }
    if (!part.best) return has_tree(graph_, meant) ? "a part said to have no tree has one" : "";
    const Tree& best = part.best->tree;
    if (std::string wrong = misfit(graph_, best); !wrong.empty()) return wrong;
    if (std::string wrong = check_certificate(graph_, meant, best, part.best->certificate);
        !wrong.empty())
      return wrong;
    return is_better(graph_, problem_, best, tree_) ? "a part may have a better tree" : "";
  }

  Graph graph_;
  const Problem& problem_;
  const Tree& tree_;
  bool by_spans_;
  std::vector<Rule::Judge> judges_;
};

}  // namespace

std::string check_proof(Graph graph, const Problem& problem, const Tree& tree, const Proof& proof) {
  ProofCheck check(graph, problem, tree);
  if (std::string wrong = check.check_tree(); !wrong.empty()) return wrong;
  const std::string wrong = check.check_parts(proof);
  return wrong.empty() ? wrong : "proof: " + wrong;
}

}  // namespace coppice
