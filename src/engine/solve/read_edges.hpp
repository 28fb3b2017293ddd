// Edge lists for the sparse solver, from either kind of graph, in either kind of number.
#pragma once

#include <coppice/problem.hpp>

#include "engine/numbers/scale.hpp"
#include "engine/solve/dense.hpp"
#include "engine/solve/edge_lists.hpp"
#include "graph/constraints.hpp"

namespace coppice::engine {

// Gains in units of the scale that is chosen and returned; edge ids are those of the graph. False:
// nothing enters some node. Throws Error for weights whose sums could overflow.
bool read_edges(const Multigraph& graph, const Constraints& constraints, const Problem& problem,
                EdgeLists<double>& lists, Scale& scale);
// Of a dense graph that has its scale; ids are heads.
void read_edges(const Dense& dense, RootRule rule, EdgeLists<double>& lists);

// Does this hold of the loss of some edge (numbers/scale.hpp)?
using LossTest = bool(const Scale& scale, double weight, double best);
bool some_loss(Graph graph, const Constraints& constraints, Objective objective, const Scale& scale,
               LossTest* test);

// How weights become whole numbers without losing a digit: times two to the power of `shift`. Sums
// of the engine have so many bits.
struct Digits {
  int shift = 0, bits = 0;
};
Digits digits_of(Graph graph, const Constraints& constraints);
// Weights so, to be maximised; ids are those of edges, or heads in a dense graph.
template <class W>
void read_exactly(Graph graph, const Constraints& constraints, const Problem& problem, int shift,
                  EdgeLists<W>& lists);
// use(W(), constraints, shift), with a W that is wide enough.
template <class Use>
auto in_wide_numbers(Graph graph, const Problem& problem, Use use) {
  Constraints constraints;
  constraints.load(graph, problem);
  const Digits digits = digits_of(graph, constraints);
  return digits.bits <= Wide128::kBits ? use(Wide128(), constraints, digits.shift)
                                       : use(WideAny(), constraints, digits.shift);
}

}  // namespace coppice::engine
