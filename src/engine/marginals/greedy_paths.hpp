// Max-marginals in the greedy case: the best head of every word (under RootRule::single the best
// word, for every word but one) makes the best tree. Why this is right: docs/internals/proofs.md.
#pragma once

#include <coppice/graph.hpp>
#include <cstddef>
#include <span>
#include <vector>

namespace coppice::engine {

// A square matrix of costs: step(to, from).
class Steps {
 public:
  void reset(std::size_t size, double value) {
    size_ = size;
    costs_.assign(size * size, value);
  }
  double* into(std::size_t to) { return costs_.data() + to * size_; }
  const double* into(std::size_t to) const { return costs_.data() + to * size_; }

 private:
  std::size_t size_ = 0;
  std::vector<double> costs_;
};

// Costs of the cheapest walks to all places 1..size - 1 (place 0 is never entered), by Dijkstra's
// algorithm, and the same avoiding one place: only walks that went through it are found anew.
class Walks {
 public:
  // start[x]: of beginning at x. `steps` by what is entered, `turned` by what is left. All must
  // stay where they are.
  void find(const Steps& steps, const Steps& turned, std::span<const double> start);

  std::span<const double> costs() const { return costs_; }
  // Valid until the next call; what it says of the place itself, and of 0, means nothing.
  std::span<const double> avoiding(std::size_t place);

 private:
  const Steps* steps_ = nullptr;
  const Steps* turned_ = nullptr;
  std::span<const double> start_;
  std::vector<double> costs_, changed_;
  std::vector<std::size_t> came_from_;  // 0: began there
  std::vector<std::size_t> order_;      // in which places were settled
  std::vector<std::size_t> left_, kept_;
  std::vector<bool> affected_;
};

class GreedyPaths {
 public:
  // Gains [dependent][head], minus infinity where there is no edge. False: it is not this case.
  // Otherwise `losses` has for every arc, [head][dependent], how much more the best tree with it
  // loses than the best tree; infinity if no tree has it.
  bool find(std::span<const double> gains, Node nodes, RootRule rule, std::vector<double>& losses);

 private:
  double weight(std::size_t head, std::size_t dependent) const {
    return weights_[dependent * nodes_ + head];
  }
  void choose_heads();
  bool find_root();
  bool find_root_on_cycle();
  bool number();
  void find_steps();
  bool find_other_roots();
  void find_ways_in();
  void find_detours(std::size_t place);
  void report(std::vector<double>& losses);

  std::span<const double> weights_;
  std::size_t nodes_ = 0;
  bool single_ = false;
  std::vector<double> best_;       // of each word, the weight of its best head
  std::vector<std::size_t> head_;  // that has it, or nodes_
  std::size_t root_ = 0;           // what all others are below of: 0, or the word at the root
  // Places are the nodes in preorder, the root first; place i and all below it are [i, end_[i]).
  std::vector<std::size_t> node_at_, place_of_, end_;
  Steps steps_, turned_;  // what an arc costs in place of the best head's
  Steps detour_;          // into(i)[j]: of reaching j otherwise than through i
  // Trees with another word at the root: what beginning there costs, and ending at the root's
  // place. Walks from any beginning, and walks to the end.
  std::vector<double> begin_, end_cost_;
  Walks from_begin_, to_end_;
  std::vector<std::size_t> left_;
};

}  // namespace coppice::engine
