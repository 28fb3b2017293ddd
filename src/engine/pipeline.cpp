#include "engine/pipeline.hpp"
#include "graph/tree_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

bool Pipeline::solve(Graph graph, const Which& which, Solver::Wanted wanted) {
  rule_ = which.root;
  prepared_ = false;
  legality_.prepare(graph, which.rules);
  if (!legality_.empty()) wanted = Solver::Wanted::certificate;
  if (!best_tree_.solve(graph, which, wanted)) return false;
  integral_ = graph.scalar() == Scalar::int64;
  rounding_ = Rounding(solution(), integral_);
  // Trees that rounding takes for equal have to be looked at.
  if (wanted == Solver::Wanted::tree && rounding_.imprecise()) return solve(graph, which);
  report_.start(best_tree_.solver(), solution(), integral_, which.objective);
  return true;
}

// What all trees but the best one need.
void Pipeline::prepare() {
  if (prepared_) return;
  prepared_ = true;
  whole_ = false;
  candidates_.start(best_tree_.solver(), solution(), rounding_, rule_);
  if (!legality_.empty()) candidates_.allow_all();  // rules are tried on kernels only
}

void Pipeline::best(TreeList& trees) {
  if (!legality_.empty()) return legal_kbest(1, kInfinity, trees);
  if (rounding_.imprecise()) {
    prepare();
    enumerate(0.0);
    if (enumeration_.ties_of_best(found_))
      return report_.write(found_, candidates_.list(), {.k = 1}, trees);
  }
  report_.write_best(trees);
}

void Pipeline::kbest(const HowMany& how_many, TreeList& trees) {
  const std::int64_t k = how_many.k.value_or(std::numeric_limits<std::int64_t>::max());
  const double max_gap = how_many.max_gap.value_or(kInfinity);
  if (!legality_.empty()) {
    set_budget(how_many.budget);
    return legal_kbest(k, max_gap, trees);
  }
  if (k == 1) return best(trees);
  list(how_many.k, {.k = k, .up_to = max_gap}, trees);
  // Rounding alone decided which of the trees found are within the gap, and there may be others.
  const auto wanted = static_cast<std::uint64_t>(k);
  if (how_many.k && trees.size() < wanted && found_.size() >= wanted &&
      k <= tuning_.most_tied_in_gap)
    list(k * tuning_.tied_in_gap_per_tree + tuning_.most_tied_in_gap, {.k = k, .up_to = max_gap},
         trees);
}

// The k best trees that are found, or all; of these, those in the range.
void Pipeline::list(std::optional<std::int64_t> wanted, const Report::Range& range,
                    TreeList& trees) {
  const std::int64_t k = wanted.value_or(std::numeric_limits<std::int64_t>::max());
  const double max_gap = range.up_to;
  if (wanted && take_greedily(k, max_gap))
    return report_.write(found_, greedy_.candidates(), range, trees);
  prepare();
  double bound = kInfinity;
  const bool swapped = wanted && bound_by_swaps(k, bound);
  const double up_to = std::min(bound, max_gap);
  look_for_ties(up_to);
  if (swapped && take_swapped(k, bound, max_gap)) {
    // All of them are there.
  } else if (rounding_.looked() && rounding_.exact(bound) && bound <= max_gap &&
             bound < kInfinity) {
    take_below(bound, k);
  } else {
    enumerate(up_to);
    if (!(swapped && k == 2))
      enumeration_.best(k, up_to, found_);
    else if (!enumeration_.best_swept(k, up_to, found_))
      take_second(bound, max_gap);  // no worse than that of the queue
  }
  report_.write(found_, candidates_.list(), range, trees);
}

void Pipeline::set_budget(std::optional<std::int64_t> solves) {
  legality_.budget = {};
  if (solves) legality_.budget.solves = *solves;
}

// Often enough of the best trees are legal. True if so.
bool Pipeline::legal_among_best(std::int64_t k, double max_gap, TreeList& trees) {
  constexpr std::int64_t kMore = 8;
  if (rounding_.imprecise() || k > tuning_.few_legal) return false;
  const bool best_is_legal = legality_.allows(solution(), {}, {});
  if (best_is_legal && k == 1) {
    report_.write_best(trees);
    return true;
  }
  if (max_gap < kInfinity && !best_is_legal) return false;
  if (take_legal_greedily(k, max_gap)) {
    report_.write(found_, greedy_.candidates(), {.k = k, .up_to = max_gap}, trees);
    return true;
  }
  if (legality_.only_projective()) return false;  // a chart is made sooner than a kernel
  for (const std::int64_t listed : {best_is_legal ? k : 0, kMore * (k + 1)}) {
    if (listed == 0) continue;
    const double up_to = std::min(bound(listed), max_gap);
    enumerate(up_to);
    if (!enumeration_.legal_among_best(k, listed, up_to, found_)) continue;
    report_.write(found_, candidates_.list(), {.k = k, .up_to = max_gap}, trees);
    return true;
  }
  return false;
}

