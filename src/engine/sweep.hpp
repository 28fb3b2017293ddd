// All trees of the kernel within a gap, by depth-first search (docs/engine.md, section 5).
//
// A tree is the best tree with some edges replaced. The search replaces one edge at a time and
// never comes back to the same node, so every choice of replacements is met once. The reduced costs
// of the replacements add up to a lower bound on the gap of all trees below: past the limit the
// search turns back. Where a replacement closes a cycle, some free node of that cycle must change:
// only those are tried next, each with the ones before it held. A second root edge under the
// single-root rule is repaired the same way. Trees found lower the limit.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/kernel.hpp"

namespace coppice::engine {

class Sweep {
 public:
  struct Found {
    double gap;
    std::uint32_t begin, end;  // its replacements: candidates, in replacements()
  };

  enum class Outcome {
    complete,  // every tree that counts is there
    tied,      // too many trees are equal within the slack: some of those at the border are missing
    abandoned,  // the budget ran out
  };

  // Trees of gap <= limit. With k, trees worse than the k-th best by more than the slack may be
  // missing. budget bounds the number of search states.
  Outcome run(const Kernel& kernel, RootRule rule, double limit, double slack, std::int64_t k,
              std::int64_t budget);

  const std::vector<Found>& found() const { return found_; }
  const std::vector<std::uint32_t>& replacements() const { return replacements_; }

 private:
  using Option = Kernel::Option;

  struct Frame {
    double reduced_cost;
    double gap;
    std::uint32_t position;  // tree states: where in order_ to go on
    std::uint32_t first;     // nodes in order_ before this were decided by the frames below
    std::uint32_t cycle_begin, cycle_next, cycle_end;  // other states: nodes to try, in cycle_
    const Option* option;                              // next one to try, or null at a new node
    bool is_tree;
    bool only_inner;  // the node may not be given a root edge
  };

  bool fixed(std::int32_t v, std::uint32_t first) const {
    return held_[at(v)] != 0 || rank_[at(v)] < first;
  }
  std::int32_t nearest_replaced(std::int32_t v) const;
  bool closes_cycle(std::int32_t v) const;
  void list_cycle(std::int32_t v, std::uint32_t first);
  bool enter(std::int32_t v, const Option& option, const Frame& from);
  void leave();
  void record(double gap);
  void trim();
  void start(const Kernel& kernel, RootRule rule, double limit, double slack, std::int64_t k);
  std::int32_t next_node(Frame& frame);
  void close_frame();

  const Kernel* kernel_ = nullptr;
  bool single_ = false;
  double limit_ = 0.0, slack_ = 0.0;
  std::size_t wanted_ = 0, next_trim_ = 0;
  bool tied_ = false;

  std::vector<std::int32_t> order_;  // nodes by their cheapest option
  std::vector<std::uint32_t> rank_;  // place of a node in order_
  std::vector<std::uint8_t> held_;   // nodes held or replaced by frames of cycles
  std::vector<std::uint8_t> is_replaced_;
  std::vector<std::int32_t> head_;      // of replaced nodes: the new head
  std::vector<std::int32_t> replaced_;  // nodes, in the order of replacement
  std::vector<std::uint32_t> chosen_;   // the candidates they took
  std::vector<std::int32_t> cycle_;
  std::vector<Frame> frames_;
  int root_edges_ = 1;  // single root: of the present state

  std::vector<Found> found_;
  std::vector<std::uint32_t> replacements_, packed_;
  std::vector<double> gaps_;
};

}  // namespace coppice::engine
