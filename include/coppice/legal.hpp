// Legal trees one and all: how many there are, uniform samples of them, some tree at once, and why
// there is none.
//
//   coppice::Problem problem{.root = coppice::RootRule::single,
//                            .rules = {coppice::rules::sum_condition(frequencies, samples)}};
//   if (auto count = coppice::count_legal(view, problem)) use(*count);
//   auto trees = coppice::sample_legal(view, problem, 1000, seed);
//
// Method: one word after another takes an edge, and what cannot become a legal tree any more is
// given up (src/rules/legal_trees.hpp). sum_condition and max_children see that early; other rules
// judge whole trees, so that of hard ones few trees can be counted. The K best legal trees are
// those of kbest (kbest.hpp).
//
// Cost: of a count some ten nanoseconds for each tree, where dead ends are few, as they are under
// sum_condition; of samples twice that. Memory: that of the edges, and of the samples.
//
// Throws: Error for bad weights, constraints and arguments, and what rules throw.
// Threads: any number may call these functions at once.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace coppice {

// What takes some seconds.
inline constexpr std::int64_t kMostLegal = 100'000'000;

// How many legal trees there are, exactly; nothing where there are more than `limit`. Parallel
// edges make different trees.
std::optional<std::int64_t> count_legal(Graph graph, const Problem& problem,
                                        std::int64_t limit = kMostLegal);

// Independent samples, in the order in which they are drawn, every legal tree being as likely as
// any other: the trees are counted, places are drawn, and the trees at these places are taken. None
// where no tree is legal. The same seed gives the same trees, and fewer samples are a prefix of
// more. Throws Error where there are more than `limit` legal trees.
TreeList sample_legal(Graph graph, const Problem& problem, std::size_t count, std::uint64_t seed,
                      std::int64_t limit = kMostLegal);

// A legal tree that is found soon, good but rarely the best: the best tree is mended, clause by
// clause, in the way that costs least at first sight. What kbest gives where its budget or its time
// ends before the first tree. Nothing where none was found. Cost: request.time_limit / 5 seconds at
// most, and without a time limit 1,000 solves, fewer in large graphs.
std::optional<Tree> find_legal(Graph graph, const Problem& problem, const Request& request = {});

// Why no tree is legal, for a problem of which that is known: which rule allows no edge into which
// node, or which rule alone leaves no tree. Empty where there is no tree without rules either.
// Cost: a search of at most 100 solves for each of several rules. names: of all nodes, or none.
std::string why_none_legal(Graph graph, const Problem& problem,
                           std::span<const std::string> names = {});

}  // namespace coppice