// Projective trees one by one need no search. False where legal ones need not be projective, or for
// graphs too large.
bool Pipeline::start_projective() {
  if (!legality_.only_projective() || solution().nodes() > tuning_.most_projective) return false;
  candidates_.collect(kInfinity);
  if (integral_) {
    integer_projective_.start(candidates_, rounding_);
    enumeration_.start(integer_projective_, candidates_, rounding_);
  } else {
    projective_.start(candidates_, rounding_);
    enumeration_.start(projective_, candidates_, rounding_);
  }
  return true;
}

// All of the best projective trees, or those of them that other rules allow. False where these are
// too few.
bool Pipeline::take_projective(std::int64_t k, double max_gap) {
  if (!start_projective()) return false;
  if (legality_.all_projective()) {
    enumeration_.best_legal(k, kInfinity, max_gap, found_);
    return true;
  }
  constexpr std::int64_t kGrowth = 8;
  for (std::int64_t listed = k; listed <= tuning_.projective_trees / kGrowth;) {
    listed *= kGrowth;
    if (enumeration_.legal_among_first(k, listed, found_)) return true;
    start_projective();
  }
  legality_.forget_clauses();  // so many would slow down a search
  return false;
}

void Pipeline::legal_kbest(std::int64_t k, double max_gap, TreeList& trees) {
  if (legal_among_best(k, max_gap, trees)) return;
  prepare();
  if (!take_projective(k, max_gap)) return legal_in_stages(k, max_gap, trees);
  report_.write(found_, candidates_.list(), {.k = k, .up_to = max_gap}, trees);
}

// The bound on the K-th gap counts illegal trees, so it is no bound here: stages of growing gap,
// until there are K legal trees within the gap.
void Pipeline::legal_in_stages(std::int64_t k, double max_gap, TreeList& trees) {
  constexpr std::int64_t kFirst = 64, kLast = std::int64_t{1} << 40, kGrowth = 64;
  double up_to = 0.0;
  for (std::int64_t within = kFirst;; within *= kGrowth) {
    up_to = within > kLast ? kInfinity : std::max(2.0 * up_to, bound(within));
    enumerate(up_to);
    bool enough = enumeration_.best_legal(k, up_to, max_gap, found_);
    // Where the budget runs out early, an earlier stage may have found more.
    if (!out_of_budget() || found_.size() > trees.size())
      report_.write(found_, candidates_.list(), {.k = k, .up_to = max_gap}, trees);
    // Are all within max_gap there? Only if the search has looked so far.
    if (max_gap < kInfinity && !trees.empty()) {
      const double last = gap_of(trees.score(0)) + max_gap;
      if (out_of_budget() ? last < gap_of(score_ahead()) : last <= up_to) enough = true;
    }
    if (out_of_budget() && !enough) TreeBuilder(trees).stop_at(score_ahead());
    if (enough || out_of_budget() || up_to == kInfinity) return;
  }
}

// Where nothing is contracted there is a shorter way (section 10).
std::optional<GreedyCase> Pipeline::greedy_case() const {
  const Dense* dense = best_tree_.dense();
  if (dense == nullptr || solution().contracted()) return std::nullopt;
  return GreedyCase(*dense, solution(), rule_, integral_);
}

bool Pipeline::take_greedily(std::int64_t k, double max_gap) {
  const auto graph = greedy_case();
  return graph && greedy_.run(*graph, k, max_gap, found_);
}

bool Pipeline::take_legal_greedily(std::int64_t k, double max_gap) {
  const auto graph = greedy_case();
  return graph && greedy_.run_legal(*graph, k, max_gap, legality_, found_);
}

// With what rounding may add to the gaps that are reported: what ties on paper is not to be
// divided.
double Pipeline::bound(std::int64_t k) {
  prepare();
  const double gap = candidates_.bound(k);
  return gap + rounding_.slack(gap);
}

// Where trees may tie, it is worth knowing whether sums round.
void Pipeline::look_for_ties(double up_to) {
  const bool likely = !candidates_.complete() || up_to <= rounding_.slack(up_to) ||
                      candidates_.list().size() > tuning_.tied_candidates_per_node *
                                                      static_cast<std::size_t>(solution().nodes());
  if (likely && !rounding_.looked()) rounding_.look(best_tree_.solver().exactness());
}

