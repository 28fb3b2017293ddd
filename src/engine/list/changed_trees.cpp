#include "engine/list/changed_trees.hpp"

#include <bit>

namespace coppice::engine {

void ChangedTrees::of(const Indexed<Node, Node>& head) {
  preorder_.build(head.end_index(), [&](Node v) { return head[v]; });
  small_ = head.end_index() <= kBits + 1;
  above_.resize(head.size());
  above_[0] = 0;
  for (const Node v : preorder_.words()) above_[v] = above_[head[v]] | bit(v);
}

// The replaced node nearest above v, or v itself, by the combination that replaced it; kBest: none.
CombinationId ChangedTrees::nearest(CombinationId id, Node v) const {
  const std::uint64_t above = above_[v] & combinations_[id].replaced;
  if (above == 0) return kBest;
  if (small_) {
    // What stands above v follows each other in preorder: the nearest is the last.
    const Node node = preorder_.words()[static_cast<std::size_t>(63 - std::countl_zero(above))];
    while (combinations_[id].node != node) id = combinations_[id].before;
    return id;
  }
  CombinationId found = kBest;
  for (; id != kBest; id = combinations_[id].before) {
    const Node node = combinations_[id].node;
    if (!preorder_.is_below(v, node)) continue;
    if (found == kBest || preorder_.is_below(node, combinations_[found].node)) found = id;
  }
  return found;
}

// Of a tree and one more edge: does the way up from its head come back to it?
bool ChangedTrees::closes_cycle(CombinationId id) const {
  CombinationId on_the_way = id;
  do {
    on_the_way = nearest(id, combinations_[on_the_way].head);
  } while (on_the_way != kBest && on_the_way != id);
  return on_the_way == id;
}

// One that was cyclic before may be a tree now: from every replaced node, is there a way that does
// not reach the root? As many steps as there are replaced nodes tell.
bool ChangedTrees::has_cycle(CombinationId id) const {
  if (combinations_[combinations_[id].before].is_tree) return closes_cycle(id);
  std::size_t edges = 0;
  for (CombinationId i = id; i != kBest; i = combinations_[i].before) ++edges;
  for (CombinationId i = id; i != kBest; i = combinations_[i].before) {
    CombinationId on_the_way = i;
    for (std::size_t steps = 0; steps < edges && on_the_way != kBest; ++steps)
      on_the_way = nearest(id, combinations_[on_the_way].head);
    if (on_the_way != kBest) return true;
  }
  return false;
}

}  // namespace coppice::engine
