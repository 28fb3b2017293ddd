#include "engine/ties/tree_sums.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace coppice::engine {
namespace {

using List = std::vector<std::uint32_t>;

// Neighbours of every node, either way, as nodes are eliminated.
class Neighbours {
 public:
  Neighbours(std::size_t nodes, std::span<const std::pair<std::int32_t, std::int32_t>> arcs)
      : of_(nodes) {
    for (const auto& [source, target] : arcs) {
      of_[static_cast<std::size_t>(source)].push_back(static_cast<std::uint32_t>(target));
      of_[static_cast<std::size_t>(target)].push_back(static_cast<std::uint32_t>(source));
    }
    for (List& list : of_) {
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  const List& of(std::size_t node) const { return of_[node]; }
  List& of(std::size_t node) { return of_[node]; }

  // The neighbours of the node become neighbours of each other.
  void eliminate(std::uint32_t node) {
    const List& own = of_[node];
    for (std::uint32_t other : own) {
      poll();
      List& list = of_[other];
      merged_.clear();
      std::ranges::set_union(list, own, std::back_inserter(merged_));
      std::erase_if(merged_, [&](std::uint32_t n) { return n == node || n == other; });
      list.assign(merged_.begin(), merged_.end());
    }
  }

 private:
  std::vector<List> of_;
  List merged_;
};

}  // namespace

void EliminationPlan::build(std::int32_t nodes,
                            std::span<const std::pair<std::int32_t, std::int32_t>> arcs) {
  const auto count = static_cast<std::size_t>(nodes);
  constexpr auto kNowhere = static_cast<std::size_t>(-1);
  Neighbours neighbours(count, arcs);
  using Degree = std::pair<std::size_t, std::uint32_t>;
  std::priority_queue<Degree, std::vector<Degree>, std::greater<>> fewest;
  for (std::uint32_t node = 0; node < count; ++node)
    fewest.emplace(neighbours.of(node).size(), node);
  place_.assign(count, kNowhere);
  std::vector<std::uint32_t> order;
  while (!fewest.empty()) {
    const auto [degree, node] = fewest.top();
    fewest.pop();
    if (place_[node] != kNowhere || degree != neighbours.of(node).size()) continue;  // outdated
    place_[node] = order.size();
    order.push_back(node);
    // What is left is complete: any order will do, and nothing new is joined.
    if (degree + order.size() == count) break;
    neighbours.eliminate(node);
    for (std::uint32_t other : neighbours.of(node))
      fewest.emplace(neighbours.of(other).size(), other);
  }
  List rest = order.empty() ? List{} : neighbours.of(order.back());
  if (order.size() == count) rest.clear();
  for (std::uint32_t node : rest) {
    place_[node] = order.size();
    order.push_back(node);
  }
  begin_.assign(1, 0);
  later_.clear();
  for (std::size_t place = 0; place < count; ++place) {
    if (place < count - rest.size()) {
      for (std::uint32_t other : neighbours.of(order[place]))
        later_.push_back(static_cast<std::uint32_t>(place_[other]));
      std::sort(later_.begin() + static_cast<std::ptrdiff_t>(begin_.back()), later_.end());
    } else {
      for (std::size_t other = place + 1; other < count; ++other)
        later_.push_back(static_cast<std::uint32_t>(other));
    }
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
