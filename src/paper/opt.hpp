// opt(G): the best tree, by contraction of critical cycles (the paper's figure of the 1-best
// algorithm; Chu and Liu 1965, Edmonds 1967, in O(N^2) as Tarjan 1977 and Camerini et al. 1979).
#pragma once

#include <vector>

#include "paper/contraction.hpp"

namespace coppice::paper {

// A best tree by the edge into every node, its weight, and at which level each edge was picked.
template <class W>
struct Best {
  std::vector<EdgeIndex> edge_into;
  std::vector<Component> level;
  W weight{};
};

template <class W>
void stitch(Contraction<W>& contraction, Best<W>& best) {
  contraction.expand(best.edge_into, best.level);
  best.weight = W{};
  for (std::size_t v = 1; v < best.edge_into.size(); ++v)
    best.weight += contraction.table().weight(best.edge_into[v]);
}

// False: there is no tree.
template <class W>
bool opt(Contraction<W>& contraction, const Subgraphs& subgraphs, SubgraphId subgraph,
         Best<W>& best) {
  contraction.load(subgraphs, subgraph);
  if (!contraction.contract()) return false;
  stitch(contraction, best);
  return true;
}

}  // namespace coppice::paper
