#include <algorithm>
#include <atomic>
#include <coppice/distribution.hpp>
#include <exception>
#include <new>
#include <stdexcept>

#include "distribution/random.hpp"
#include "graph/threads.hpp"

namespace coppice {
namespace {

DistributionResult describe(const DenseView& scores, const DistributionOptions& options,
                            std::uint64_t seed) {
  DistributionResult result;
  try {
    TreeDistribution trees(scores, options.root);
    result.log_partition = trees.log_partition();
    if (options.marginals) {
      auto probabilities = trees.marginals();
      result.marginals.assign(probabilities.begin(), probabilities.end());
    }
    if (options.entropy) result.entropy = trees.entropy();
    if (options.min_risk) result.min_risk = trees.min_risk();
    if (options.samples > 0) result.samples = trees.sample(options.samples, seed);
    if (options.distinct_samples > 0)
      result.distinct_samples = trees.sample_distinct(options.distinct_samples, seed);
  } catch (const std::bad_alloc&) {
    result = {};
    result.error = "out of memory";
  } catch (const std::exception& error) {
    result = {};
    result.error = error.what();
  }
  return result;
}

}  // namespace

std::vector<DistributionResult> distribution_batch(std::span<const DenseView> sentences,
                                                   const DistributionOptions& options,
                                                   int threads) {
  if (threads < 1)
    throw std::invalid_argument("threads is " + std::to_string(threads) + ", must be at least 1");
  std::vector<DistributionResult> results(sentences.size());
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < sentences.size();)
      results[i] = describe(sentences[i], options, sentence_seed(options.seed, i));
  };
  run_on_threads(std::min(static_cast<std::size_t>(threads), sentences.size()), work);
  return results;
}

std::uint64_t sentence_seed(std::uint64_t seed, std::size_t sentence) {
  std::uint64_t state = seed;
  state = distribution::splitmix64(state) + sentence;
  return distribution::splitmix64(state);
}

}  // namespace coppice
