#include "engine/pipeline.hpp"

#include <algorithm>
#include <cmath>

namespace coppice::engine {
namespace {

// Search states that a sweep may cost before the queue takes over. With contracted components the
// search meets more dead ends; better give up early.
std::int64_t budget_for(std::int64_t k, bool contracted) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  k = std::min(k, kMost);
  return contracted ? 64 + 4 * k : 256 + 16 * k;
}

constexpr Node kSmallGraph = 12;
constexpr int kMostTries = 12;

}  // namespace

bool Pipeline::solve(Graph graph, const Which& which) {
  graph_ = graph;
  which_ = &which;
  prepared_ = false;
  constraints_.load(graph, which);
  if (const DenseView* view = graph.dense()) {
    dense_.load(*view, constraints_, which.objective);
    solver_ = &dense_;
  } else {
    sparse_.load(*graph.multigraph(), constraints_, which.objective);
    solver_ = &sparse_;
  }
  if (!solver_->solve(which.root, solution_)) return false;
  magnitude_ = solution_.magnitude();
  best_score_ = {};
  for (Node v = 1; v < solution_.nodes(); ++v)
    if (integral())
      best_score_.integer += integer_weight_of_tree(v);
    else
      best_score_.value += solution_.weight[v];
  if (integral()) best_score_ = from_integer(best_score_.integer);
  return true;
}

// Everything that later steps need beside the solution.
void Pipeline::prepare() {
  if (prepared_) return;
  prepared_ = true;
  candidates_.clear();
  collected_ = -kInfinity;
  reduced_.prepare(solution_);
  preorder_.build(solution_.nodes(), [&](Node v) { return solution_.head[v]; });
  if (!integral()) sums_.start(solution_.weight);
}

double Pipeline::slack(double gap) const {
  if (exact()) return 0.0;
  return 0x1p-48 * (magnitude_ + (gap == kInfinity ? magnitude_ : gap));
}

// Has the arithmetic lost digits that the scores of trees show?
bool Pipeline::imprecise() const {
  if (integral()) return !exact();
  double sum = 0.0;
  for (Node v = 1; v < solution_.nodes(); ++v) sum += std::abs(solution_.weight[v]);
  return magnitude_ > 0x1p20 * sum;
}

// Makes candidates_ hold all edges of reduced cost <= limit that are not in the best tree.
void Pipeline::collect(double limit) {
  if (limit <= collected_) return;
  collected_ = limit;
  candidates_.clear();
  solver_->collect(solution_, reduced_, limit, candidates_);
}

double Pipeline::bound(std::int64_t k) {
  prepare();
  // Candidates up to a guess give a bound; where they give none, there must be more of them. In a
  // small graph all of them are no more work than another try.
  double limit = guess(k);
  int tries = solution_.nodes() <= kSmallGraph ? 0 : kMostTries;
  while (true) {
    collect(limit + slack(limit));
    double gap = bound_.kth_gap(candidates_, collected_, preorder_, solution_, which_->root, k);
    if (gap <= collected_) return gap;
    bool grow = gap == kInfinity && --tries >= 0;
    limit = grow ? std::max(8.0 * limit, 1e-6 * magnitude_) : gap;
  }
}

// What the gap of the k-th best tree may be, judged by the cheapest replacement of each edge alone.
double Pipeline::guess(std::int64_t k) {
  losses_.clear();
  for (Node v = 1; v < solution_.nodes(); ++v) {
    double weight = solution_.weight[v];
    if (weight < solution_.y[Component(v)]) continue;  // the best edge into v is not in the tree
    double loss = solver_->loss_of_second(v, weight);
    if (loss < kInfinity) losses_.push_back(loss);
  }
  return Bound::guess(losses_, k);
}

void Pipeline::build_kernel(double up_to) {
  double limit = up_to + slack(up_to);
  collect(limit);
  kernel_.build(candidates_, preorder_, solution_, reduced_, which_->root, limit);
}

void Pipeline::best(TreeList& trees) {
  if (imprecise()) {
    prepare();
    build_kernel(0.0);
    double limit = slack(0.0);
    auto outcome = sweep_.run(kernel_, limit, limit, 1, budget_for(1, true));
    if (outcome == Sweep::Outcome::complete) {
      take_from_sweep();
      return write(1, std::nullopt, kInfinity, trees);
    }
    if (integral()) {
      take_from_queue(1, 0.0);
      return write(1, std::nullopt, kInfinity, trees);
    }
  }
  trees.start(1, solution_.head, solution_.edge);
  trees.fill(0, reported(best_score_.value), reported(best_score_.integer), {});
}

