// Every test that compares answers runs over all engines of the library's table
// (coppice/engines.hpp) and over streams.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <coppice/tree.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/tuning.hpp"
#include "support/exact_score.hpp"

namespace coppice::testing {

struct Engine {
  std::string name;
  RootRule rule;
  // The best trees in order, at most `limit` of them.
  std::function<std::vector<Tree>(Graph, Objective, std::size_t limit)> run;
  // Limits to be tried beside all trees: an engine may do different work for each.
  std::vector<std::size_t> limits = {};
  // One of the paper's algorithms, which add weights up one by one: their sums round.
  bool paper = false;
  bool slow = false;  // on large graphs
};

const std::vector<Engine>& engines();

// In what follows, `where` says how to make the graph again, and faults are reported by GoogleTest.
// Scores may differ by `rounding` from the exact sums: by rounding_of(graph) if it is not given.
// But a list, and a stream, must be sorted by the scores that it reports.

// Runs every engine for both root rules (and objectives) to the last tree and compares with brute
// force: number of trees, every score, validity, no tree twice.
void expect_brute_force(Graph graph, const std::string& where,
                        std::optional<Rounding> rounding = std::nullopt);

// The same between engines, for graphs too large for brute force: the first `limit` scores.
void expect_agreement(Graph graph, std::size_t limit, const std::string& where,
                      std::optional<Rounding> rounding = std::nullopt);

// Every engine of this rule gives trees of exactly these scores, times the unit: for graphs of any
// size whose list is known. Some engines take long on large ones.
void expect_known(Graph graph, RootRule rule, const std::vector<std::int64_t>& scores, double unit,
                  const std::string& where, bool slow_too);

// kbest, TreeStream and best, asked for these trees, against brute force.
void expect_trees(Graph graph, const Problem& problem, const Request& request,
                  const std::string& where, std::optional<Rounding> rounding = std::nullopt);

// kbest and TreeStream with this tuning give trees of the scores that the expected ones have, which
// are those of request.
void expect_tuned(const engine::Tuning& tuning, Graph graph, const Problem& problem,
                  const Request& request, const std::vector<Tree>& expected,
                  const Rounding& rounding);

// Whoever checks the certificate of the best tree finds nothing wrong, for both root rules and
// objectives.
void expect_certified(Graph graph);

}  // namespace coppice::testing
