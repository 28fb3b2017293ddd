// The table of engines: every test that compares answers runs over all of them. A new engine joins
// by one row in engines.cpp.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <functional>
#include <string>
#include <vector>

namespace coppice::testing {

struct Engine {
  std::string name;
  RootRule rule;
  // The best trees in order, at most `limit` of them.
  std::function<std::vector<Tree>(Graph, Objective, std::size_t limit)> run;
  bool plans_ahead = false;  // does different work for different limits
};

const std::vector<Engine>& engines();

// Runs every engine for both root rules (and objectives) to the last tree and compares with brute
// force: number of trees, every score, validity, no tree twice. Reports by GoogleTest; `where`
// says how to make the graph again.
void expect_brute_force(Graph graph, const std::string& where);

// The same between engines, for graphs too large for brute force: the first `limit` scores.
void expect_agreement(Graph graph, std::size_t limit, const std::string& where);

}  // namespace coppice::testing
