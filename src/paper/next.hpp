// next(G): the best tree, the weight of the second best, and the edge e whose removal gives it.
//
// One contraction serves for both. Every edge e of the best tree was picked by one component c, at
// the level of that component; the best tree without e is reached by one swap there: another edge
// into c whose source is no descendant of e's target (a blue edge). The paper's recursion considers
// the swaps of the contracted graph first and those of the cycle on the way back; this is the same
// set of swaps in one loop. The entry node of a dismantled cycle is considered once, at the level
// of the cycle: the authors' code considers it again with ground weights, which is wrong.
//
// Complexity: O(N) per edge, O(N^2) in all.
#pragma once

#include <optional>
#include <vector>

#include "graph/poll.hpp"
#include "graph/preorder.hpp"
#include "paper/opt.hpp"

namespace coppice::paper {

template <class W>
struct Swap {
  W cost{};                // w(best) - w(second)
  EdgeIndex edge = kNone;  // e
};

template <class W>
class SecondBest {
 public:
  explicit SecondBest(const Contraction<W>& contraction) : contraction_(contraction) {}

  // The cheapest swap of an edge of the tree; none if the tree is the only one.
  std::optional<Swap<W>> operator()(const Best<W>& best) {
    preorder_.build(
        nodes(), [&](Node v) { return contraction_.table().source(best.edge_into[place_of(v)]); });
    std::optional<Swap<W>> cheapest;
    for (Node v = 1; v < nodes(); ++v) {
      EdgeIndex e = best.edge_into[place_of(v)];
      std::optional<W> other = best_blue(e, v, best.level[place_of(v)]);
      if (!other) continue;
      W cost = contraction_.picked_weight(best.level[place_of(v)]) - *other;
      if (!cheapest || cost < cheapest->cost) cheapest = Swap<W>{cost, e};
    }
    return cheapest;
  }

 private:
  Node nodes() const { return contraction_.table().nodes(); }

  // The weight, at the level of c, of the best edge other than e into c that closes no cycle.
  std::optional<W> best_blue(EdgeIndex e, Node v, Component c) {
    std::optional<W> best;
    auto offer = [&](const W& weight) {
      if (!best || weight > *best) best = weight;
    };
    Node own_source = contraction_.table().source(e);
    for (Node s = 0; s < nodes(); ++s)
      if (s != own_source && contraction_.edge(c, s) != kNone && !preorder_.is_below(s, v))
        offer(contraction_.value(c, s));
    for_each_parallel(e, own_source, c, offer);
    return best;
  }

  // Edges other than e from the same source into c: the column only holds the best of them.
  template <class Visit>
  void for_each_parallel(EdgeIndex e, Node source, Component c, Visit visit) {
    struct Inside {
      Component component;
      W below;  // weights picked by the components between it and c
    };
    const auto& table = contraction_.table();
    std::vector<Inside> inside{{c, W{}}};
    while (!inside.empty()) {
      poll();
      Inside here = inside.back();
      inside.pop_back();
      Component child = contraction_.first_member(here.component);
      for (; child != kNoComponent; child = contraction_.next_member(child))
        inside.push_back({child, here.below + contraction_.picked_weight(child)});
      if (here.component >= nodes()) continue;
      for (EdgeIndex f = first_from(source, here.component);
           f < table.end(here.component) && table.source(f) == source; ++f)
        if (f != e && contraction_.allowed(f, here.component)) visit(table.weight(f) - here.below);
    }
  }

  EdgeIndex first_from(Node source, Node target) const {
    const auto& table = contraction_.table();
    EdgeIndex low = table.begin(target), high = table.end(target);
    while (low < high) {
      EdgeIndex middle = low + (high - low) / 2;
      if (table.source(middle) < source)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  const Contraction<W>& contraction_;
  Preorder preorder_;
};

// False: there is no tree. second is nothing if the best tree is the only one.
template <class W>
bool next(Contraction<W>& contraction, const Subgraphs& subgraphs, SubgraphId subgraph,
          Best<W>& best, std::optional<Swap<W>>& second) {
  if (!opt(contraction, subgraphs, subgraph, best)) return false;
  second = SecondBest<W>(contraction)(best);
  return true;
}

}  // namespace coppice::paper
