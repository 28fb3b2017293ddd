#include <coppice/distribution.hpp>

#include "distribution/random.hpp"
#include "graph/sentences.hpp"

namespace coppice {
namespace {

DistributionResult describe(Graph graph, const DistributionOptions& options, std::uint64_t seed) {
  DistributionResult result;
  TreeDistribution trees(graph, options.which);
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
  return result;
}

}  // namespace

std::vector<DistributionResult> distribution_batch(std::span<const Graph> graphs,
                                                   const DistributionOptions& options,
                                                   int threads) {
  struct NoWorker {};
  std::vector<DistributionResult> results(graphs.size());
  for_each_sentence<NoWorker>(
      graphs.size(), threads,
      [&](NoWorker&, std::size_t i) {
        results[i] = describe(graphs[i], options, sentence_seed(options.seed, i));
      },
      [&](std::size_t i) { results[i].failure = Failure::current(); });
  return results;
}

std::uint64_t sentence_seed(std::uint64_t seed, std::size_t sentence) {
  std::uint64_t state = seed;
  state = distribution::splitmix64(state) + sentence;
  return distribution::splitmix64(state);
}

}  // namespace coppice
