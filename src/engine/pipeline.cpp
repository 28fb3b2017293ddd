#include "engine/pipeline.hpp"
#include "graph/tree_builder.hpp"

#include <algorithm>
#include <limits>

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

bool Pipeline::solve(Graph graph, const Which& which) {
  rule_ = which.root;
  prepared_ = false;
  legality_.prepare(graph, which.rules);
  if (!best_tree_.solve(graph, which)) return false;
  integral_ = graph.scalar() == Scalar::int64;
  rounding_ = Rounding(solution(), integral_);
  report_.start(best_tree_.solver(), solution(), integral_, which.objective);
  return true;
}

// What all trees but the best one need.
void Pipeline::prepare() {
  if (prepared_) return;
  prepared_ = true;
  candidates_.start(best_tree_.solver(), solution(), rounding_, rule_);
}

void Pipeline::best(TreeList& trees) {
  if (!legality_.empty()) return legal_kbest(1, kInfinity, trees);
  if (rounding_.imprecise()) {
    prepare();
    build_kernel(0.0);
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
  if (how_many.k && take_greedily(k, max_gap))
    return report_.write(found_, greedy_.candidates(), {.k = k, .up_to = max_gap}, trees);
  prepare();
  const double up_to = how_many.k ? std::min(bound(k), max_gap) : max_gap;
  build_kernel(up_to);
  enumeration_.best(k, up_to, found_);
  report_.write(found_, candidates_.list(), {.k = k, .up_to = max_gap}, trees);
}

void Pipeline::set_budget(std::optional<std::int64_t> solves) {
  legality_.budget = {};
  if (solves) legality_.budget.solves = *solves;
}

// Often enough of the best trees are legal. True if so.
bool Pipeline::legal_among_best(std::int64_t k, double max_gap, TreeList& trees) {
  constexpr std::int64_t kFew = 1 << 10, kMore = 8;
  if (rounding_.imprecise() || k > kFew) return false;
  const bool best_is_legal = legality_.allows(solution(), candidates_.list(), {});
  if (best_is_legal && k == 1) {
    report_.write_best(trees);
    return true;
  }
  if (max_gap < kInfinity && !best_is_legal) return false;
  for (const std::int64_t listed : {best_is_legal ? k : 0, kMore * (k + 1)}) {
    if (listed == 0) continue;
    const double up_to = std::min(bound(listed), max_gap);
    build_kernel(up_to);
    if (!enumeration_.legal_among_best(k, listed, up_to, found_)) continue;
    report_.write(found_, candidates_.list(), {.k = k, .up_to = max_gap}, trees);
    return true;
  }
  return false;
}

// The bound on the K-th gap counts illegal trees, so it is no bound here: stages of growing gap,
// until there are K legal trees within the gap.
void Pipeline::legal_kbest(std::int64_t k, double max_gap, TreeList& trees) {
  prepare();
  if (legal_among_best(k, max_gap, trees)) return;
  if (legality_.is_projectivity() && !rounding_.imprecise() &&
      Projective::fits(solution().nodes(), k)) {
    candidates_.collect(kInfinity);
    projective_.run(solution(), candidates_.list(), rule_, k, found_);
    return report_.write(found_, candidates_.list(), {.k = k, .up_to = max_gap}, trees);
  }
  constexpr std::int64_t kFirst = 64, kLast = std::int64_t{1} << 40, kGrowth = 64;
  double up_to = 0.0;
  for (std::int64_t within = kFirst;; within *= kGrowth) {
    up_to = within > kLast ? kInfinity : std::max(2.0 * up_to, bound(within));
    build_kernel(up_to);
    bool enough = enumeration_.best_legal(k, up_to, max_gap, found_);
    // Where the budget runs out early, an earlier stage may have found more.
    if (!out_of_budget() || found_.size() > trees.size())
      report_.write(found_, candidates_.list(), {.k = k, .up_to = max_gap}, trees);
    if (max_gap < kInfinity && !trees.empty() && gap_of(trees.score(0)) + max_gap <= up_to)
      enough = true;
    if (out_of_budget() && !enough) TreeBuilder(trees).stop_at(score_ahead());
    if (enough || out_of_budget() || up_to == kInfinity) return;
  }
}

// Where nothing is contracted there is a shorter way (section 10).
bool Pipeline::take_greedily(std::int64_t k, double max_gap) {
  const Dense* dense = best_tree_.dense();
  if (dense == nullptr || solution().contracted() || solution().root_last) return false;
  return greedy_.run(GreedyCase(*dense, solution(), rule_, integral_), k, max_gap, found_);
}

double Pipeline::bound(std::int64_t k) {
  prepare();
  return candidates_.bound(k);
}

// The edges that trees of this gap may use, reduced to a kernel, and that to be enumerated.
void Pipeline::build_kernel(double up_to) {
  const double limit = up_to + rounding_.slack(up_to);
  candidates_.collect(limit);
  kernel_.build(candidates_, limit);
  enumeration_.start(kernel_, candidates_, rounding_, integral_);
}

bool Pipeline::range(std::int64_t k, double above, double up_to, TreeList& trees) {
  prepare();
  build_kernel(up_to);
  if (!enumeration_.all(k, up_to, found_)) return false;
  report_.write(found_, candidates_.list(), {.above = above, .up_to = up_to}, trees);
  return true;
}

void Pipeline::one_by_one(double up_to) {
  prepare();
  build_kernel(up_to);
  enumeration_.one_by_one(up_to);
}

bool Pipeline::next(double above, double up_to, TreeList& trees) {
  do {
    if (!enumeration_.next(up_to, found_)) return false;
    report_.write(found_, candidates_.list(), {.above = above, .up_to = up_to}, trees);
  } while (trees.empty());
  return true;
}

}  // namespace coppice::engine
