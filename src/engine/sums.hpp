// The reported scores of many trees that differ little from one.
//
// A score is the plain sum over nodes 1..N in that order: additions of one tree wait for each
// other, but trees do not, so several are summed side by side; in large graphs most additions are
// left out (block_sums.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/block_sums.hpp"
#include "engine/candidate.hpp"
#include "engine/found.hpp"
#include "engine/simd.hpp"
#include "engine/solver.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Sums {
 public:
  explicit Sums(const Tuning& tuning) : tuning_(tuning) {}

  // weights: of the tree that the others resemble, per node; the root's is not counted. solver:
  // whom to ask for the weights of root edges where those of the candidates are not as given.
  void start(const Indexed<Node, double>& weights, const Solver* solver);

  // One sum per tree. Trees that are certainly behind so many others may get another sum, behind
  // those as well.
  void run(const CandidateList& candidates, const FoundTrees& trees, std::int64_t wanted,
           std::vector<double>& sums);

 private:
  static constexpr std::size_t kLanes = simd::kColumns;
  using Lanes = std::array<double, kLanes>;
  struct Place {
    Node node;
    std::uint32_t lane;
  };

  void sum_table(const CandidateList& candidates, const FoundTrees& trees,
                 std::vector<double>& sums);
  void sum_blocks(const CandidateList& candidates, const FoundTrees& trees, std::int64_t wanted,
                  std::vector<double>& sums);
  double estimate(const CandidateList& candidates, const FoundTrees& trees, std::size_t wanted,
                  std::vector<double>& sums);

  double weight(const Candidate& edge) const {
    return solver_ != nullptr && edge.head == 0 ? solver_->unpriced(edge.dependent, edge.edge)
                                                : edge.weight;
  }

  Tuning tuning_;
  const Solver* solver_ = nullptr;
  const Indexed<Node, double>* weights_ = nullptr;
  Indexed<Node, Lanes> table_;  // small graphs: per node its weight in all lanes
  std::vector<Place> places_;
  BlockSums blocks_;  // large ones
  std::vector<BlockSums::Change> changes_;
  std::vector<double> gains_;
};

}  // namespace coppice::engine
