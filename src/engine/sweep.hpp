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
#include <vector>

#include "engine/bits.hpp"
#include "engine/found.hpp"
#include "engine/kernel.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Sweep {
 public:
  enum class Outcome {
    complete,  // every tree that counts is there
    tied,      // too many trees are equal within the slack: some of those at the border are missing
    abandoned,  // the budget ran out, or the kernel is too large
  };

  static constexpr std::int32_t kMostNodes = 1024;

  explicit Sweep(const Tuning& tuning) : tuning_(tuning) {}

  // Trees of gap <= limit. With k, trees worse than the k-th best by more than the slack may be
  // missing. budget bounds the number of search states; an option that leads to none is a quarter
  // of one.
  Outcome run(const Kernel& kernel, double limit, double slack, std::int64_t k,
              std::int64_t budget);
  // Trees that equal the best one within the slack: as many as are kept of such trees where k are
  // wanted, and then the outcome is tied; or k, where there is no slack, or all of them are equal.
  Outcome run_at_best(const Kernel& kernel, double slack, bool equal, std::int64_t k,
                      std::int64_t budget);

  // How many of them have a gap <= this.
  std::int64_t trees_up_to(double gap) const;
  // The gap of the k-th best of them; infinity if they are fewer.
  double kth_gap(std::int64_t k);
  // The trees found.
  void list(FoundTrees& found) const;

 private:
  using Option = Kernel::Option;

  template <std::size_t Words>
  struct Frame {
    double reduced_cost;
    double gap;
    const Option* option;  // next one to try; null: go to the next node
    const Option* end;     // of the options of the node
    Bits<Words> decided;   // nodes that may not change any more, replaced ones among them
    Bits<Words> replaced;
    std::uint64_t entered;    // components that edges of decided nodes enter (Kernel::Option)
    Bits<Words> cycle;        // not a tree: the nodes of which one must change
    KernelNode node;          // whose options are being tried
    std::uint32_t position;   // a tree: the place of that node in order_
    std::int32_t root_edges;  // single root
    std::uint32_t step;       // the last replacement
    bool is_tree;
    bool only_inner;  // the node may not be given another root edge
  };
  template <std::size_t Words>
  struct Space {
    Indexed<KernelNode, Bits<Words>> above;  // itself and what it hangs from in the best tree
    std::vector<Frame<Words>> frames;
  };

  void start(const Kernel& kernel, double limit, double slack, std::int64_t k);
  Outcome search(std::int64_t budget);
  template <std::size_t Words>
  Outcome search(Space<Words>& space, std::int64_t budget);
  template <std::size_t Words>
  void open_root(Space<Words>& space);
  template <std::size_t Words>
  bool next_node(Frame<Words>& frame) const;
  template <std::size_t Words>
  bool replace(const Space<Words>& space, const Frame<Words>& from, const Option& option,
               Frame<Words>& to);
  template <std::size_t Words>
  void enter(std::uint64_t components, Frame<Words>& frame) const;
  template <std::size_t Words>
  bool find_cycle(const Space<Words>& space, KernelNode v, Frame<Words>& frame) const;
  template <std::size_t Words>
  bool lacks_reentry(KernelNode v, const Frame<Words>& frame) const;
  void record(double gap, std::uint32_t step);
  void trim();

  Tuning tuning_;
  const Kernel* kernel_ = nullptr;
  double limit_ = 0.0, slack_ = 0.0;
  std::size_t wanted_ = 0, next_trim_ = 0;
  std::size_t at_best_ = 0, enough_ = 0;  // trees that equal the best: found, and asked for
  bool tied_ = false;

  std::vector<KernelNode> order_;         // nodes by their cheapest option
  std::vector<double> cheapest_;          // what that option costs, in the same order
  Indexed<KernelNode, KernelNode> head_;  // of replaced nodes: the new head
  Space<1> small_;
  Space<4> middling_;
  Space<kMostNodes / 64> large_;

  // Replacements, each after another one; the first step stands for none.
  struct Step {
    std::uint32_t before;
    CandidateId candidate;
  };
  std::vector<Step> steps_;
  struct Found {
    double gap;
    std::uint32_t step;
  };
  std::vector<Found> found_;
  std::vector<double> gaps_;
};

}  // namespace coppice::engine