void Pipeline::kbest(const HowMany& how_many, TreeList& trees) {
  std::int64_t k = how_many.k.value_or(std::numeric_limits<std::int64_t>::max());
  double max_gap = how_many.max_gap.value_or(kInfinity);
  if (k == 1) return best(trees);
  prepare();
  double up_to = how_many.k ? std::min(bound(k), max_gap) : max_gap;
  build_kernel(up_to);
  double margin = slack(up_to);
  auto outcome =
      sweep_.run(kernel_, up_to + margin, margin, k, budget_for(k, solution_.contracted()));
  bool inexact_ties = outcome == Sweep::Outcome::tied && integral();
  if (outcome == Sweep::Outcome::abandoned || inexact_ties)
    take_from_queue(k, up_to);
  else
    take_from_sweep();
  write(k, std::nullopt, max_gap, trees);
}

void Pipeline::take_from_sweep() {
  replacements_.clear();
  found_.clear();
  sweep_.list(replacements_, found_);
  score_found();
}

// Trees within the slack of the last one wanted are taken too, for their reported scores decide.
void Pipeline::take_from_queue(std::int64_t k, double up_to) {
  constexpr std::int64_t kMostTied = 256;
  enumerate(up_to);
  replacements_.clear();
  found_.clear();
  double last_gap = 0.0;  // of the first k
  for (std::int64_t taken = 0; taken - kMostTied < k; ++taken) {
    auto begin = static_cast<std::uint32_t>(replacements_.size());
    if (!pull()) break;
    if (pulled_gap_ > up_to + 2.0 * slack(up_to)) break;
    if (taken >= k && pulled_gap_ > last_gap + 2.0 * slack(pulled_gap_)) break;
    found_.push_back({begin, static_cast<std::uint32_t>(replacements_.size())});
    if (taken < k) last_gap = std::max(last_gap, pulled_gap_);
  }
  score_found();
}

bool Pipeline::range(double above, double up_to, std::int64_t budget, TreeList& trees) {
  prepare();
  build_kernel(up_to);
  double margin = slack(up_to);
  auto all = std::numeric_limits<std::int64_t>::max();
  auto outcome = sweep_.run(kernel_, up_to + margin, margin, all, budget);
  if (outcome != Sweep::Outcome::complete) return false;
  take_from_sweep();
  write(all, above, up_to, trees);
  return true;
}

void Pipeline::enumerate(double up_to) {
  prepare();
  held_.reset();
  build_kernel(up_to);
  if (integral())
    start_queue(integer_queue_, up_to);
  else
    start_queue(queue_, up_to);
}

template <class W>
void Pipeline::start_queue(Enumeration<W>& enumeration, double up_to) {
  auto& edges = enumeration.edges;
  W sign = which_->objective == Objective::minimize ? -1 : 1;
  auto weight_of = [&](double weight, Node head, Node dependent, EdgeId edge) {
    if constexpr (std::is_same_v<W, double>)
      return weight;
    else
      return sign * solver_->integer_weight(head, dependent, edge);
  };
  edges.clear();
  for (KernelNode v(0); v < kernel_.end(); ++v) {
    Node ground = kernel_.ground(v);
    edges.push_back({kernel_.parent(v).value() + 1, v.value() + 1, -1,
                     weight_of(solution_.weight[ground], solution_.head[ground], ground,
                               solution_.edge_into(ground))});
    for (const Kernel::Option& option : kernel_.options(v)) {
      const Candidate& edge = candidates_[option.candidate];
      edges.push_back({option.head.value() + 1, v.value() + 1, option.candidate.value(),
                       weight_of(edge.weight, edge.head, edge.dependent, edge.edge)});
    }
  }
  // The root comes first.
  enumeration.solver.load(static_cast<Node>(kernel_.nodes()) + 1, edges,
                          kernel_.root_child() != kKernelRoot ? RootRule::single : RootRule::any);
  enumeration.queue.start(enumeration.solver, up_to + 2.0 * slack(up_to),
                          integral() ? 0.0 : slack(0.0));
}

// Appends the next tree of the queue to replacements_.
bool Pipeline::pull() { return integral() ? pull(integer_queue_) : pull(queue_); }

