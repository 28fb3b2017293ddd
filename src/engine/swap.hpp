// The cheapest swaps of a tree, in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace coppice::engine {

// Sorts by cost and keeps at most so many. True if some were left out.
template <class Swap>
bool keep_cheapest(std::size_t most, std::vector<Swap>& swaps) {
  auto cheaper = [](const Swap& a, const Swap& b) {
    return a.cost < b.cost || (!(b.cost < a.cost) && a.edge < b.edge);
  };
  const bool too_many = swaps.size() > most;
  if (too_many) {
    std::nth_element(swaps.begin(), swaps.begin() + static_cast<std::ptrdiff_t>(most), swaps.end(),
                     cheaper);
    swaps.resize(most);
  }
  std::sort(swaps.begin(), swaps.end(), cheaper);
  return too_many;
}

}  // namespace coppice::engine
