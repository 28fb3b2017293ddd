// The K best trees of a dense graph in which nothing is contracted, by listing all combinations of
// edits within a gap (docs/internals/proofs.md): for longer lists than best_first.hpp.
//
// The gap is found by counting sums of losses in steps. Then every combination up to it is made, a
// node at a time, in passes over one array: no queue, hardly a branch. Where many combinations tie,
// or many are cyclic, this is not worth it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/list/changed_trees.hpp"
#include "engine/simd/simd.hpp"
#include "engine/solve/certified_tree.hpp"
#include "engine/solve/dense.hpp"
#include "engine/solve/tree_edits.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Combinations {
 public:
  explicit Combinations(const Tuning& tuning) : tuning_(tuning) {}

  // The k best trees of a gap up to max_gap, in order. False: not worth it.
  bool run(const Dense& graph, const CertifiedTree& tree, std::int64_t k, double max_gap,
           TreeEdits& trees);

 private:
  struct Range {
    CandidateId begin, end;
  };
  struct Found {
    double gap;
    CombinationId id;
    bool operator<(const Found& other) const {
      return gap < other.gap || (gap == other.gap && id < other.id);
    }
  };

  void start(std::int64_t k);
  bool collect(double limit);
  Range collect_into(Node v, double limit);
  double guess(std::int64_t wanted);
  double estimate(double range, std::int64_t wanted);
  void start_counting();
  void count_combinations(double per_step);
  std::size_t count_up_to(std::int64_t wanted);
  bool build(double limit);
  bool extend(Node v, double limit);
  // Single root: another one than that of the best tree?
  bool is_root_edge(const Candidate& edge) const {
    return edge.head == 0 && root_child_ != kNoNode;
  }
  void list(std::int64_t k, TreeEdits& trees);

  Tuning tuning_;
  const Dense* graph_ = nullptr;
  const CertifiedTree* tree_ = nullptr;
  Node root_child_ = kNoNode;  // single root: that of the best tree
  std::size_t most_ = 0;       // combinations, beyond which it is given up

  std::vector<double> losses_;
  CandidateList candidates_;
  Indexed<Node, Range> options_;
  std::vector<std::int32_t> indices_;

  std::array<std::uint16_t, 2 * simd::kSteps> counts_{};
  bool counted_too_many_ = false;  // within what estimate() said: the last of them tie
  std::vector<std::uint8_t> steps_;
  std::vector<std::uint32_t> step_ends_;

  ChangedTrees combinations_;
  Indexed<CombinationId, double> gains_;           // minus the gap
  Indexed<CombinationId, std::uint8_t> rerooted_;  // single root: another node hangs from the root
  std::vector<Found> found_, dealt_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace coppice::engine
