#include "engine/prune/reentry_cost.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void ReentryCost::start(const CandidateList& candidates, const std::vector<CandidateId>& kept,
                        const ReducedCost& reduced) {
  reduced_ = &reduced;
  contracted_ = reduced.contracted();
  if (!contracted_) return;
  from_inside_.assign(reduced.components(), kInfinity);
  find_crossings(candidates, kept);
}

// Cheapest edges first, so that every component is looked at once: open_[c] leads to the nearest
// component from c outwards that has no crossing yet.
void ReentryCost::find_crossings(const CandidateList& candidates,
                                 const std::vector<CandidateId>& kept) {
  auto components = reduced_->components();
  by_cost_ = kept;
  sort_polling(by_cost_.begin(), by_cost_.end(), [&](CandidateId a, CandidateId b) {
    return candidates[a].reduced_cost < candidates[b].reduced_cost;
  });
  crossing_.assign(components, kInfinity);
  beside_.assign(components, kInfinity);
  open_.resize(components);
  std::iota(open_.begin(), open_.end(), Component(0));
  auto nearest_open = [&](Component c) {
    while (open_[c] != c) c = open_[c] = open_[open_[c]];
    return c;
  };
  for (CandidateId i : by_cost_) {
    const Candidate& edge = candidates[i];
    // Components that the edge of the best tree enters too are entered at their entry.
    Component c = nearest_open(reduced_->entered_by_tree(edge.dependent));
    for (Component outer; (outer = reduced_->outer(c)) != kNoComponent; c = nearest_open(outer)) {
      if (reduced_->contains(outer, edge.head)) break;
      const double cost = edge.reduced_cost;
      crossing_[c] = cost;
      if (!reduced_->contains(c, reduced_->entry(outer)))
        beside_[outer] = std::min(beside_[outer], cost);
      open_[c] = outer;
    }
  }
  find_other_entries();
}

// From the outside in: parents have higher numbers.
void ReentryCost::find_other_entries() {
  const auto components = crossing_.end_index();
  elsewhere_.assign(components.value(), kInfinity);
  for (Component c(0); c < components; ++c) {
    const Component outer = reduced_->outer(c);
    if (outer != kNoComponent && reduced_->contains(c, reduced_->entry(outer)))
      elsewhere_[outer] = std::min(beside_[outer], crossing_[c]);
  }
  for (Component c = components; --c >= Component(0);) {
    const Component outer = reduced_->outer(c);
    if (outer != kNoComponent && reduced_->entry(outer) == reduced_->entry(c))
      elsewhere_[c] = std::max(elsewhere_[c], elsewhere_[outer]);
  }
}

// The entry of c, in this member, is given an edge from inside: another edge must enter c, beside
// that member or into it again. So must other edges all components around c that have this entry.
double ReentryCost::other_entry(Component c, Component member) const {
  const double cost = std::min(beside_[c], crossing_[member] - reduced_->y(member));
  const Component outer = reduced_->outer(c);
  const bool enters_more = outer != kNoComponent && reduced_->entry(outer) == reduced_->entry(c);
  return enters_more ? std::max(cost, elsewhere_[outer]) : cost;
}

ReentryCost::Cost ReentryCost::cost_of_entering(const Candidate& edge, double room) const {
  Cost cost{0.0, 0.0};
  Component last = reduced_->entered(edge.head, edge.dependent);
  Component around = reduced_->outer(last);
  if (around != kNoComponent && reduced_->entry(around) == edge.dependent) {
    cost.shared = other_entry(around, last);
    return cost;
  }
  // The dependent is not the entry of any component that is entered: all their entries are settled.
  // Each of these costs -y, or less where its entry may turn to an edge from inside; edges that do
  // so may be the same for several of them.
  int steps = tuning_.most_nested;
  for (Component c = reduced_->entered_by_tree(edge.dependent);
       c != last && cost.own + cost.shared <= room && --steps > 0;) {
    c = reduced_->outer(c);
    const double again = -reduced_->y(c);
    if (from_inside_[c] > room)
      cost.own += again;
    else
      cost.shared = std::max(cost.shared, std::min(again, from_inside_[c]));
  }
  return cost;
}

void ReentryCost::note_if_inside(const Candidate& edge) {
  Component around = reduced_->outer(reduced_->entered(edge.head, edge.dependent));
  if (around == kNoComponent || reduced_->entry(around) != edge.dependent) return;
  from_inside_[around] = std::min(from_inside_[around], edge.reduced_cost);
}

void ReentryCost::pass_outwards(Node v) {
  // What is inside a component is inside those around it.
  double least = kInfinity;
  for (Component c = reduced_->outer(Component(v)); c != kNoComponent && reduced_->entry(c) == v;
       c = reduced_->outer(c)) {
    least = std::min(least, from_inside_[c]);
    from_inside_[c] = least;
  }
}

}  // namespace coppice::engine
