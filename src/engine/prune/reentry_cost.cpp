#include "engine/prune/reentry_cost.hpp"

#include <algorithm>

namespace coppice::engine {

void ReentryCost::start(const ReducedCost& reduced) {
  reduced_ = &reduced;
  if (reduced.contracted()) from_inside_.assign(reduced.components(), kNever);
}

double ReentryCost::cost(const Candidate& edge, double room) const {
  if (!reduced_->contracted()) return 0.0;
  const Component last = reduced_->entered(edge.head, edge.dependent);
  const Component around = reduced_->outer(last);
  if (around != kNoComponent && reduced_->entry(around) == edge.dependent) return 0.0;
  // The dependent is not the entry of any component that is entered: all their entries are settled.
  double cost = 0.0;
  int steps = tuning_.most_nested;
  for (Component c = reduced_->entered_by_tree(edge.dependent);
       c != last && cost <= room && --steps > 0;) {
    c = reduced_->outer(c);
    if (from_inside_[c] > room) cost -= reduced_->y(c);
  }
  return cost;
}

void ReentryCost::keep(const Candidate& edge) {
  if (!reduced_->contracted()) return;
  Component around = reduced_->outer(reduced_->entered(edge.head, edge.dependent));
  if (around == kNoComponent || reduced_->entry(around) != edge.dependent) return;
  from_inside_[around] = std::min(from_inside_[around], edge.reduced_cost);
}

void ReentryCost::settle(Node v) {
  if (!reduced_->contracted()) return;
  // What is inside a component is inside those around it.
  double least = kNever;
  for (Component c = reduced_->outer(Component(v)); c != kNoComponent && reduced_->entry(c) == v;
       c = reduced_->outer(c)) {
    least = std::min(least, from_inside_[c]);
    from_inside_[c] = least;
  }
}

}  // namespace coppice::engine
