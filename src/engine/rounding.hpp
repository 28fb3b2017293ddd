// How far the engine's own arithmetic may be from the reported scores (docs/engine.md, section 8).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/exactness.hpp"
#include "engine/solution.hpp"

namespace coppice::engine {

class Rounding {
 public:
  Rounding() = default;
  Rounding(const Solution& solution, bool integral)
      : nodes_(solution.nodes()), magnitude_(solution.magnitude()), integral_(integral) {
    for (Node v = 1; v < solution.nodes(); ++v) {
      const double price = solution.head[v] == 0 ? solution.root_price : 0.0;
      weights_ += std::abs(solution.weight[v] + price);
    }
  }

  // The sum of all |y|: what errors are measured by.
  double magnitude() const { return magnitude_; }

  // Looks at all weights of the graph; that may show that no sum of them rounds.
  void look(const Exactness& weights) {
    looked_ = true;
    exact_ = weights.of_terms(8.0 * nodes_);
    unit_ = weights.unit() < kInfinity ? weights.unit() : 1.0;  // all weights are 0
  }
  bool looked() const { return looked_; }

  // Does no sum or difference of the weights of trees up to this gap round? Then all these gaps are
  // whole multiples of unit(), if there was a look.
  //
  // Of integers: an edge of such a tree has a reduced cost up to the gap, so its weight, and every
  // sum of weights of the tree, is no larger than the magnitude and the gap together.
  bool exact(double gap) const { return exact_ || (integral_ && is_exact(magnitude_, gap)); }
  static bool is_exact(double magnitude, double gap) {
    return magnitude + 2.0 * gap <= kExactIntegers;
  }
  double unit() const { return unit_; }

  // Trees whose gaps differ by no more than this cannot be told apart; 0 only where no sum rounds.
  // Proved for graphs of any size, whichever way each operation rounds. Where the product is too
  // small for a double, so are the sums, and those do not round.
  double slack(double gap) const {
    if (exact(gap)) return 0.0;
    return slack(nodes_, magnitude_, gap) + std::numeric_limits<double>::denorm_min();
  }
  static double slack(double nodes, double magnitude, double gap) {
    return 6.0 * 0x1p-52 * (nodes + 2.0) * (magnitude + (gap == kInfinity ? magnitude : gap));
  }
  // Up to where the queue has to go for all trees of this gap: its own sums round as well.
  double for_queue(double gap) const { return gap + 2.5 * slack(gap); }

  // Is arithmetic of this magnitude so coarse that the best tree found need not be the one of the
  // best score? The magnitudes of its weights add up to `weights`.
  static bool is_coarse(double magnitude, double weights, bool integral) {
    return integral ? magnitude > kExactIntegers : magnitude > 0x1p20 * weights;
  }
  bool imprecise() const {
    return !(integral_ && exact_) && is_coarse(magnitude_, weights_, integral_);
  }

 private:
  static constexpr double kExactIntegers = 0x1p50;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double nodes_ = 0.0;
  double magnitude_ = 0.0;
  double weights_ = 0.0;  // of the best tree
  bool integral_ = false;
  bool exact_ = false;
  bool looked_ = false;
  double unit_ = 0.0;
};

}  // namespace coppice::engine
