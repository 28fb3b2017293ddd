// kbest(G, K): the K best trees (the paper's figure of the K-best algorithm).
#include "paper/enumeration.hpp"

namespace coppice::paper {
namespace {

template <class W>
class KBestQueue final : public QueueEnumeration<W> {
 public:
  using QueueEnumeration<W>::QueueEnumeration;

 private:
  void advance() override {
    Best<W> best;
    if (!this->started()) {
      if (this->call_next(kWholeGraph, best)) this->yield(best.edge_into, kNone);
      return;
    }
    auto [weight, subgraph, e, unused] = this->pop();
    this->call_next(this->without(subgraph, e), best);
    this->yield(best.edge_into, e);
    this->call_next(this->with(subgraph, e), best);
  }
};

}  // namespace

KBest::KBest(Graph graph, Objective objective)
    : Enumeration(enumerate<KBestQueue>(graph, objective)) {}

}  // namespace coppice::paper
