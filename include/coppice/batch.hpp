// The K best trees of many sentences on a fixed number of threads.
//
// Results are in the order of the input and do not depend on the number of threads. A sentence that
// cannot be decoded (NaN, +inf ...) is reported at its index; the others are decoded. So is what a
// rule throws, with the code `other` and its text, unless it is an Error, which keeps its code.
//
//   auto results = coppice::kbest_batch(views, {.root = coppice::RootRule::single}, {.k = 50}, 2);
//   for (const auto& result : results)
//     if (result.ok()) use(result.trees); else report(result.failure.text);
//
// Throws: Error where threads < 1 and for a bad request (k < 1, a negative or NaN max_gap, neither
// of the two); Stopped (stop.hpp) ends the whole call.
// Cost: that of kbest for every graph, shared by the threads.
// Threads: any number may call it at once; each list of results belongs to one call.
#pragma once

#include <coppice/error.hpp>
#include <coppice/kbest.hpp>
#include <span>
#include <vector>

namespace coppice {

struct BatchEntry {
  TreeList trees;
  Failure failure;

  bool ok() const { return failure.code == ErrorCode::none; }
};

std::vector<BatchEntry> kbest_batch(std::span<const Graph> graphs, const Problem& problem,
                                    const Request& request, int threads);

// The same into results of an earlier call, whose memory is reused.
void kbest_batch(std::span<const Graph> graphs, const Problem& problem, const Request& request,
                 int threads, std::vector<BatchEntry>& results);

}  // namespace coppice
