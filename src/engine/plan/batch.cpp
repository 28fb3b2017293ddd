#include <coppice/batch.hpp>

#include "graph/constraints.hpp"
#include "graph/sentences.hpp"

namespace coppice {

std::vector<SentenceResult> kbest_batch(std::span<const Graph> graphs, const Which& which,
                                        const HowMany& how_many, int threads) {
  std::vector<SentenceResult> results;
  kbest_batch(graphs, which, how_many, threads, results);
  return results;
}

void kbest_batch(std::span<const Graph> graphs, const Which& which, const HowMany& how_many,
                 int threads, std::vector<SentenceResult>& results, const Engine& engine) {
  check_limits(how_many, true);
  results.resize(graphs.size());
  for_each_sentence<Decoder>(
      graphs.size(), threads,
      [&](Decoder& decoder, std::size_t i) {
        engine.kbest(decoder, graphs[i], which, how_many, results[i].trees);
        results[i].failure = {};
      },
      [&](std::size_t i) { results[i].failure = Failure::current(); });
}

}  // namespace coppice
