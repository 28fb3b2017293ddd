// A Graph refers to a multigraph, which must outlive it.
#include <coppice/graph.hpp>

int nodes() {
#ifdef MUST_NOT_COMPILE
  const coppice::Graph graph = coppice::Multigraph(3);
#else
  const coppice::Multigraph multigraph(3);
  const coppice::Graph graph = multigraph;
#endif
  return graph.nodes();
}
