#include "engine/plan/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/plan/listed_graphs.hpp"

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

std::int64_t budget(std::int64_t states, std::int64_t states_per_tree, std::int64_t k) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return states + states_per_tree * std::min(k, kMost);
}

// Estimated gap(k) / gap(found), assuming that the number of trees grows exponentially with the
// gap.
double steps_to(std::int64_t k, std::int64_t found) {
  return std::log(static_cast<double>(k)) / std::log1p(static_cast<double>(found));
}

}  // namespace

const char* name_of(Way way) {
  constexpr const char* kNames[] = {"none",    "best",  "ties", "combinations", "best first", "sweep",
                                    "reduced", "whole", "projective",   "exact"};
  return kNames[static_cast<std::size_t>(way)];
}

Planner::Planner(const Tuning& tuning)
    : tuning_(tuning),
      combinations_(tuning),
      best_first_(tuning),
      candidates_(tuning),
      reduced_(tuning),
      sweep_(tuning),
      queue_(tuning),
      writer_(tuning) {}

bool Planner::solve(Graph graph, const Which& which, bool certificate) {
  graph_ = graph;
  which_ = &which;
  rest_started_ = whole_ = false;
  way_ = Way::none;
  source_ = nullptr;
  exact_ = nullptr;
  legality_.prepare(graph, which.rules);
  writer_.start(graph, which.objective);
  switch (solver_.solve(graph, which, certificate || !legality_.empty())) {
    case TreeSolver::Answer::none:
      return false;
    case TreeSolver::Answer::wide:
      go_exact(-1.0);
      return exact_ != nullptr;
    case TreeSolver::Answer::heads:
      if (graph.scalar() != Scalar::int64) {
        writer_.rebase(solver_.tree().head, solver_.weights_of_heads());
        return true;
      }
      [[fallthrough]];
    default:
      writer_.rebase(solver_.tree().head, solver_.tree().edge);
      return true;
  }
}

// What all trees but the best one need.
void Planner::start_rest() {
  if (rest_started_) return;
  rest_started_ = true;
  candidates_.start(solver_);
  if (!legality_.empty()) candidates_.allow_all();  // rules are tried on reduced graphs
}

double Planner::units(double max_gap) const {
  return std::floor(max_gap * solver_.scale().per_unit);
}

void Planner::best(TreeList& trees) {
  if (is_exact() || !legality_.empty()) return kbest({.k = 1}, trees);
  way_ = Way::best;
  writer_.write_best(trees);
}

void Planner::kbest(const HowMany& how_many, TreeList& trees) {
  const Query query{how_many.k.value_or(kAll), units(how_many.max_gap.value_or(kInfinity))};
  if (!legality_.empty()) set_budget(how_many.budget);
  if (!is_exact()) {
    if (legality_.empty() && query.k == 1) return best(trees);
    const bool listed = legality_.empty() ? list(query) : list_legal(query);
    if (listed) return write(trees);
    go_exact(-1.0);
  }
  list_exactly(query.k, how_many.max_gap.value_or(kInfinity), trees);
}

void Planner::write(TreeList& trees) {
  writer_.write_first(trees_, trees);
  if (out_of_budget()) TreeBuilder(trees).stop_at(score_ahead());
}

// False where a tree with an edge that the scale left out may be among those asked for, or where
// digits were lost.
bool Planner::is_certain(const Query& query) const {
  const bool is_full = std::cmp_greater_equal(trees_.size(), query.k);
  const double last = is_full ? trees_.gap(trees_.size() - 1) : query.max_gap;
  if (solver_.scale().leaves_out && last >= solver_.reach()) return false;
  return !some_lose_digits();
}

// To be maximised.
double Planner::best_score() const {
  const double score = writer_.score_at(0.0);
  return which_->objective == Objective::minimize ? -score : score;
}

// A large best score hides the digits of one near 0.
bool Planner::loses_digits(double gap) const {
  const Scale& scale = solver_.scale();
  return scale.is_faint(best_score(), gap * scale.unit, solver_.tree().nodes()) && solver_.rounds();
}

bool Planner::some_lose_digits() const {
  if (best_score() <= 0.0) return false;
  for (std::size_t i = 1; i < trees_.size(); ++i)
    if (loses_digits(trees_.gap(i))) return true;
  return false;
}

// --- Without rules ---

