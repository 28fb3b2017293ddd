#include "engine/prune/companions.hpp"

#include <algorithm>
#include <numeric>

#include "engine/prune/reduced_graph.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {

void Companions::find(const ReducedGraph& graph) {
  find_reentries(graph);
  inner_ = other_root_ = std::numeric_limits<double>::infinity();
  const KernelNode child = graph.root_child();
  if (child == kKernelRoot) return;
  for (KernelNode x(0); x < graph.end(); ++x) {
    double& cheapest = x == child ? inner_ : other_root_;
    for (const ReducedGraph::Option& option : graph.options(x))
      if ((x == child) != (option.head == kKernelRoot))
        cheapest = std::min(cheapest, option.reduced_cost);
  }
}

// An edge into x enters what hangs from v for all v above x, up to the first that its head is below
// too. With the cheapest edges first, whoever has an answer can be passed over.
void Companions::find_reentries(const ReducedGraph& graph) {
  reentry_.assign(place_of(graph.nodes()), std::numeric_limits<double>::infinity());
  by_cost_.clear();
  for (KernelNode x(0); x < graph.end(); ++x)
    for (const ReducedGraph::Option& option : graph.options(x))
      by_cost_.push_back({option.reduced_cost, x, option.head});
  sort_polling(by_cost_.begin(), by_cost_.end(),
               [](const Entry& a, const Entry& b) { return a.reduced_cost < b.reduced_cost; });
  open_.resize(place_of(graph.nodes()));
  std::iota(open_.begin(), open_.end(), KernelNode(0));
  auto nearest_open = [&](KernelNode v) {
    while (v != kKernelRoot && open_[v] != v) {
      const KernelNode up = open_[v];
      if (up != kKernelRoot) open_[v] = open_[up];
      v = up;
    }
    return v;
  };
  for (const Entry& entry : by_cost_) {
    KernelNode v = nearest_open(graph.parent(entry.node));
    while (v != kKernelRoot && !graph.is_below(entry.head, v)) {
      reentry_[v] = entry.reduced_cost;
      open_[v] = graph.parent(v);
      v = nearest_open(v);
    }
  }
}

double Companions::cost(const ReducedGraph& graph, KernelNode v, KernelNode head) const {
  const KernelNode child = graph.root_child();
  double cost = 0.0;
  if (head != kKernelRoot && graph.is_below(head, v)) cost = reentry_[v];
  if (child == kKernelRoot) return cost;
  if (v == child && head != kKernelRoot) cost = std::max(cost, other_root_);
  if (v != child && head == kKernelRoot) cost = inner_;
  return cost;
}

}  // namespace coppice::engine
