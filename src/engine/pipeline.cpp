#include "engine/pipeline.hpp"

#include <algorithm>
#include <limits>

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

bool Pipeline::solve(Graph graph, const Which& which) {
  rule_ = which.root;
  prepared_ = false;
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
  if (k == 1) return best(trees);
  prepare();
  const double up_to = how_many.k ? std::min(bound(k), max_gap) : max_gap;
  build_kernel(up_to);
  enumeration_.best(k, up_to, found_);
  report_.write(found_, candidates_.list(), {.k = k, .up_to = max_gap}, trees);
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
