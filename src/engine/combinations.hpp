// The K best trees where the best edge into every node is in the best tree, by listing all
// combinations of replaced edges within a gap (docs/engine.md, section 10).
//
// The gap is found by counting sums, then every combination up to it is made, a node at a time, in
// passes over one array: no order, no queue, hardly a branch. Where many combinations tie, or many
// are cyclic, Greedy is better.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/candidate.hpp"
#include "engine/changed_trees.hpp"
#include "engine/found.hpp"
#include "engine/greedy_case.hpp"
#include "engine/simd.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Combinations {
 public:
  explicit Combinations(const Tuning& tuning) : tuning_(tuning) {}

  // False: not worth it. True: the k best trees of a gap up to max_gap, and some more, are there.
  bool run(const GreedyCase& graph, std::int64_t k, double max_gap);

  const CandidateList& candidates() const { return candidates_; }
  // The trees, in no order.
  void list(FoundTrees& found) const;

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Range {
    CandidateId begin, end;
  };

  void start(const GreedyCase& graph, std::int64_t k);
  double guess(std::int64_t wanted);
  bool collect(double limit);
  Range collect_into(Node v, double limit);
  void start_counting();
  double estimate(double range, std::int64_t wanted);
  void count_combinations(double per_step);
  std::size_t count_up_to(std::int64_t wanted);
  std::size_t count_within(std::size_t steps) const;
  bool too_many_tie() const;
  bool build(double limit);
  bool extend(Node v, double limit);
  // False: too many.
  bool append(CombinationId before, CandidateId candidate, double gain, Node root_child) {
    if (combinations_.size() == most_) return false;
    const CombinationId id = combinations_.end();
    if (root_child != kNoNode)
      combinations_.add(before, candidate, candidates_[candidate]);
    else if (!combinations_.add_to_tree(before, candidate, candidates_[candidate]))
      return true;  // nor is anything that follows from it
    gains_[id] = gain;
    root_children_[id] = root_child;
    if (gain != kNoWeight && combinations_.is_tree(id)) trees_.push_back(id);
    return true;
  }

  Tuning tuning_;
  const GreedyCase* graph_ = nullptr;
  std::size_t most_ = 0;  // combinations, beyond which it is given up

  std::vector<double> losses_;
  CandidateList candidates_;
  Indexed<Node, Range> options_;
  Range root_edges_{};     // single root: to other nodes than the root's child
  double greatest_ = 0.0;  // no combination of the candidates loses more
  std::vector<std::int32_t> indices_;

  std::array<std::uint16_t, 2 * simd::kSteps> counts_{};
  bool counted_too_many_ = false;  // within what estimate() said: the last of them tie
  std::vector<std::uint8_t> steps_;
  std::vector<std::uint32_t> step_ends_;

  ChangedTrees combinations_;
  Indexed<CombinationId, double> gains_;        // minus the gap; -inf: not one by itself
  Indexed<CombinationId, Node> root_children_;  // single root: the new one, or kNoNode
  std::vector<CombinationId> trees_;
};

}  // namespace coppice::engine
