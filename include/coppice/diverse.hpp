// Trees that differ: the ten best trees of a sentence often differ in the head of a comma.
//
//   auto trees = coppice::diverse(view, {.root = coppice::RootRule::single},
//                                 {.k = 10, .distance = 3});
//
// The first tree is the best one. Each further tree is the best of those that differ from every
// tree before it in the heads of at least `distance` words. So scores never rise, and every tree
// is exact; whether another choice of k trees would score more in all is not asked.
//
// Method: a search under the rule rules::differs (docs/rules.md). Cost: one search for each tree,
// each a few solves for small distances; a budget limits them, for far trees are hard to find.
//
// Throws Error for k < 1, for a distance < 1, and for what kbest refuses. Any number of threads may
// call these functions at once, also with the same graph.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/rule.hpp>
#include <coppice/tree.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace coppice {

struct DiverseRequest {
  std::int64_t k;
  std::int32_t distance = 2;
  // Words with one of these labels in either tree do not count (labelled graphs alone).
  std::vector<std::string> ignored_labels = {};
  // For each tree, about so many solves and seconds at most; see Request::budget.
  std::optional<std::int64_t> budget = std::nullopt;
  std::optional<double> time_limit = std::nullopt;
};

// At most k trees; fewer where no further tree differs enough. Where the budget ran out, the list
// ends there and is not complete (TreeList::complete, bound).
TreeList diverse(Graph graph, const Problem& problem, const DiverseRequest& request);

namespace rules {

// A tree must differ from each of these, trees of the same graph, in the heads of at least
// `distance` words. Words whose label in either tree is among `ignored_labels` do not count.
Rule differs(std::vector<Tree> trees, std::int32_t distance,
             std::vector<std::string> ignored_labels = {});

}  // namespace rules
}  // namespace coppice
