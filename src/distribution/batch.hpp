// Partition functions of many graphs, put where the caller wants them.
#pragma once

#include <coppice/error.hpp>
#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <cstddef>
#include <span>

namespace coppice::distribution {

struct Task {
  Graph graph;
  // [head][dependent], rows `pitch` elements apart. All tasks or none.
  double* marginals = nullptr;
  std::size_t pitch = 0;

  double log_partition = kNoWeight;
  double entropy = 0.0;  // with the marginals
  Failure failure = {};
};
void solve(std::span<Task> tasks, const Problem& problem, int threads);

}  // namespace coppice::distribution
