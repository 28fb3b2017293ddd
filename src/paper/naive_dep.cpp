// The K best dependency trees from a queue that starts with the best tree of every root edge: the
// O(N^3 + K N^2) way that the paper improves on.
#include "paper/enumeration.hpp"

namespace coppice::paper {
namespace {

template <class W>
class NaiveDepQueue final : public QueueEnumeration<W> {
 public:
  using QueueEnumeration<W>::QueueEnumeration;

 private:
  void advance() override {
    if (!this->started()) return solve_every_root_edge();
    Best<W> best;
    auto [weight, subgraph, e, tree] = this->pop();
    if (!tree.empty()) {
      this->yield(tree, kNone);
      this->call_next(subgraph, best);
      return;
    }
    this->call_next(this->without(subgraph, e), best);
    this->yield(best.edge_into, e);
    this->call_next(this->with(subgraph, e), best);
  }

  void solve_every_root_edge() {
    Best<W> best;
    for (EdgeIndex e = 0; e < this->table().edges(); ++e) {
      if (this->table().source(e) != 0) continue;
      SubgraphId subgraph = this->with(kWholeGraph, e, StepKind::include_root_edge);
      if (this->call_opt(subgraph, best))
        this->push({best.weight, subgraph, kNone, best.edge_into});
    }
  }
};

}  // namespace

NaiveDep::NaiveDep(Graph graph, Objective objective)
    : Enumeration(enumerate<NaiveDepQueue>(graph, objective)) {}

}  // namespace coppice::paper
