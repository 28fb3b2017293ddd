// How a clause splits the trees that are meant: way i to mend it, with all ways before it ruled
// out. Every tree that obeys the clause is in exactly one part.
#pragma once

#include <cmath>
#include <coppice/rule.hpp>
#include <coppice/which.hpp>
#include <vector>

namespace coppice {

// Is score a better than b by more than rounding?
inline bool is_better(const Which& which, double a, double b) {
  const double gain = which.objective == Objective::maximize ? a - b : b - a;
  return gain > 1e-10 * (1.0 + std::abs(a) + std::abs(b));
}

std::vector<Which> parts_of(Graph graph, const Which& which, const Clause& clause);

}  // namespace coppice
