// The same where batches are put together.
#include <coppice/graph.hpp>
#include <utility>
#include <vector>

std::vector<coppice::Multigraph> load();

int count() {
  std::vector<coppice::Graph> graphs;
#ifdef MUST_NOT_COMPILE
  graphs.push_back(std::move(load().front()));
#else
  const auto loaded = load();
  graphs.push_back(loaded.front());
#endif
  return static_cast<int>(graphs.size());
}
