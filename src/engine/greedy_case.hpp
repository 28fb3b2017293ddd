// A dense graph in which the best edge into every node is in the best tree, as it is for nearly all
// scores of parsers: nothing is contracted, and the gap of a tree is the sum of what its replaced
// edges lose (docs/engine.md, section 10).
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <limits>

#include "engine/dense.hpp"
#include "engine/solution.hpp"

namespace coppice::engine {

class GreedyCase {
 public:
  // What is not contracted; under RootRule::single of one root edge.
  GreedyCase(const Dense& dense, const Solution& solution, RootRule rule, bool integral)
      : dense_(dense), solution_(solution), magnitude_(solution.magnitude()), integral_(integral) {
    if (rule == RootRule::any) return;
    const auto child = std::find(solution.head.begin(), solution.head.end(), 0);
    root_child_ = static_cast<Node>(child - solution.head.begin());
  }

  Node nodes() const { return solution_.nodes(); }
  bool integral() const { return integral_; }  // the weights were int64
  bool single_root() const { return root_child_ != kNoNode; }
  Node root_child() const { return root_child_; }  // single root: that of the best tree

  const Solution& solution() const { return solution_; }
  // The edge of the best tree into v, of the largest weight in its column.
  const Indexed<Node, Node>& heads() const { return solution_.head; }
  Node head(Node v) const { return solution_.head[v]; }
  double weight(Node v) const { return solution_.weight[v]; }
  // The largest of the others, or -inf.
  double second(Node v) const { return dense_.second(v); }
  double root_weight(Node v) const { return dense_.root_weight(v); }
  // The same as it was given.
  double unpriced_root_weight(Node v) const { return dense_.unpriced(v, kNoEdge); }
  // Of all edges into v by their source: missing ones -inf, padded to the stride.
  const double* column(Node v) const { return dense_.column(Component(v)); }
  std::size_t stride() const { return dense_.stride(); }

  // Of two trees whose computed gaps differ by more than the slack of the larger one, the reported
  // scores are in the same order.
  double slack(double gap) const {
    if (gap == std::numeric_limits<double>::infinity()) return 0.0;
    const double size = magnitude_ + 2.0 * gap;
    if (integral_ && size <= 0x1p52) return 0.0;
    return 0x1p-52 * (nodes() + 3) * size;
  }

 private:
  const Dense& dense_;
  const Solution& solution_;
  double magnitude_;
  Node root_child_ = kNoNode;
  bool integral_;
};

}  // namespace coppice::engine
