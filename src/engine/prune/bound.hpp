// An upper bound on the gap of the K-th best tree, by counting trees that differ from the best one
// in edges that combine freely (docs/internals/proofs.md).
#pragma once

#include <array>
#include <coppice/graph.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/solve/certified_tree.hpp"
#include "engine/solve/tree_edits.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

class Bound {
 public:
  // From candidates grouped by dependent: in any line-up of the nodes in which every node stands
  // behind the one it hangs from, candidates whose head stands before their dependent combine
  // freely, so the K smallest sums of their losses are the gaps of K trees. The bound is the K-th
  // smallest, rounded up by a few parts in a hundred. +inf if there are fewer than K. Candidates
  // that lose more than `most` are left out.
  double kth_gap(const CandidateList& candidates, double most, const Preorder& preorder,
                 const CertifiedTree& tree, RootRule rule, std::int64_t k);

  // The trees that the last kth_gap counted and that tie with the best one, k at most.
  void list_tied(const CandidateList& candidates, std::int64_t k, TreeEdits& trees) const;

  // What kth_gap may come to, judged by the cheapest replacement of each edge alone.
  static double guess(std::vector<double>& losses, std::int64_t k);

 private:
  using Place = Preorder::Place;

  // Sums up to a range are counted in steps, each loss rounded up to whole steps.
  static constexpr std::size_t kSteps = 128;
  using Counts = std::array<std::uint32_t, 2 * kSteps>;

  void line_up(const CandidateList& candidates, double most, const Preorder& preorder,
               const CertifiedTree& tree);
  double kth_sum(double range, std::int64_t k);

  Indexed<Place, std::int32_t> turn_;
  Indexed<Place, std::int32_t> waits_for_;  // candidates into it whose heads have no turn
  Indexed<Place, CandidateId> first_out_;   // the first candidate out of it
  Indexed<CandidateId, CandidateId> next_out_;
  std::vector<Place> ready_, held_up_;

  std::vector<CandidateId> counted_;
  std::vector<double> losses_, least_;    // of those counted; the least of one dependent
  std::vector<std::uint32_t> group_end_;  // the losses of one dependent end here
  // Per step how many choices of losses add up to it, and the same with one group more; 0 below.
  std::array<Counts, 2> counts_{};
};

}  // namespace coppice::engine
