#include "engine/ties/tight_family.hpp"

#include <limits>

#include "engine/solve/exact_solver.hpp"
#include "engine/solve/tree_solver.hpp"

namespace coppice::engine {
namespace {

// Which member a node is in, as sets are made of members.
class Members {
 public:
  explicit Members(std::size_t components) : up_(components) {
    for (Component c(0); c < up_.end_index(); ++c) up_[c] = c;
  }
  Component find(Component c) {
    while (up_[c] != c) c = up_[c] = up_[up_[c]];
    return c;
  }
  void join(Component member, Component set) { up_[member] = set; }

 private:
  Indexed<Component, Component> up_;
};

class Builder {
 public:
  Builder(Graph graph, const Which& which) : graph_(graph), which_(which) {}

  bool solve() {
    TreeSolver solver;
    const auto answer = solver.solve(graph_, which_, true);
    if (answer == TreeSolver::Answer::none) return false;
    // Trees that tie with the best one must be within reach, and tie in all their digits.
    if (answer == TreeSolver::Answer::wide || solver.reach() <= 0.0 ||
        solver.rounds())
      return solve_exactly(graph_, which_, found_);
    found_.tree = solver.tree();
    ReducedCost reduced;
    reduced.prepare(found_.tree);
    CandidateList tight;
    solver.collect(reduced, 0.0, std::numeric_limits<std::size_t>::max(), tight);
    for (const Candidate& edge : tight) found_.tight.push_back({edge.head, edge.dependent, edge.edge});
    return true;
  }

  void build(TightFamily& family) {
    find_sets(family);
    place_edges(family);
    name_members(family);
    family.intervals.build(tree().nodes(), tree().parent);
    family.components = tree().parent.size() + 1;
  }

 private:
  // Sets of y = 0 may be entered often: their members are those of what is around them.
  const CertifiedTree& tree() const { return found_.tree; }
  bool entered_once(Component c) const { return tree().y[c] < 0.0; }

  void find_sets(TightFamily& family) {
    const Component all = tree().parent.end_index();
    level_.assign(tree().parent.size() + 1, 0);
    for (Component c(tree().nodes()); c < all; ++c)
      if (entered_once(c)) {
        level_[c] = family.levels.size();
        family.levels.push_back({.set = c});
      }
    level_[all] = family.levels.size();
    family.levels.push_back({.set = all});
    for (Component c = all; --c >= Component(1);) {
      const std::size_t around =
          level_[tree().parent[c] == kNoComponent ? all : tree().parent[c]];
      const bool node = c < Component(tree().nodes());
      if (node || entered_once(c)) family.levels[around].members.push_back(c);
      if (node || !entered_once(c)) level_[c] = around;
    }
  }

  void place_edges(TightFamily& family) {
    reduced_.prepare(tree());
    for (Node v = 1; v < tree().nodes(); ++v)
      place(family, tree().head[v], v, tree().edge_into(v));
    for (const auto& edge : found_.tight) place(family, edge.head, edge.dependent, edge.edge);
    family.places = graph_.dense() != nullptr ? place_of(graph_.nodes()) * place_of(graph_.nodes())
                                              : place_of(graph_.multigraph()->edges());
  }

  void place(TightFamily& family, Node head, Node dependent, EdgeId edge) {
    std::size_t level = family.levels.size() - 1;
    if (head != 0 && reduced_.contracted()) {
      const Component around = reduced_.outer(reduced_.entered(head, dependent));
      if (around != kNoComponent) level = level_[around];
    }
    const std::size_t where = edge != kNoEdge
                                  ? place_of(edge)
                                  : place_of(head) * place_of(graph_.nodes()) + place_of(dependent);
    family.levels[level].arcs.push_back({head, TightLevel::kOutside, dependent, where});
  }

  // Arcs have had the node as their source so far.
  void name_members(TightFamily& family) {
    Members in(tree().parent.size() + 1);
    Indexed<Component, std::int32_t> number(tree().parent.size() + 1);
    for (TightLevel& level : family.levels) {
      std::int32_t next = 0;
      for (Component member : level.members) number[member] = next++;
      for (TightLevel::Arc& arc : level.arcs) {
        arc.source =
            arc.source == 0 ? TightLevel::kOutside : number[in.find(Component(arc.source))];
        arc.target = number[in.find(Component(arc.into))];
      }
      // Within a member all is settled by its own level.
      std::erase_if(level.arcs, [](const auto& arc) { return arc.source == arc.target; });
      for (Component member : level.members) in.join(member, level.set);
    }
  }

  Graph graph_;
  const Which& which_;
  ExactTree found_;
  ReducedCost reduced_;  // which components edges enter
  Indexed<Component, std::size_t> level_;
};

}  // namespace

bool TightFamily::build(Graph graph, const Which& which) {
  Builder builder(graph, which);
  if (!builder.solve()) return false;
  builder.build(*this);
  return true;
}

}  // namespace coppice::engine
