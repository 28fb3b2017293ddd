// Rules made of any clauses.
#pragma once

#include <coppice/rule.hpp>
#include <random>
#include <vector>

namespace coppice::testing {

// Legal is what obeys all of these clauses.
Rule clauses_rule(std::vector<Clause> clauses);

// Sets of arcs (and of single edges, where there are any), some of them into the same word.
std::vector<Clause> random_clauses(Graph graph, std::mt19937_64& random);

}  // namespace coppice::testing
