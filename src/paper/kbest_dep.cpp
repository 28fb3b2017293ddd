// kbest_dep(G, K): the K best dependency trees (the paper's root-constrained K-best algorithm).
//
// A new root edge means a new best tree, found by opt under the constraint; with the root edge
// included no other edge leaves the root, and plain next serves.
#include "paper/enumeration.hpp"

namespace coppice::paper {
namespace {

template <class W>
class KBestDepQueue final : public QueueEnumeration<W> {
 public:
  using QueueEnumeration<W>::QueueEnumeration;

 private:
  void advance() override {
    Best<W> best;
    if (!this->started()) {
      if (this->call_opt_dep(kWholeGraph, best)) new_root_edge(kWholeGraph, best.edge_into, kNone);
      return;
    }
    auto [weight, subgraph, e, tree] = this->pop();
    if (!tree.empty()) return new_root_edge(this->without(subgraph, e), tree, e);
    this->call_next(this->without(subgraph, e), best);
    this->yield(best.edge_into, e);
    this->call_next(this->with(subgraph, e), best);
  }

  // tree is a best dependency tree of the subgraph. Among equals the one that next finds is given,
  // for the second best that next finds is second to that one.
  void new_root_edge(SubgraphId subgraph, const std::vector<EdgeIndex>& tree,
                     EdgeIndex deleted_edge) {
    EdgeIndex e = this->root_edge(tree);
    Best<W> best;
    this->call_next(this->with(subgraph, e, StepKind::include_root_edge), best);
    this->yield(best.edge_into, deleted_edge);
    if (this->call_opt_dep(this->without(subgraph, e), best))
      this->push({best.weight, subgraph, e, best.edge_into});
  }
};

}  // namespace

KBestDep::KBestDep(Graph graph, Objective objective)
    : Enumeration(enumerate<KBestDepQueue>(graph, objective)) {}

}  // namespace coppice::paper
