// How a clause splits the trees that are meant: way i to mend it, with all ways before it ruled
// out. Every tree that obeys the clause is in exactly one part.
#pragma once

#include <coppice/problem.hpp>
#include <coppice/rule.hpp>
#include <vector>

namespace coppice {

// The same trees, rules aside, by forbidden edges alone: these cannot contradict each other. Throws
// std::invalid_argument where the given ones do.
Problem by_forbidding(Graph graph, const Problem& problem);

// which: by forbidden edges alone. The clause names nodes of the graph.
std::vector<Problem> parts_of(Graph graph, const Problem& problem, const Clause& clause);

}  // namespace coppice
