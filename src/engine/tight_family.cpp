#include "engine/tight_family.hpp"

#include <limits>

#include "engine/best_tree.hpp"
#include "engine/rounding.hpp"

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

  bool solve() { return best_.solve(graph_, which_); }

  void build(TightFamily& family) {
    const Solution& solution = best_.solution();
    Rounding rounding(solution, graph_.scalar() == Scalar::int64);
    if (!rounding.exact(0.0)) rounding.look(best_.solver().exactness());
    slack_ = rounding.slack(0.0);
    find_sets(family);
    place_edges(family);
    name_members(family);
    family.intervals.build(solution.nodes(), solution.parent);
    family.components = solution.parent.size() + 1;
  }

 private:
  // Sets of y = 0 may be entered often: their members are those of what is around them.
  bool entered_once(Component c) const { return best_.solution().y[c] < -slack_; }

  void find_sets(TightFamily& family) {
    const Solution& solution = best_.solution();
    const Component all = solution.parent.end_index();
    level_.assign(solution.parent.size() + 1, 0);
    for (Component c(solution.nodes()); c < all; ++c)
      if (entered_once(c)) {
        level_[c] = family.levels.size();
        family.levels.push_back({.set = c});
      }
    level_[all] = family.levels.size();
    family.levels.push_back({.set = all});
    for (Component c = all; --c >= Component(1);) {
      const std::size_t around =
          level_[solution.parent[c] == kNoComponent ? all : solution.parent[c]];
      const bool node = c < Component(solution.nodes());
      if (node || entered_once(c)) family.levels[around].members.push_back(c);
      if (node || !entered_once(c)) level_[c] = around;
    }
  }

  void place_edges(TightFamily& family) {
    const Solution& solution = best_.solution();
    reduced_.prepare(solution);
    CandidateList tight;
    best_.solver().collect(solution, reduced_, slack_, std::numeric_limits<std::size_t>::max(),
                           tight);
    for (Node v = 1; v < solution.nodes(); ++v)
      place(family, solution.head[v], v, solution.edge_into(v));
    for (const Candidate& edge : tight) place(family, edge.head, edge.dependent, edge.edge);
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
    Members in(best_.solution().parent.size() + 1);
    Indexed<Component, std::int32_t> number(best_.solution().parent.size() + 1);
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
  BestTree best_;
  ReducedCost reduced_;
  double slack_ = 0.0;
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
