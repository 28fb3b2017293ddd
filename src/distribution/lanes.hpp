// Eight short sentences of equal length side by side: what is done to one element is done to that
// element of all of them.
//
// A sentence gets the same digits whatever stands beside it, on every instruction set, and from
// Float64 in plain order: each number comes about by the same operations in the same order.
#pragma once

#include <coppice/graph.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/exact_sum.hpp"

namespace coppice::distribution {

inline constexpr std::size_t kLanes = 8;

// Matrices are [dependent][head][lane], of nodes 0..words.
struct LaneProblem {
  std::size_t words;
  bool single, with_marginals;
  const double* weights;
  double* arena;  // of lane_arena() numbers
};

// Memory that begins where a cache line does.
class AlignedBuffer {
 public:
  void resize(std::size_t size) {
    if (memory_.size() < size + kLanes) memory_.resize(size + kLanes);
  }
  double* data() {
    auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (-address % kLine) / sizeof(double);
  }
  const double* data() const { return const_cast<AlignedBuffer*>(this)->data(); }
  std::size_t size() const { return memory_.size(); }

 private:
  static constexpr std::uintptr_t kLine = kLanes * sizeof(double);
  std::vector<double> memory_;
};

struct LaneResults {
  alignas(64) double shift[kLanes];  // of the root's row, in two parts
  alignas(64) double shift_rest[kLanes];
  alignas(64) double complete[kLanes];  // 1 where no weight between words is 0 once scaled
  alignas(64) double in_range[kLanes];  // 1 where no pivot is too small
  // Products as mantissa * 2^(400 * steps): of the pivots, and of pivot / sum of the weights.
  alignas(64) double mantissa[kLanes];
  alignas(64) double steps[kLanes];
  alignas(64) double safe_mantissa[kLanes];
  alignas(64) double safe_steps[kLanes];
  alignas(64) double mean[kLanes];  // of the weights, less the references
  AlignedBuffer shifts;             // of each column, [dependent][lane]
  AlignedBuffer references;         // the weight of each word's likeliest head, [dependent][lane]
  AlignedBuffer marginals;
};

std::size_t lane_arena(std::size_t words);

using SolveLanes = void (*)(const LaneProblem& problem, LaneResults& results);
SolveLanes lane_solver();
std::vector<SolveLanes> lane_solvers();  // of all instruction sets, for tests

class Lanes {
 public:
  explicit Lanes(SolveLanes solver = lane_solver()) : solver_(solver) {}

  // Longer sentences are faster alone.
  static constexpr Node kMostWords = 48;
  // So are fewer sentences.
  static std::size_t fewest(bool with_marginals) { return with_marginals ? 4 : 6; }

  struct Sentence {
    const double* weights;  // [dependent][head], columns `size` apart; diagonal minus infinity
    std::size_t size;
    double* marginals = nullptr;  // [head][dependent], rows `pitch` apart
    std::size_t pitch = 0;
    // Nothing where range is lacking or, for a single root, edges between words.
    std::optional<ExactSum> log_partition = {};
    double entropy = 0.0;
  };

  // At most eight sentences of so many words; all with marginals or none.
  void solve(std::span<Sentence> sentences, std::size_t words, RootRule root);

  std::size_t memory() const {  // in numbers
    return weights_.size() + arena_.size() + results_.marginals.size();
  }

 private:
  void finish(Sentence& sentence, std::size_t lane, std::size_t words, bool single) const;

  SolveLanes solver_;
  AlignedBuffer weights_, arena_;
  LaneResults results_;
};

}  // namespace coppice::distribution
