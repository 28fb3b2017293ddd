// How writers go through the trees of a list, or through a part of them.
#pragma once

#include <coppice/io.hpp>
#include <cstddef>
#include <string>

#include "graph/poll.hpp"

namespace coppice::io {

// Calls write(rank) from parses.first on, at least once where there is such a tree, until
// most_bytes have been appended. Returns the rank that comes next.
template <class Write>
std::size_t for_each_tree(const Parses& parses, const std::string& out, const Write& write) {
  const std::size_t begin = out.size();
  std::size_t rank = parses.first;
  while (rank < parses.trees.size()) {
    poll();
    write(rank++);
    if (out.size() - begin >= parses.most_bytes) break;
  }
  return rank;
}

}  // namespace coppice::io