bool Planner::list(const Query& query) {
  const Dense* dense = solver_.dense();
  const bool greedy = dense != nullptr && !solver_.tree().contracted();
  if (greedy && query.k <= tuning_.most_greedy) {
    way_ = Way::combinations;
    if (query.k > tuning_.few_trees &&
        combinations_.run(*dense, solver_.tree(), query.k, query.max_gap, trees_))
      return is_certain(query);
    way_ = Way::best_first;
    if (best_first_.run(*dense, solver_.tree(), query.k, query.max_gap, nullptr, trees_))
      return is_certain(query);
  }
  start_rest();
  const double counted = query.k < kAll ? candidates_.bound(query.k) : kInfinity;
  if (counted == 0.0) {
    way_ = Way::ties;
    candidates_.list_tied(query.k, trees_);
    return is_certain(query);
  }
  const double up_to = std::min(query.k < kAll ? bound_of(query.k) : kInfinity, query.max_gap);
  if (!reduce(up_to)) {
    way_ = Way::whole;
  } else {
    way_ = Way::sweep;
    if (sweep(query.k, up_to)) return is_certain(query);
    way_ = Way::reduced;
  }
  TreeSource<double>& source = start_queue(up_to);
  queue_.want(query.k);
  take(source, query, up_to);
  return is_certain(query);
}

// The bound by counting, or by swaps where that gives none.
double Planner::bound_of(std::int64_t k) {
  const double gap = candidates_.bound(k);
  if (candidates_.collect(gap)) return gap;
  return std::min(gap, candidates_.bound_by_swaps(k));
}

// Makes the reduced graph ready for all trees up to this gap. False: it would be no smaller.
bool Planner::reduce(double up_to) {
  whole_ = !candidates_.collect(up_to);
  if (!whole_) reduced_.build(candidates_, up_to);
  return !whole_;
}

// The k best trees of the reduced graph. The bound counts few of the trees that leave a component by
// another way, so that it may be far above the K-th gap; and many trees may tie with the best one.
// So sweeps grow.
bool Planner::sweep(std::int64_t k, double up_to) {
  constexpr double kMostSteps = 2.0;
  const bool contracted = solver_.tree().contracted();
  const std::int64_t states =
      contracted ? budget(tuning_.contracted_states, tuning_.contracted_states_per_tree, k)
                 : budget(tuning_.states, tuning_.states_per_tree, k);
  auto run = [&](double gap) { return sweep_.run(reduced_, gap, k, states); };
  auto list = [&] {
    sweep_.list(candidates_.list(), trees_);
    return true;
  };
  const bool ties = std::ranges::any_of(candidates_.list(), [](const Candidate& edge) {
    return edge.reduced_cost == 0.0;
  });
  if (ties && up_to > 0.0 && k < kAll) {
    if (!run(0.0)) return false;  // what takes too long here takes no less within a larger gap
    if (sweep_.size() >= k) return list();
  }
  const double first = std::floor(up_to * tuning_.first_gap);
  for (double gap = first; contracted && k < kAll && gap < up_to;) {
    if (!run(gap)) return false;
    if (sweep_.size() >= k) return list();
    const double growth = std::clamp(steps_to(k, sweep_.size()), 1.0, kMostSteps);
    gap = std::max(std::ceil(gap * tuning_.next_gap * growth), first + 1.0);
  }
  return run(up_to) && list();
}

// The fallback: on the reduced graph or, where that is no smaller, on the graph.
TreeSource<double>& Planner::start_queue(double up_to) {
  if (whole_) {
    list_whole(solver_.whole(), *graph_, listed_);
    // Edits are made of the best tree that was found first.
    listed_.heads.assign(solver_.tree().head.begin(), solver_.tree().head.end());
    listed_.edges.assign(solver_.tree().edge.begin(), solver_.tree().edge.end());
  } else {
    list_reduced(reduced_, candidates_, reduced_lists_, listed_);
  }
  queue_.start(listed_, up_to, legality_.empty() ? nullptr : &legality_);
  return queue_;
}

// The trees of a gap up to up_to, k at most, that lose no more than max_gap more than the first of
// them. True if there are k.
bool Planner::take(TreeSource<double>& source, const Query& query, double up_to) {
  trees_.clear();
  while (std::cmp_less(trees_.size(), query.k)) {
    const double most =
        trees_.empty() ? up_to : std::min(up_to, trees_.gap(0) + query.max_gap);
    if (!source.next(most)) return false;
    source.list_edits(trees_);
    trees_.finish(source.gap());
  }
  return true;
}

