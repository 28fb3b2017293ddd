// Which nodes of a directed graph reach each other (Tarjan, SIAM J. Comput. 1972).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace coppice {

struct StrongComponents {
  std::vector<std::int32_t> of;  // of every node its component
  std::int32_t count = 0;        // edges between components go from higher to lower numbers
};

// edges: (from, to), nodes 0..nodes-1.
inline StrongComponents strong_components(
    std::int32_t nodes, std::span<const std::pair<std::int32_t, std::int32_t>> edges) {
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  std::vector<std::size_t> begin(at(nodes) + 1, 0);
  for (const auto& edge : edges) ++begin[at(edge.first) + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<std::int32_t> targets(edges.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const auto& edge : edges) targets[next[at(edge.first)]++] = edge.second;
  std::copy(begin.begin(), begin.end() - 1, next.begin());

  constexpr std::int32_t kUnseen = -1;
  StrongComponents result{.of = std::vector<std::int32_t>(at(nodes), kUnseen)};
  std::vector<std::int32_t> number(at(nodes), kUnseen), low(at(nodes)), open, path;
  std::int32_t seen = 0;
  for (std::int32_t start = 0; start < nodes; ++start) {
    if (number[at(start)] != kUnseen) continue;
    path.push_back(start);
    while (!path.empty()) {
      const std::int32_t v = path.back();
      if (number[at(v)] == kUnseen) {
        number[at(v)] = low[at(v)] = seen++;
        open.push_back(v);
      }
      bool deeper = false;
      while (next[at(v)] < begin[at(v) + 1]) {
        const std::int32_t to = targets[next[at(v)]];
        if (number[at(to)] == kUnseen) {
          path.push_back(to);
          deeper = true;
          break;
        }
        ++next[at(v)];
        if (result.of[at(to)] == kUnseen) low[at(v)] = std::min(low[at(v)], low[at(to)]);
      }
      if (deeper) continue;
      path.pop_back();
      if (low[at(v)] != number[at(v)]) continue;
      std::int32_t member = kUnseen;
      do {
        member = open.back();
        open.pop_back();
        result.of[at(member)] = result.count;
      } while (member != v);
      ++result.count;
    }
  }
  return result;
}

}  // namespace coppice
