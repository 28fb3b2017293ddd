// How far the engine's own arithmetic may be from the reported scores (docs/engine.md, section 8).
#pragma once

#include <cmath>
#include <limits>

#include "engine/solution.hpp"

namespace coppice::engine {

class Rounding {
 public:
  Rounding() = default;
  Rounding(const Solution& solution, bool integral)
      : magnitude_(solution.magnitude()), integral_(integral) {
    for (Node v = 1; v < solution.nodes(); ++v) weights_ += std::abs(solution.weight[v]);
  }

  // The sum of all |y|: what errors are measured by.
  double magnitude() const { return magnitude_; }

  // Trees whose gaps differ by no more than this cannot be told apart.
  double slack(double gap) const {
    if (exact()) return 0.0;
    return 0x1p-48 * (magnitude_ + (gap == kInfinity ? magnitude_ : gap));
  }

  // Is the arithmetic so coarse that the best tree found need not be the one of the best score?
  bool imprecise() const { return integral_ ? !exact() : magnitude_ > 0x1p20 * weights_; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // Below 2^50 no sum or difference of integers rounds.
  bool exact() const { return integral_ && magnitude_ < 0x1p50; }

  double magnitude_ = 0.0;
  double weights_ = 0.0;  // of the best tree
  bool integral_ = false;
};

}  // namespace coppice::engine
