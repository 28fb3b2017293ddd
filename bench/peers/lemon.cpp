// LEMON's MinCostArborescence (driver.hpp). Built where LEMON is installed.
#include <lemon/config.h>
#include <lemon/min_cost_arborescence.h>
#include <lemon/static_graph.h>

#include <memory>
#include <utility>

#include "driver.hpp"

namespace {

namespace bench = coppice::bench;
using lemon::StaticDigraph;
using Costs = StaticDigraph::ArcMap<double>;
using Solver = lemon::MinCostArborescence<StaticDigraph, Costs>;

class Lemon {
 public:
  static constexpr const char* version = LEMON_VERSION;
  static constexpr double step = 0;

  explicit Lemon(const bench::Work& work) {
    for (const auto& graph : work.graphs)
      graphs_.push_back(
          std::make_unique<Prepared>(work.single ? bench::single_by_weights(graph) : graph));
  }

  void solve(std::size_t graph) {
    Solver solver(graphs_[graph]->digraph, graphs_[graph]->costs);
    solver.run(graphs_[graph]->digraph.node(0));
  }

  bench::HeadsList answer(std::size_t graph) {
    const auto& digraph = graphs_[graph]->digraph;
    Solver solver(digraph, graphs_[graph]->costs);
    solver.run(digraph.node(0));
    std::vector<int> heads;
    for (int node = 1; node < digraph.nodeNum(); ++node)
      heads.push_back(digraph.id(digraph.source(solver.pred(digraph.node(node)))));
    return {heads};
  }

 private:
  struct Prepared {
    explicit Prepared(const bench::Weights& graph) : costs(digraph) {
      std::vector<std::pair<int, int>> arcs;
      bench::for_each_edge(graph,
                           [&](int head, int dependent) { arcs.emplace_back(head, dependent); });
      digraph.build(graph.nodes, arcs.begin(), arcs.end());
      for (int arc = 0; arc < digraph.arcNum(); ++arc) {
        const auto [head, dependent] = arcs[static_cast<std::size_t>(arc)];
        costs[digraph.arc(arc)] = -graph(head, dependent);
      }
    }
    StaticDigraph digraph;
    Costs costs;
  };
  std::vector<std::unique_ptr<Prepared>> graphs_;
};

}  // namespace

int main(int argc, char** argv) { return coppice::bench::drive<Lemon>(argc, argv); }
