#include "engine/solve/exact_solver.hpp"

#include "engine/solve/read_edges.hpp"
#include "engine/solve/sparse.hpp"

namespace coppice::engine {
namespace {

template <class W>
bool solve_in(Graph graph, const Problem& problem, const Constraints& constraints, int shift,
              ExactTree& found) {
  Sparse<W> lists;
  read_exactly(graph, constraints, problem, shift, lists);
  if (!lists.solve()) return false;
  const Multigraph* edges = graph.multigraph();
  auto id = [&](Slot e) { return edges != nullptr ? lists.edge(e).id : kNoEdge; };
  CertifiedTree& tree = found.tree;
  tree.reset(graph.nodes());
  if (edges != nullptr) tree.edge.assign(place_of(graph.nodes()), kNoEdge);
  tree.root_price = lists.price().value(shift);
  tree.parent = lists.parents();
  tree.y.clear();
  for (Component c(0); c < lists.y().end_index(); ++c) tree.y.push_back(lists.y()[c].value(shift));
  tree.y[Component(0)] = 0.0;
  for (Node v = 1; v < graph.nodes(); ++v) {
    const Slot own = lists.tree(v);
    tree.head[v] = lists.edge(own).source;
    if (edges != nullptr) tree.edge[v] = id(own);
    for (Slot e = lists.begin(v); e < lists.end(v); ++e)
      if (e != own && lists.reduced_cost(e, v) == W{})
        found.tight.push_back({lists.edge(e).source, v, id(e)});
  }
  return true;
}

}  // namespace

bool solve_exactly(Graph graph, const Problem& problem, ExactTree& found) {
  return in_wide_numbers(graph, problem,
                         [&]<class W>(W, const Constraints& constraints, int shift) {
                           return solve_in<W>(graph, problem, constraints, shift, found);
                         });
}

}  // namespace coppice::engine
