#include "engine/plan/listed_graphs.hpp"

namespace coppice::engine {

void list_reduced(const ReducedGraph& graph, const Candidates& candidates, Sparse<double>& lists,
                  ListedGraph<double>& listed) {
  const CertifiedTree& tree = candidates.tree();
  auto numbered = [](KernelNode v) { return v.next().value(); };
  auto& begin = lists.begins();
  auto& edges = lists.edges();
  begin.assign(place_of(graph.nodes()) + 2, Slot(0));
  edges.clear();
  // Only differences matter: the edge of the best tree gains 0.
  for (KernelNode v(0); v < graph.end(); ++v) {
    edges.push_back({0.0, numbered(graph.parent(v)), kNoCandidate.value()});
    for (const ReducedGraph::Option& option : graph.options(v))
      edges.push_back({-option.loss, numbered(option.head), option.candidate.value()});
    begin[numbered(v) + 1] = edges.end_index();
  }
  lists.start(graph.root_child() != kKernelRoot ? RootRule::single : RootRule::any);
  lists.start_subproblems();
  listed.lists = &lists;
  listed.arcs.clear();
  for (Node v = 1; v < lists.nodes(); ++v) {
    const Node ground = graph.ground(KernelNode(v - 1));
    for (Slot e = lists.begin(v); e < lists.end(v); ++e) {
      const CandidateId id(lists.edge(e).id);
      if (id == kNoCandidate) {
        listed.arcs.push_back({tree.head[ground], ground, tree.edge_into(ground)});
      } else {
        const Candidate& edge = candidates.list()[id];
        listed.arcs.push_back({edge.head, ground, edge.edge});
      }
    }
  }
  listed.heads.assign(tree.head.begin(), tree.head.end());
  listed.edges.assign(tree.edge.begin(), tree.edge.end());
}

}  // namespace coppice::engine