// --- Under rules ---

void Planner::set_budget(std::optional<std::int64_t> solves) {
  legality_.budget = {};
  if (solves) legality_.budget.solves = *solves;
}

// The search for legal trees has stopped.
void Planner::note_budget() {
  if (!queue_.stopped()) return;
  legality_.budget.spent = true;
  const double gap = std::min(queue_.gap_ahead(), solver_.reach());
  legality_.budget.score_ahead = writer_.score_at(gap * solver_.scale().unit);
}

bool Planner::list_legal(const Query& query) {
  if (list_legal_among_best(query) || take_projective(query)) return is_certain(query);
  return list_legal_in_stages(query);
}

// Often enough of the best trees are legal. True if so.
bool Planner::list_legal_among_best(const Query& query) {
  constexpr std::int64_t kMore = 8;
  if (query.k > tuning_.few_legal) return false;
  const bool best_is_legal = legality_.allows(solver_.tree(), {});
  if (query.max_gap < kInfinity && !best_is_legal) return false;
  if (const Dense* dense = solver_.dense(); dense != nullptr && !solver_.tree().contracted()) {
    way_ = Way::best_first;
    auto is_legal = [&](std::span<const Edit> edits) {
      return legality_.allows(solver_.tree(), edits);
    };
    if (best_first_.run(*dense, solver_.tree(), query.k, query.max_gap, is_legal, trees_))
      return true;
  }
  if (legality_.only_projective()) return false;  // a chart is made sooner than a reduced graph
  start_rest();
  way_ = Way::sweep;
  for (const std::int64_t listed : {best_is_legal ? query.k : 0, kMore * (query.k + 1)}) {
    if (listed == 0) continue;
    const double up_to = std::min(bound_of(listed), query.max_gap);
    if (!reduce(up_to) || !sweep(listed, up_to)) continue;
    const bool all = std::cmp_less(trees_.size(), listed);
    legality_.keep_legal(solver_.tree(), trees_);
    const bool enough = std::cmp_greater_equal(trees_.size(), query.k);
    if (enough) trees_.shorten(static_cast<std::size_t>(query.k));
    if (enough || (all && up_to == query.max_gap)) return true;
  }
  return false;
}

// Projective trees one by one need no search. False where legal ones need not be projective, or for
// graphs too large; or where other rules allow too few of them.
bool Planner::take_projective(const Query& query) {
  constexpr std::int64_t kGrowth = 8;
  if (!legality_.only_projective() || solver_.tree().nodes() > tuning_.most_projective) return false;
  way_ = Way::projective;
  whole_ = true;
  auto start = [&] {
    start_queue(kInfinity);
    projective_.start(listed_, which_->root);
  };
  start();
  if (legality_.all_projective()) {
    take(projective_, query, kInfinity);
    return true;
  }
  for (std::int64_t listed = query.k; listed <= tuning_.projective_trees / kGrowth;) {
    listed *= kGrowth;
    const bool more = take(projective_, {listed, kInfinity}, kInfinity);
    legality_.keep_legal(solver_.tree(), trees_);
    std::size_t size = 0;
    while (size < trees_.size() && std::cmp_less(size, query.k) &&
           trees_.gap(size) - trees_.gap(0) <= query.max_gap)
      ++size;
    if (!more || size < trees_.size() || std::cmp_equal(size, query.k)) {
      trees_.shorten(size);
      return true;
    }
    start();
  }
  legality_.forget_clauses();  // so many would slow down a search
  return false;
}

// The bound on the K-th gap counts illegal trees, so it is no bound here: stages of growing gap,
// until there are K legal trees within the gap.
bool Planner::list_legal_in_stages(const Query& query) {
  constexpr std::int64_t kFirst = 64, kLast = std::int64_t{1} << 40, kGrowth = 64;
  start_rest();
  double up_to = 0.0;
  for (std::int64_t within = kFirst;; within *= kGrowth) {
    up_to = within > kLast ? kInfinity : std::max(2.0 * up_to, bound_of(within));
    // No tree beyond the reach is known.
    const bool last = up_to >= solver_.reach();
    up_to = std::min(up_to, solver_.reach());
    way_ = reduce(up_to) ? Way::reduced : Way::whole;
    const bool enough = take(start_queue(up_to), query, up_to);
    note_budget();
    if (enough || out_of_budget()) return !some_lose_digits();
    // Are all within max_gap there? Only if the search has looked so far.
    if (!trees_.empty() && trees_.gap(0) + query.max_gap <= up_to &&
        trees_.gap(0) + query.max_gap < solver_.reach())
      return !some_lose_digits();
    if (last || up_to == kInfinity) return !solver_.scale().leaves_out && !some_lose_digits();
  }
}

