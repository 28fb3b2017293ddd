#include "engine/ties/tight_family.hpp"

#include <limits>

#include "engine/solve/tree_solver.hpp"

namespace coppice::engine {
namespace {

class Builder {
 public:
  Builder(Graph graph, const Problem& problem) : graph_(graph), problem_(problem) {}

  bool solve() {
    TreeSolver solver;
    const auto answer = solver.solve(graph_, problem_, true);
    if (answer == TreeSolver::Answer::none) return false;
    // Trees that tie with the best one must be within reach, and tie in all their digits.
    if (answer == TreeSolver::Answer::wide || solver.reach() <= 0.0 || solver.rounds())
      return solve_exactly(graph_, problem_, found_);
    found_.tree = solver.tree();
    ReducedCost reduced;
    reduced.prepare(found_.tree);
    CandidateList tight;
    solver.collect(reduced, 0.0, std::numeric_limits<std::size_t>::max(), tight);
    for (const Candidate& edge : tight)
      found_.tight.push_back({edge.head, edge.dependent, edge.edge});
    return true;
  }

  void build(TightFamily& family) {
    leave_out_free_sets();
    find_levels(family);
    reduced_.prepare(found_.tree);
    for (Node v = 1; v < found_.tree.nodes(); ++v)
      place(family, found_.tree.head[v], v, found_.tree.edge_into(v));
    for (const auto& edge : found_.tight) place(family, edge.head, edge.dependent, edge.edge);
    family.intervals.build(found_.tree.nodes(), found_.tree.parent);
    family.components = found_.tree.parent.size() + 1;
  }

 private:
  bool is_node(Component c) const { return c < Component(found_.tree.nodes()); }
  bool entered_once(Component c) const { return found_.tree.y[c] < 0.0; }

  // Sets of y = 0 may be entered often: their members are those of what is around them.
  void leave_out_free_sets() {
    Indexed<Component, Component>& parent = found_.tree.parent;
    for (Component c = parent.end_index(); --c >= Component(1);)
      if (parent[c] != kNoComponent && !entered_once(parent[c])) parent[c] = parent[parent[c]];
  }

  void find_levels(TightFamily& family) {
    const Indexed<Component, Component>& parent = found_.tree.parent;
    const Component all = parent.end_index();
    level_.assign(parent.size() + 1, 0);
    number_.assign(parent.size(), 0);
    for (Component c(found_.tree.nodes()); c <= all; ++c)
      if (c == all || entered_once(c)) {
        level_[c] = family.levels.size();
        family.levels.push_back({.set = c});
      }
    for (Component c(1); c < all; ++c) {
      if (!is_node(c) && !entered_once(c)) continue;
      std::vector<Component>& members = family.levels[level_around(c)].members;
      number_[c] = static_cast<std::int32_t>(members.size());
      members.push_back(c);
    }
  }
  std::size_t level_around(Component c) const {
    const Component around = found_.tree.parent[c];
    return around == kNoComponent ? level_.back() : level_[around];
  }

  void place(TightFamily& family, Node head, Node dependent, EdgeId edge) {
    const Component target = member(dependent, head);
    const std::int32_t source = head == 0 ? TightLevel::kOutside : number_[member(head, dependent)];
    const std::size_t where = edge != kNoEdge
                                  ? place_of(edge)
                                  : place_of(head) * place_of(graph_.nodes()) + place_of(dependent);
    family.levels[level_around(target)].arcs.push_back({source, number_[target], dependent, where});
  }
  // The largest set with the node, but not with the other one; or else the node.
  Component member(Node node, Node other) const {
    return reduced_.contracted() ? reduced_.entered(other, node) : Component(node);
  }

  Graph graph_;
  const Problem& problem_;
  ExactTree found_;
  ReducedCost reduced_;                      // which components edges enter
  Indexed<Component, std::size_t> level_;    // of a set, the last one being that of all nodes
  Indexed<Component, std::int32_t> number_;  // of a member, in its level
};

}  // namespace

bool TightFamily::build(Graph graph, const Problem& problem) {
  Builder builder(graph, problem);
  if (!builder.solve()) return false;
  builder.build(*this);
  return true;
}

}  // namespace coppice::engine
