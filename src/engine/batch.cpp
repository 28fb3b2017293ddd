#include <algorithm>
#include <atomic>
#include <coppice/batch.hpp>
#include <exception>
#include <new>
#include <stdexcept>

#include "graph/constraints.hpp"
#include "graph/threads.hpp"

namespace coppice {

std::vector<SentenceResult> kbest_batch(std::span<const Graph> graphs, const Which& which,
                                        const HowMany& how_many, int threads) {
  std::vector<SentenceResult> results;
  kbest_batch(graphs, which, how_many, threads, results);
  return results;
}

void kbest_batch(std::span<const Graph> graphs, const Which& which, const HowMany& how_many,
                 int threads, std::vector<SentenceResult>& results) {
  if (threads < 1)
    throw std::invalid_argument("threads is " + std::to_string(threads) + ", must be at least 1");
  check_limits(how_many, true);
  results.resize(graphs.size());
  // A few sentences at a time, so that threads rarely meet and long sentences do not pile up.
  constexpr std::size_t kChunk = 8;
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    Decoder decoder;
    for (std::size_t begin; (begin = next.fetch_add(kChunk)) < graphs.size();) {
      for (std::size_t i = begin; i < std::min(begin + kChunk, graphs.size()); ++i) {
        results[i].error.clear();
        try {
          decoder.kbest(graphs[i], which, how_many, results[i].trees);
        } catch (const std::bad_alloc&) {
          results[i].error = "out of memory";
        } catch (const std::exception& error) {
          results[i].error = error.what();
        }
      }
    }
  };
  auto chunks = (graphs.size() + kChunk - 1) / kChunk;
  run_on_threads(std::min(static_cast<std::size_t>(threads), chunks), work);
}

}  // namespace coppice