// --- Streams ---

double Planner::bound(std::int64_t k) {
  start_rest();
  return std::min(bound_of(k), solver_.reach());
}

bool Planner::range(std::int64_t k, double above, double up_to, TreeList& trees) {
  start_rest();
  if (!reduce(up_to)) return false;
  const std::int64_t states = budget(0, tuning_.stream_states_per_tree, k);
  if (!sweep_.run(reduced_, up_to, Sweep::kAll, states)) return false;
  sweep_.list(candidates_.list(), trees_);
  if (some_lose_digits()) return false;
  legality_.keep_legal(solver_.tree(), trees_);
  if (above >= 0.0) {
    TreeEdits behind;
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      if (trees_.gap(i) <= above) continue;
      for (const Edit& edit : trees_[i]) behind.add(edit);
      behind.finish(trees_.gap(i));
    }
    std::swap(trees_, behind);
  }
  way_ = Way::sweep;
  writer_.write_next(trees_, trees);
  return true;
}

double Planner::one_by_one(double up_to, double most) {
  start_rest();
  if (legality_.all_projective() && solver_.tree().nodes() <= tuning_.most_projective) {
    whole_ = true;
    start_queue(most);
    projective_.start(listed_, which_->root);
    source_ = &projective_;
    way_ = Way::projective;
    return most;
  }
  way_ = reduce(up_to) ? Way::reduced : Way::whole;
  if (whole_) up_to = most;
  source_ = &start_queue(up_to);
  return up_to;
}

bool Planner::next(double above, double up_to, TreeList& trees) {
  do {
    if (!source_->next(up_to)) {
      note_budget();
      return false;
    }
  } while (source_->gap() <= above);
  if (loses_digits(source_->gap())) {
    go_exact(source_->gap() - 1.0);
    return false;
  }
  trees_.clear();
  source_->list_edits(trees_);
  trees_.finish(source_->gap());
  writer_.write_next(trees_, trees);
  return true;
}

// --- The exact way ---

void Planner::go_exact(double given_up_to) {
  way_ = Way::exact;
  given_up_to_ = given_up_to;
  exact_ = exact_trees(*graph_, *which_, tuning_, legality_.empty() ? nullptr : &legality_);
  if (exact_ != nullptr) writer_.rebase(exact_->heads(), exact_->edges());
}

void Planner::list_exactly(std::int64_t k, double max_gap, TreeList& trees) {
  trees_.clear();
  exact_->want(k);
  while (std::cmp_less(trees_.size(), k) && exact_->next(max_gap, trees_)) {
  }
  writer_.write_first(trees_, trees);
  if (const auto loss = exact_->loss_ahead(); loss && std::cmp_less(trees_.size(), k)) {
    legality_.budget.spent = true;
    legality_.budget.score_ahead = writer_.score_at(*loss);
    TreeBuilder(trees).stop_at(score_ahead());
  }
}

bool Planner::next_exact(double max_gap, TreeList& trees) {
  do {
    trees_.clear();
    if (!exact_->next(max_gap, trees_)) {
      if (const auto loss = exact_->loss_ahead()) {
        legality_.budget.spent = true;
        legality_.budget.score_ahead = writer_.score_at(*loss);
      }
      TreeBuilder(trees).reset(*graph_);  // one that was given stands there
      return false;
    }
    writer_.write_next(trees_, trees);
  } while (given_up_to_ >= 0.0 && was_given(trees.heads(0), trees.edges(0)));
  return true;
}

// Has the stream given this tree before it went this way?
bool Planner::was_given(std::span<const Node> heads, std::span<const EdgeId> edges) const {
  double gain = 0.0;
  for (Node v = 1; v < graph_->nodes(); ++v)
    gain += solver_.gain(heads[place_of(v)], v, edges.empty() ? kNoEdge : edges[place_of(v)]);
  return -gain - solver_.tree().loss() <= given_up_to_;
}

}  // namespace coppice::engine
