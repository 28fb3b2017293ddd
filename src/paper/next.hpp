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
    number_descendants(best.edge_into);
    std::optional<Swap<W>> cheapest;
    for (Node v = 1; v < nodes(); ++v) {
      EdgeIndex e = best.edge_into[at(v)];
      std::optional<W> other = best_blue(e, v, best.level[at(v)]);
      if (!other) continue;
      W cost = contraction_.picked_weight(best.level[at(v)]) - *other;
      if (!cheapest || cost < cheapest->cost) cheapest = Swap<W>{cost, e};
    }
    return cheapest;
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  Node nodes() const { return contraction_.table().nodes(); }

  // Preorder numbers: d is a descendant of v (or v) iff first[v] <= first[d] < last[v].
  void number_descendants(const std::vector<EdgeIndex>& edge_into) {
    auto n = at(nodes());
    first_child_.assign(n, kNoNode);
    sibling_.assign(n, kNoNode);
    for (Node v = nodes() - 1; v >= 1; --v) {
      Node head = contraction_.table().source(edge_into[at(v)]);
      sibling_[at(v)] = first_child_[at(head)];
      first_child_[at(head)] = v;
    }
    first_.assign(n, 0);
    last_.assign(n, 0);
    stack_.assign(1, 0);
    Node number = 0;
    while (!stack_.empty()) {
      Node v = stack_.back();
      if (v < 0) {
        last_[at(~v)] = number;
        stack_.pop_back();
        continue;
      }
      first_[at(v)] = number++;
      stack_.back() = ~v;
      for (Node child = first_child_[at(v)]; child != kNoNode; child = sibling_[at(child)])
        stack_.push_back(child);
    }
  }

  bool descends(Node d, Node v) const {
    return first_[at(v)] <= first_[at(d)] && first_[at(d)] < last_[at(v)];
  }

  // The weight, at the level of c, of the best edge other than e into c that closes no cycle.
  std::optional<W> best_blue(EdgeIndex e, Node v, Component c) {
    std::optional<W> best;
    auto offer = [&](const W& weight) {
      if (!best || weight > *best) best = weight;
    };
    Node own_source = contraction_.table().source(e);
    for (Node s = 0; s < nodes(); ++s)
      if (s != own_source && contraction_.edge(c, s) != kNone && !descends(s, v))
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
      Inside here = inside.back();
      inside.pop_back();
      Component child = contraction_.first_child(here.component);
      for (; child != kNoComponent; child = contraction_.next_sibling(child))
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
  std::vector<Node> first_child_, sibling_, first_, last_, stack_;
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