// A bound on the k-th gap. True if it is that of the k-th of the trees that one swap makes out of
// the best: of two trees the gap itself, which takes no longer to find than a bound, unless a root
// edge may have to change; of more a bound for where there is no other, and no sum rounds.
bool Pipeline::bound_by_swaps(std::int64_t k, double& bound) {
  SwappedTrees* swapped = best_tree_.swapped(rounding_);
  const std::int64_t edges = best_tree_.solver().edges();
  const bool at_once =
      swapped != nullptr && k == 2 && (rule_ == RootRule::any || edges <= tuning_.few_edges);
  if (!at_once) bound = candidates_.bound(k);
  if (swapped == nullptr || (!at_once && bound < kInfinity && candidates_.complete())) return false;
  if (!rounding_.looked() && (k > 2 || solution().contracted()))
    rounding_.look(best_tree_.solver().exactness());
  if (k > 2 && !rounding_.exact(0.0)) return false;
  const double gap = swapped->kth_gap(best_tree_.sparse(), candidates_, k);
  const bool sound = k == 2 ? !integral_ || rounding_.exact(gap) : rounding_.exact(gap);
  if (sound && gap <= bound && (k == 2 || gap < kInfinity)) {
    bound = gap;
    return true;
  }
  if (at_once) bound = candidates_.bound(k);
  return false;
}

// The k best trees where no sum rounds, as in take_below(). False where there may be others.
bool Pipeline::take_swapped(std::int64_t k, double bound, double max_gap) {
  if (k > 2 ? bound > max_gap : !(rounding_.exact(bound) || bound == kInfinity)) return false;
  if (k == 2) {
    take_second(bound, max_gap);
    return true;
  }
  found_.clear();
  if (bound > 0.0) {
    enumerate(bound - rounding_.unit());
    enumeration_.best(k, bound - rounding_.unit(), found_);
  } else {
    found_.finish();  // the best tree itself
  }
  if (found_.size() < static_cast<std::uint64_t>(k))
    best_tree_.swapped(rounding_)->add(bound, static_cast<std::size_t>(k) - found_.size(), found_);
  return true;
}

// The best tree and, if it may be within max_gap, the one that is worse by this gap.
void Pipeline::take_second(double gap, double max_gap) {
  found_.clear();
  found_.finish();
  if (gap <= rounding_.for_queue(max_gap)) best_tree_.swapped(rounding_)->add(gap, 1, found_);
}

// The k best trees where no sum rounds. The bound counted k trees of gap <= bound, so of those at
// the last possible gap any will do: only the ones below it have to be searched for.
void Pipeline::take_below(double bound, std::int64_t k) {
  const double last = std::floor(bound / rounding_.unit()) * rounding_.unit();
  candidates_.keep_counted();
  found_.clear();
  if (last > 0.0) {
    enumerate(last - rounding_.unit());
    enumeration_.best(k, last - rounding_.unit(), found_);
  } else {
    found_.finish();  // the best tree itself
  }
  if (found_.size() < static_cast<std::uint64_t>(k))
    candidates_.add_counted(last, static_cast<std::uint64_t>(k) - found_.size(), found_);
}

// Makes the enumeration ready for all trees of this gap: on the kernel of the edges that they may
// use or, where these are too many, on the graph.
void Pipeline::enumerate(double up_to) {
  const double limit = up_to + rounding_.slack(up_to);
  whole_ = !candidates_.collect(limit);
  if (whole_) {
    const double beyond = rounding_.for_queue(up_to);
    enumeration_.start(best_tree_.start_queue(beyond, rounding_, candidates_), candidates_,
                       rounding_);
  } else {
    kernel_.build(candidates_, limit);
    enumeration_.start(kernel_, candidates_, rounding_, integral_);
  }
}

bool Pipeline::range(std::int64_t k, double above, double up_to, TreeList& trees) {
  prepare();
  look_for_ties(up_to);
  enumerate(up_to);
  if (!enumeration_.all(k, up_to, found_)) return false;
  report_.write(found_, candidates_.list(), {.above = above, .up_to = up_to}, trees);
  return true;
}

double Pipeline::one_by_one(double up_to, double most) {
  prepare();
  const bool projective = legality_.all_projective() && start_projective();
  if (projective || whole_) up_to = most;
  if (!projective) enumerate(up_to);
  enumeration_.one_by_one(up_to);
  return up_to;
}

bool Pipeline::next(double above, double up_to, TreeList& trees) {
  do {
    if (!enumeration_.next(up_to, found_)) return false;
    report_.write(found_, candidates_.list(), {.above = above, .up_to = up_to}, trees);
  } while (trees.empty());
  return true;
}

}  // namespace coppice::engine
