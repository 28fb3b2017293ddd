// The trees of a kernel one by one, best first (docs/engine.md, section 5), whatever their weights
// are summed in.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/candidates.hpp"
#include "engine/found.hpp"
#include "engine/kernel.hpp"
#include "engine/list_solver.hpp"
#include "engine/queue.hpp"

namespace coppice::engine {

class TreeQueue {
 public:
  virtual ~TreeQueue() = default;

  // Trees that are worse than the best by more than `limit` may be left out.
  virtual void start(const Kernel& kernel, const Candidates& candidates, double limit,
                     const Rounding& rounding) = 0;
  // Adds the replacements of the next tree, not finished; false when there is none left. One worse
  // than the best by more than `up_to` is not wanted: where it would be work to find it, false too.
  virtual bool next(double up_to, FoundTrees& found) = 0;
  // How much worse than the best the last one was.
  virtual double gap() const = 0;
  // Are the sums exact, so that ties are equal?
  virtual bool exact() const = 0;
};

// The kernel as edges for a solver. The root comes first; ids are candidates, or kNoCandidate for
// edges of the best tree.
template <class W>
void load(const Kernel& kernel, const Candidates& candidates,
          std::vector<typename ListSolver<W>::Input>& edges, ListSolver<W>& solver);

// W is double, or std::int64_t for exact sums.
template <class W>
class TreeQueueOf final : public TreeQueue {
 public:
  void start(const Kernel& kernel, const Candidates& candidates, double limit,
             const Rounding& rounding) override;
  bool next(double up_to, FoundTrees& found) override;
  double gap() const override { return queue_.gap(); }
  bool exact() const override { return std::numeric_limits<W>::is_exact; }

 private:
  std::vector<typename ListSolver<W>::Input> edges_;
  ListSolver<W> solver_;
  Queue<ListSolver<W>> queue_;
};

}  // namespace coppice::engine
