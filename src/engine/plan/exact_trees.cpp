#include "engine/plan/exact_trees.hpp"

#include <cmath>

#include "engine/partition/partition_queue.hpp"
#include "engine/partition/projective_queue.hpp"
#include "engine/solve/read_edges.hpp"

namespace coppice::engine {
namespace {

// max_gap in so small units, all of them counted; highest<W>() if no gap is as large.
template <class W>
W limit_of(double max_gap, int shift) {
  int exponent = 0;
  if (std::isinf(max_gap)) return highest<W>();
  if (max_gap == 0.0) return W{};
  std::frexp(max_gap, &exponent);
  return exponent + shift > W::kBits - 4 ? highest<W>() : W(max_gap, shift);
}

template <class W>
class ExactTreesIn final : public ExactTrees {
 public:
  explicit ExactTreesIn(const Tuning& tuning) : tuning_(tuning), queue_(tuning) {}

  bool start(Graph graph, const Problem& problem, const Constraints& constraints, int shift,
             Legality* legality) {
    shift_ = shift;
    read_exactly(graph, constraints, problem, shift, lists_);
    lists_.start_subproblems();
    if (!lists_.solve()) return false;
    listed_.list_whole(lists_, graph);
    if (legality != nullptr && legality->all_projective() &&
        graph.nodes() <= tuning_.most_projective) {
      projective_.start(listed_, problem.root);
      source_ = &projective_;
    } else {
      queue_.start(listed_, highest<W>(), legality);
      source_ = &queue_;
    }
    return true;
  }

  std::span<const Node> heads() const override { return listed_.heads; }
  std::span<const EdgeId> edges() const override { return listed_.edges; }

  bool next(double max_gap, TreeEdits& trees) override {
    W up_to = highest<W>();
    if (first_gap_ && limit_of<W>(max_gap, shift_) != up_to)
      up_to = *first_gap_ + limit_of<W>(max_gap, shift_);
    if (!source_->next(up_to)) return false;
    if (!first_gap_) first_gap_ = source_->gap();
    source_->list_edits(trees);
    trees.finish(source_->gap().value(shift_));
    return true;
  }

  std::optional<double> loss_ahead() const override {
    const std::optional<W> gap = source_->gap_ahead();
    return gap ? std::optional(gap->value(shift_)) : std::nullopt;
  }

 private:
  Tuning tuning_;
  int shift_ = 0;
  Sparse<W> lists_;
  ListedGraph<W> listed_;
  PartitionQueue<W> queue_;
  ProjectiveQueue<W> projective_;
  TreeSource<W>* source_ = nullptr;
  std::optional<W> first_gap_;
};

}  // namespace

std::unique_ptr<ExactTrees> exact_trees(Graph graph, const Problem& problem, const Tuning& tuning,
                                        Legality* legality) {
  return in_wide_numbers(
      graph, problem,
      [&]<class W>(W, const Constraints& constraints, int shift) -> std::unique_ptr<ExactTrees> {
        auto trees = std::make_unique<ExactTreesIn<W>>(tuning);
        if (!trees->start(graph, problem, constraints, shift, legality)) return nullptr;
        return trees;
      });
}

}  // namespace coppice::engine
