// kbest_batch: a decoder for each thread.
#include <coppice/batch.hpp>
#include <coppice/kbest.hpp>

#include "graph/constraints.hpp"
#include "graph/sentences.hpp"

namespace coppice {

std::vector<BatchEntry> kbest_batch(std::span<const Graph> graphs, const Problem& problem,
                                    const Request& request, int threads) {
  std::vector<BatchEntry> results;
  kbest_batch(graphs, problem, request, threads, results);
  return results;
}

void kbest_batch(std::span<const Graph> graphs, const Problem& problem, const Request& request,
                 int threads, std::vector<BatchEntry>& results) {
  check_limits(request, true);
  results.resize(graphs.size());
  for_each_sentence<Decoder>(
      graphs.size(), threads,
      [&](Decoder& decoder, std::size_t i) {
        decoder.kbest(graphs[i], problem, request, results[i].trees);
        results[i].failure = {};
      },
      [&](std::size_t i) {
        results[i] = {{}, Failure::current()};
      });
}

}  // namespace coppice
