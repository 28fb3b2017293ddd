#include "view/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace coppice::view {

std::vector<ArcPlace> place_arcs(std::span<const Arc> arcs, std::span<const double> room,
                                 double leg_gap) {
  std::vector<std::size_t> by_span;
  for (std::size_t i = 0; i < arcs.size(); ++i)
    if (arcs[i].head != 0) by_span.push_back(i);
  std::stable_sort(by_span.begin(), by_span.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(arcs[a].head - arcs[a].dependent) < std::abs(arcs[b].head - arcs[b].dependent);
  });

  std::vector<ArcPlace> places(arcs.size());
  std::vector<int> above(room.size(), 0);  // between word i and i + 1: the highest level so far
  for (const std::size_t i : by_span) {
    const auto [low, high] = std::minmax(arcs[i].head, arcs[i].dependent);
    const auto first = above.begin() + low, last = above.begin() + high;
    places[i].level = *std::max_element(first, last) + 1;
    std::fill(first, last, places[i].level);
  }

  // Legs of one head and side, counted from the middle, then spread over the room.
  const auto side = [&](std::size_t i) {
    return 2 * static_cast<std::size_t>(arcs[i].head) + (arcs[i].dependent < arcs[i].head ? 1 : 0);
  };
  std::vector<int> used(2 * room.size(), 0);
  std::for_each(by_span.rbegin(), by_span.rend(),
                [&](std::size_t i) { places[i].leg = ++used[side(i)]; });
  for (const std::size_t i : by_span) {
    const double gap =
        std::min(leg_gap, room[static_cast<std::size_t>(arcs[i].head)] / used[side(i)]);
    places[i].leg *= arcs[i].dependent < arcs[i].head ? -gap : gap;
  }
  return places;
}

}  // namespace coppice::view
