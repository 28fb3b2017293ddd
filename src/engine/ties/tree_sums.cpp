#include "engine/ties/tree_sums.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace coppice::engine {
namespace {

using List = std::vector<std::uint32_t>;

// The neighbours of a node, and so of its neighbours, once it is eliminated.
void eliminate(std::uint32_t node, std::vector<List>& neighbours) {
  List merged;
  for (std::uint32_t other : neighbours[node]) {
    poll();
    merged.clear();
    std::ranges::set_union(neighbours[other], neighbours[node], std::back_inserter(merged));
    std::erase_if(merged, [&](std::uint32_t n) { return n == node || n == other; });
    neighbours[other].assign(merged.begin(), merged.end());
  }
}

}  // namespace

void EliminationPlan::build(std::size_t nodes, std::span<const Arc> arcs) {
  std::vector<List> neighbours(nodes);
  for (const auto& [source, target] : arcs) {
    if (source == kOutside) continue;
    neighbours[static_cast<std::size_t>(source)].push_back(static_cast<std::uint32_t>(target));
    neighbours[static_cast<std::size_t>(target)].push_back(static_cast<std::uint32_t>(source));
  }
  using Degree = std::pair<std::size_t, std::uint32_t>;
  std::priority_queue<Degree, std::vector<Degree>, std::greater<>> fewest;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    List& list = neighbours[node];
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    fewest.emplace(list.size(), node);
  }
  constexpr auto kNowhere = static_cast<std::size_t>(-1);
  place_.assign(nodes, kNowhere);
  List order;
  bool complete = false;  // all that are left are neighbours: nothing new is joined
  while (!fewest.empty()) {
    const auto [degree, node] = fewest.top();
    fewest.pop();
    if (place_[node] != kNowhere || (!complete && degree != neighbours[node].size())) continue;
    place_[node] = order.size();
    order.push_back(node);
    complete = complete || degree + order.size() == nodes;
    if (complete) continue;
    eliminate(node, neighbours);
    for (std::uint32_t other : neighbours[node]) fewest.emplace(neighbours[other].size(), other);
  }
  begin_.assign(1, 0);
  later_.clear();
  for (std::size_t place = 0; place < nodes; ++place) {
    for (std::uint32_t other : neighbours[order[place]])
      if (place_[other] > place) later_.push_back(static_cast<std::uint32_t>(place_[other]));
    std::sort(later_.begin() + static_cast<std::ptrdiff_t>(begin_.back()), later_.end());
    begin_.push_back(later_.size());
  }
}

std::size_t EliminationPlan::slot(std::size_t low, std::size_t high) const {
  const std::span<const std::uint32_t> list = later(low);
  return begin_[low] +
         static_cast<std::size_t>(std::ranges::lower_bound(list, static_cast<std::uint32_t>(high)) -
                                  list.begin());
}

double EliminationPlan::multiplications() const {
  double sum = 0.0;
  for (std::size_t place = 0; place < nodes(); ++place) {
    const auto neighbours = static_cast<double>(later(place).size());
    sum += (neighbours + 1.0) * (neighbours + 2.0);
  }
  return sum;
}

}  // namespace coppice::engine