template <class W>
bool Pipeline::pull(Enumeration<W>& enumeration) {
  if (!enumeration.queue.next()) return false;
  pulled_gap_ = enumeration.queue.gap();
  const auto& solver = enumeration.solver;
  for (Node v = 1; v < solver.nodes(); ++v)
    if (const CandidateId candidate(solver.id(solver.tree(v))); candidate != kNoCandidate)
      replacements_.push_back(candidate);
  return true;
}

// The queue gives trees in the order of its own sums. Those that differ by no more than rounding
// are taken together and sorted by their reported scores.
bool Pipeline::next(double above, double up_to, TreeList& trees) {
  constexpr std::size_t kMostTied = 256;
  do {
    replacements_.clear();
    found_.clear();
    double worst = 0.0;
    while (found_.size() < kMostTied && (take_held() || pull())) {
      std::uint32_t begin = found_.empty() ? 0 : found_.back().end;
      if (pulled_gap_ > up_to + 2.0 * slack(up_to)) break;
      if (!found_.empty() && pulled_gap_ > worst + 2.0 * slack(pulled_gap_)) {
        held_ = {{replacements_.begin() + begin, replacements_.end()}, pulled_gap_};
        break;
      }
      worst = std::max(worst, pulled_gap_);
      found_.push_back({begin, static_cast<std::uint32_t>(replacements_.size())});
    }
    if (found_.empty()) return false;
    score_found();
    write(std::numeric_limits<std::int64_t>::max(), above, up_to, trees);
  } while (trees.empty());
  return true;
}

// The tree that was not given with the last ones, if any, goes back to replacements_.
bool Pipeline::take_held() {
  if (!held_) return false;
  replacements_.insert(replacements_.end(), held_->replacements.begin(), held_->replacements.end());
  pulled_gap_ = held_->gap;
  held_.reset();
  return true;
}

std::int64_t Pipeline::integer_weight_of_tree(Node v) const {
  return solver_->integer_weight(solution_.head[v], v, solution_.edge_into(v));
}

// To be maximised, as the others.
Pipeline::Score Pipeline::from_integer(std::int64_t sum) const {
  if (which_->objective == Objective::minimize) sum = -sum;
  return {static_cast<double>(sum), sum};
}

void Pipeline::score_found() {
  if (!integral()) return sums_.run(candidates_, replacements_, found_, scores_);
  scores_.clear();
  integer_scores_.clear();
  const std::int64_t best = reported(best_score_.integer);
  for (const Sums::Tree& tree : found_) {
    std::int64_t sum = best;
    for (std::uint32_t i = tree.begin; i < tree.end; ++i) {
      const Candidate& edge = candidates_[replacements_[i]];
      sum += solver_->integer_weight(edge.head, edge.dependent, edge.edge) -
             integer_weight_of_tree(edge.dependent);
    }
    Score score = from_integer(sum);
    scores_.push_back(score.value);
    integer_scores_.push_back(score.integer);
  }
}

// The trees of found_ in order: at most k, gaps in (above, up_to]. Without `above` they are a whole
// list, which measures gaps from its first tree. A stream cannot know whether rounding will bring a
// better one yet: it measures all of them from the tree that was found first.
void Pipeline::write(std::int64_t k, std::optional<double> above, double up_to, TreeList& trees) {
  std::vector<std::uint32_t>& order = integral() ? order_.of(integer_scores_) : order_.of(scores_);
  double reference = above || order.empty() ? best_score_.value : scores_[order.front()];
  auto outside = [&](std::uint32_t tree) {
    double gap = reference - scores_[tree];
    return !(gap > above.value_or(-kInfinity) && gap <= up_to);
  };
  if (above || up_to != kInfinity) std::erase_if(order, outside);
  if (order.size() > static_cast<std::uint64_t>(k)) order.resize(static_cast<std::size_t>(k));
  trees.start(order.size(), solution_.head, solution_.edge);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    std::uint32_t tree = order[rank];
    changes_.clear();
    for (std::uint32_t i = found_[tree].begin; i < found_[tree].end; ++i) {
      const Candidate& edge = candidates_[replacements_[i]];
      changes_.push_back({edge.dependent, edge.head, edge.edge});
    }
    trees.fill(rank, reported(scores_[tree]), integral() ? reported(integer_scores_[tree]) : 0,
               changes_);
  }
}

}  // namespace coppice::engine
