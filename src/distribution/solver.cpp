#include "distribution/solver.hpp"

#include <algorithm>

#include "distribution/marginals.hpp"
#include "distribution/mean.hpp"
#include "distribution/potentials.hpp"

namespace coppice::distribution {
namespace {

std::optional<ExactSum> wide_log_partition(const Potentials& graph) {
  if (graph.empty) return std::nullopt;
  auto compute = [&]<class T>() -> std::optional<ExactSum> {
    Matrix<T> given = weights_of<T>(graph)(graph.order, graph.order), eliminated = given;
    if (!eliminate<T>(eliminated, 0, graph.single) || !in_range(given, eliminated, graph.single))
      return std::nullopt;
    return log_sum(eliminated);
  };
  ExactSum result = in_any_range(graph.log_weights, compute);
  result.add(graph.shift);
  return result;
}

std::optional<ExactSum> wide_log_partition(const Solver::Task& task, RootRule root) {
  return wide_log_partition(make_potentials(read_weights(task.scores), root, false, task.rest));
}

// float64 had too small a range for the marginals.
void describe_wide(Solver::Task& task, RootRule root) {
  const Matrix<double> weights = read_weights(task.scores);
  const Potentials graph = make_potentials(weights, root, false, task.rest);
  Matrix<double> probability = Matrix<double>::Zero(weights.rows(), weights.cols());
  if (auto log_partition = wide_log_partition(graph)) {
    probability = distribution::marginals(graph);
    add_mean(*log_partition, probability, weights, -1.0);
    if (task.rest != nullptr) add_mean(*log_partition, probability, *task.rest, -1.0);
    task.entropy = std::max(0.0, log_partition->value());
  }
  for (Index h = 0; h < weights.rows(); ++h)
    for (Index d = 0; d < weights.cols(); ++d)
      task.marginals[static_cast<std::size_t>(h) * task.pitch + static_cast<std::size_t>(d)] =
          probability(h, d);
}

// Of the thread; nothing while it is in use.
thread_local std::unique_ptr<Solver> last_solver;

}  // namespace

WarmSolver::WarmSolver()
    : solver_(last_solver ? std::move(last_solver) : std::make_unique<Solver>()) {}

WarmSolver::~WarmSolver() {
  constexpr std::size_t kMost = 1 << 20;
  if (solver_->memory() <= kMost) last_solver = std::move(solver_);
}

std::size_t Solver::memory() const {
  std::size_t sum = lanes_.memory();
  for (const Float64& one : float64_) sum += one.memory();
  return sum;
}

void Solver::solve(std::span<Task> tasks, RootRule root) {
  const Node words = tasks[0].scores.words();
  std::array<Lanes::Sentence, kLanes> sentences;
  std::array<Task*, kLanes> of_sentence{};
  std::size_t count = 0;
  for (Task& task : tasks) {
    if (task.rest != nullptr) {
      if (task.marginals != nullptr) describe_wide(task, root);
      task.log_partition = wide_log_partition(task, root);
      continue;
    }
    try {
      float64_[count].load(task.scores, root);
    } catch (const Error&) {
      task.failure = Failure::current();
      continue;
    }
    sentences[count] = {float64_[count].weights(), float64_[count].column_size(), task.marginals,
                        task.pitch};
    of_sentence[count++] = &task;
  }
  if (count == 0) return;
  const bool together =
      words <= Lanes::kMostWords && count >= Lanes::fewest(sentences[0].marginals != nullptr);
  if (together) lanes_.solve({sentences.data(), count}, static_cast<std::size_t>(words), root);
  for (std::size_t i = 0; i < count; ++i) {
    Task& task = *of_sentence[i];
    if (together) {
      task.log_partition = sentences[i].log_partition;
      task.entropy = sentences[i].entropy;
    } else if (words <= Lanes::kMostWords) {
      solve_by_panels(float64_[i], task, Float64::Order::plain);
    }
    if (!task.log_partition) solve_alone(float64_[i], task, root);
  }
}

void Solver::solve_by_panels(Float64& float64, Task& task, Float64::Order order) {
  if (task.marginals == nullptr) {
    task.log_partition = float64.log_partition(order);
  } else if (auto found = float64.describe(task.marginals, task.pitch, order)) {
    task.log_partition = found->log_partition;
    task.entropy = found->entropy;
  }
}

// What short sentences are left with that are not done in plain order, and how long ones are
// solved; `float64` has the graph loaded.
void Solver::solve_alone(Float64& float64, Task& task, RootRule root) {
  solve_by_panels(float64, task, Float64::Order::fit);
  if (!task.log_partition && root == RootRule::single)
    solve_by_panels(float64, task, Float64::Order::dear_root);
  if (task.marginals == nullptr) {
    if (!task.log_partition) task.log_partition = wide_log_partition(task, root);
    return;
  }
  if (task.log_partition && task.scores.words() > Lanes::kMostWords) return;
  if (!task.log_partition) describe_wide(task, root);
  // The sum may stay in range where the marginals do not, and is to be the same without them.
  Task alone{task.scores};
  solve({&alone, 1}, root);
  task.log_partition = alone.log_partition;
}

}  // namespace coppice::distribution
