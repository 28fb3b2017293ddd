// Every test that compares answers runs over all engines of the library's table
// (coppice/engines.hpp) and over streams.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/kbest.hpp>
#include <coppice/tree.hpp>
#include <functional>
#include <string>
#include <vector>

#include "engine/tuning.hpp"

namespace coppice::testing {

struct Engine {
  std::string name;
  RootRule rule;
  // The best trees in order, at most `limit` of them.
  std::function<std::vector<Tree>(Graph, Objective, std::size_t limit)> run;
  // Limits to be tried beside all trees: an engine may do different work for each.
  std::vector<std::size_t> limits = {};
  // So many trees that are equal within rounding are still in the order of their reported scores.
  std::size_t sorts = 0;
};

const std::vector<Engine>& engines();

// In what follows, `where` says how to make the graph again, and faults are reported by GoogleTest.
// Scores must be the same number for number; where sums of weights round, they may differ by
// `rounding`, but a list must be sorted by the scores that it reports.

// Runs every engine for both root rules (and objectives) to the last tree and compares with brute
// force: number of trees, every score, validity, no tree twice.
void expect_brute_force(Graph graph, const std::string& where, double rounding = 0.0);

// The same between engines, for graphs too large for brute force: the first `limit` scores.
void expect_agreement(Graph graph, std::size_t limit, const std::string& where,
                      double rounding = 0.0);

// Every engine of this rule gives trees of exactly these scores, times the unit: for graphs of any
// size whose list is known. The paper's engines take long on large ones.
void expect_known(Graph graph, RootRule rule, const std::vector<std::int64_t>& scores, double unit,
                  const std::string& where, bool paper_too);

// kbest, TreeStream and best, asked for these trees, against brute force.
void expect_trees(Graph graph, const Which& which, const HowMany& how_many,
                  const std::string& where, double rounding = 0.0);

// kbest and TreeStream with this tuning give trees of the scores that the expected ones have, which
// are those of how_many.
void expect_tuned(const engine::Tuning& tuning, Graph graph, const Which& which,
                  const HowMany& how_many, const std::vector<Tree>& expected, double rounding);

// Whoever checks the certificate of the best tree finds nothing wrong, for both root rules and
// objectives.
void expect_certified(Graph graph);

// What sums over a tree may differ by where they round; 0 for int64 weights.
double rounding_of(Graph graph);
// In how many ways every node can be given a head: what brute force goes through.
double choices(Graph graph);

}  // namespace coppice::testing
