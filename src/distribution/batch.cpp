#include "distribution/batch.hpp"

#include <algorithm>
#include <coppice/distribution.hpp>
#include <numeric>
#include <optional>

#include "distribution/arc_weights.hpp"
#include "distribution/random.hpp"
#include "distribution/solver.hpp"
#include "graph/input.hpp"
#include "graph/sentences.hpp"

namespace coppice {
namespace {

using distribution::ArcWeights;
using distribution::Solver;
using distribution::Task;

// What one thread works with.
class GroupSolver {
 public:
  void solve(std::span<Task> tasks, std::span<const std::size_t> group, const Problem& problem) {
    inner_.clear();
    of_inner_.clear();
    copies_.clear();
    copies_.reserve(group.size());
    for (std::size_t i : group) add(tasks[i], problem);
    solver_->solve(inner_, problem.root);
    for (std::size_t k = 0; k < inner_.size(); ++k) {
      const auto& found = inner_[k].log_partition;
      of_inner_[k]->log_partition = found ? found->value() : kNoWeight;
      of_inner_[k]->entropy = inner_[k].entropy;
      of_inner_[k]->failure = inner_[k].failure;
    }
  }

 private:
  void add(Task& task, const Problem& problem) {
    try {
      const bool plain = distribution::is_plain(task.graph, problem);
      if (!plain) copies_.emplace_back(task.graph, problem);
      inner_.push_back(
          {plain ? *task.graph.dense() : copies_.back().view(), task.marginals, task.pitch});
      of_inner_.push_back(&task);
    } catch (const Stopped&) {
      throw;
    } catch (...) {
      task.failure = Failure::current();
    }
  }

  distribution::WarmSolver solver_;
  std::vector<Solver::Task> inner_;
  std::vector<Task*> of_inner_;
  std::vector<ArcWeights> copies_;
};

// Where groups of sentences of equal length begin, shortest first, each of as many as are solved
// side by side.
struct Groups {
  explicit Groups(std::span<const Task> tasks) : order(tasks.size()) {
    std::iota(order.begin(), order.end(), 0);
    auto words = [&](std::size_t i) { return tasks[i].graph.words(); };
    if (!std::ranges::is_sorted(order, {}, words)) std::ranges::stable_sort(order, {}, words);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (i == 0 || words(order[i]) != words(order[i - 1]) ||
          i - begin.back() == Solver::most_together(words(order[i])))
        begin.push_back(i);
  }
  std::span<const std::size_t> operator[](std::size_t group) const {
    const std::size_t end = group + 1 < begin.size() ? begin[group + 1] : order.size();
    return std::span(order).subspan(begin[group], end - begin[group]);
  }

  std::vector<std::size_t> order, begin;
};

void decode(Graph graph, const DistributionOptions& options, std::uint64_t seed,
            DistributionResult& result) {
  TreeDistribution trees(graph, options.problem);
  if (options.min_risk) result.min_risk = trees.min_risk();
  if (options.samples > 0) result.samples = trees.sample(options.samples, seed);
  if (options.distinct_samples > 0)
    result.distinct_samples = trees.sample_distinct(options.distinct_samples, seed);
}

// prepare(i) is called for a task on the thread that will solve it.
template <class Prepare>
void solve_tasks(std::span<Task> tasks, const Problem& problem, int threads, Prepare prepare) {
  distribution::check_log_potentials(problem);
  const Groups groups(tasks);
  for_each_sentence<GroupSolver>(
      groups.begin.size(), threads,
      [&](GroupSolver& solver, std::size_t group) {
        for (std::size_t i : groups[group]) prepare(i);
        solver.solve(tasks, groups[group], problem);
      },
      [&](std::size_t group) {
        for (std::size_t i : groups[group]) tasks[i].failure = Failure::current();
      });
}

}  // namespace

void distribution::solve(std::span<Task> tasks, const Problem& problem, int threads) {
  solve_tasks(tasks, problem, threads, [](std::size_t) {});
}

std::vector<DistributionResult> distribution_batch(std::span<const Graph> graphs,
                                                   const DistributionOptions& options,
                                                   int threads) {
  std::vector<DistributionResult> results(graphs.size());
  std::vector<Task> tasks;
  tasks.reserve(graphs.size());
  for (const Graph& graph : graphs) tasks.push_back({graph});
  const bool marginals = options.marginals || options.entropy;
  // Much of the time goes into the memory for marginals: every thread makes its own.
  solve_tasks(tasks, options.problem, threads, [&](std::size_t i) {
    if (!marginals || graphs[i].nodes() > kMostDistributionNodes) return;  // an error, soon
    const auto nodes = static_cast<std::size_t>(graphs[i].nodes());
    results[i].marginals.resize(nodes * nodes);
    tasks[i].marginals = results[i].marginals.data();
    tasks[i].pitch = nodes;
  });
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    if (!options.marginals || tasks[i].failure.code != ErrorCode::none)
      results[i].marginals.clear();
    results[i].log_partition = tasks[i].log_partition;
    if (options.entropy) results[i].entropy = tasks[i].entropy;
    results[i].failure = std::move(tasks[i].failure);
  }
  if (!options.min_risk && options.samples == 0 && options.distinct_samples == 0) return results;
  struct NoWorker {};
  for_each_sentence<NoWorker>(
      graphs.size(), threads,
      [&](NoWorker&, std::size_t i) {
        if (results[i].ok()) decode(graphs[i], options, sentence_seed(options.seed, i), results[i]);
      },
      [&](std::size_t i) { (results[i] = {}).failure = Failure::current(); });
  return results;
}

std::uint64_t sentence_seed(std::uint64_t seed, std::size_t sentence) {
  std::uint64_t state = seed;
  state = distribution::splitmix64(state) + sentence;
  return distribution::splitmix64(state);
}

}  // namespace coppice
