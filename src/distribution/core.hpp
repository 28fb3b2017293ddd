// Which words can have all others below them?
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <vector>

namespace coppice::distribution {

// Marks what can be reached from start (or, where the edges are turned around, what reaches it)
// without visiting the root on the way. edge(h, d): is there one?
template <class Edge>
void mark(Node nodes, Node start, Edge edge, std::vector<bool>& seen) {
  std::vector<Node> stack{start};
  seen[static_cast<std::size_t>(start)] = true;
  auto unseen = std::count(seen.begin() + 1, seen.end(), false);
  while (!stack.empty() && unseen > 0) {
    Node from = stack.back();
    stack.pop_back();
    for (Node to = 1; to < nodes; ++to) {
      if (seen[static_cast<std::size_t>(to)] || !edge(from, to)) continue;
      seen[static_cast<std::size_t>(to)] = true;
      --unseen;
      stack.push_back(to);
    }
  }
}

inline bool all_words(const std::vector<bool>& marked) {
  return std::all_of(marked.begin() + 1, marked.end(), [](bool is) { return is; });
}

// The words that reach all others; none where there is no such word. If there is one, it is the
// last to be started from when the words are searched one after the other.
template <class Edge>
std::vector<bool> find_core(Node nodes, Edge edge) {
  std::vector<bool> seen(static_cast<std::size_t>(nodes), false), core = seen;
  Node last = 1;
  for (Node word = 1; word < nodes; ++word) {
    if (seen[static_cast<std::size_t>(word)]) continue;
    mark(nodes, word, edge, seen);
    last = word;
  }
  seen.assign(seen.size(), false);
  mark(nodes, last, edge, seen);
  if (all_words(seen))
    mark(
        nodes, last, [&](Node h, Node d) { return edge(d, h); }, core);
  return core;
}

}  // namespace coppice::distribution
