#include <algorithm>
#include <atomic>
#include <coppice/distribution.hpp>
#include <exception>
#include <new>
#include <numeric>
#include <stdexcept>

#include "distribution/random.hpp"
#include "graph/threads.hpp"

namespace coppice {
namespace {

bool needs_distribution(const DistributionOptions& options) {
  return options.min_risk || options.samples > 0 || options.distinct_samples > 0;
}

void describe(const DenseView& scores, const DistributionOptions& options, std::uint64_t seed,
              DistributionResult& result) {
  try {
    TreeDistribution trees(scores, options.root);
    if (options.min_risk) result.min_risk = trees.min_risk();
    if (options.samples > 0) result.samples = trees.sample(options.samples, seed);
    if (options.distinct_samples > 0)
      result.distinct_samples = trees.sample_distinct(options.distinct_samples, seed);
  } catch (const std::bad_alloc&) {
    (result = {}).error = "out of memory";
  } catch (const std::exception& error) {
    (result = {}).error = error.what();
  }
}

// What the solver gives, for sentences of which as many as possible have equal lengths.
class Group {
 public:
  Group(std::span<const DenseView> sentences, const DistributionOptions& options,
        std::vector<DistributionResult>& results)
      : sentences_(sentences), options_(options), results_(results) {}

  void solve(std::span<const std::size_t> group) {
    tasks_.clear();
    for (std::size_t i : group) {
      tasks_.push_back({sentences_[i]});
      if (!options_.marginals && !options_.entropy) continue;
      auto nodes = static_cast<std::size_t>(sentences_[i].nodes());
      results_[i].marginals.resize(nodes * nodes);
      tasks_.back().marginals = results_[i].marginals.data();
      tasks_.back().pitch = nodes;
    }
    solver_.solve(tasks_, options_.root);
    for (std::size_t k = 0; k < group.size(); ++k) take(tasks_[k], results_[group[k]]);
  }

 private:
  void take(DistributionSolver::Task& task, DistributionResult& result) const {
    if (!options_.marginals || !task.error.empty()) result.marginals.clear();
    result.log_partition = task.log_partition;
    if (options_.entropy) result.entropy = task.entropy;
    result.error = std::move(task.error);
  }

  std::span<const DenseView> sentences_;
  const DistributionOptions& options_;
  std::vector<DistributionResult>& results_;
  DistributionSolver solver_;
  std::vector<DistributionSolver::Task> tasks_;
};

}  // namespace

std::vector<DistributionResult> distribution_batch(std::span<const DenseView> sentences,
                                                   const DistributionOptions& options,
                                                   int threads) {
  if (threads < 1)
    throw std::invalid_argument("threads is " + std::to_string(threads) + ", must be at least 1");
  std::vector<DistributionResult> results(sentences.size());
  const std::vector<std::size_t> order = by_length(sentences);
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    Group group(sentences, options, results);
    constexpr std::size_t kGroup = 8;
    for (std::size_t begin; (begin = next.fetch_add(kGroup)) < order.size();) {
      auto part = std::span(order).subspan(begin, std::min(kGroup, order.size() - begin));
      try {
        group.solve(part);
      } catch (const std::bad_alloc&) {
        for (std::size_t i : part) (results[i] = {}).error = "out of memory";
      }
      if (!needs_distribution(options)) continue;
      for (std::size_t i : part)
        if (results[i].ok())
          describe(sentences[i], options, sentence_seed(options.seed, i), results[i]);
    }
  };
  run_on_threads(std::min(static_cast<std::size_t>(threads), sentences.size()), work);
  return results;
}

std::vector<std::size_t> by_length(std::span<const DenseView> sentences) {
  std::vector<std::size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sentences[a].nodes() < sentences[b].nodes();
  });
  return order;
}

std::uint64_t sentence_seed(std::uint64_t seed, std::size_t sentence) {
  std::uint64_t state = seed;
  state = distribution::splitmix64(state) + sentence;
  return distribution::splitmix64(state);
}

}  // namespace coppice
