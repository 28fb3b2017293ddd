// Camerini, Fratta and Maffioli's K-best algorithm (1980) as the paper describes it: the best tree
// of G - e is found by opt, and the second best of G - e and of G + e by two more solves that only
// find a weight and an edge.
#include "paper/enumeration.hpp"

namespace coppice::paper {
namespace {

template <class W>
class CameriniQueue final : public QueueEnumeration<W> {
 public:
  using QueueEnumeration<W>::QueueEnumeration;

 private:
  void advance() override {
    Best<W> best, unused;
    if (!this->started()) {
      if (!this->call_opt(kWholeGraph, best)) return;
      this->yield(best.edge_into, kNone);
      this->call_next(kWholeGraph, unused);
      return;
    }
    auto [weight, subgraph, e, tree] = this->pop();
    SubgraphId without_e = this->without(subgraph, e);
    this->call_opt(without_e, best);
    this->yield(best.edge_into, e);
    this->call_next(without_e, unused);
    this->call_next(this->with(subgraph, e), unused);
  }
};

}  // namespace

Camerini::Camerini(Graph graph, Objective objective)
    : Enumeration(enumerate<CameriniQueue>(graph, objective)) {}

}  // namespace coppice::paper
