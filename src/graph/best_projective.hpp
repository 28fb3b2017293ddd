// The best tree without crossing edges, by dynamic programming over spans (Eisner, COLING 1996):
// for proofs, beside the engine's own way (engine/projective_queue.hpp). O(N^3) time, O(N^2)
// memory.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <optional>

namespace coppice {

// Whatever the rules say. Its scores are not set.
std::optional<Tree> best_projective(Graph graph, const Problem& problem);

}  // namespace coppice
