// The legal trees of a kernel one by one, best first (docs/rules.md), whatever their weights are
// summed in.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/legal_queue.hpp"
#include "engine/legality.hpp"
#include "engine/tree_queue.hpp"

namespace coppice::engine {

template <class W>
class LegalTreeQueueOf final : public KernelQueue {
 public:
  explicit LegalTreeQueueOf(Legality& legality) : legality_(legality) {}

  void start(const Kernel& kernel, const Candidates& candidates, double limit,
             const Rounding& rounding) override;
  void want(std::int64_t /*trees*/) override {}
  bool next(double up_to, FoundTrees& found) override;
  double gap() const override { return queue_.gap(); }
  bool exact() const override { return exact_; }
  std::int64_t edges() const override { return solver_.edges(); }

 private:
  Legality& legality_;
  Rounding rounding_;
  bool exact_ = false;
  std::vector<typename ListSolver<W>::Input> edges_;
  ListSolver<W> solver_;
  std::vector<ClauseEdge> arcs_;
  LegalQueue<W> queue_;
};

}  // namespace coppice::engine
