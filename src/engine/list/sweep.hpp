// All trees of the reduced graph within a gap, by depth-first search (docs/internals/proofs.md).
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

#include "engine/list/bits.hpp"
#include "engine/prune/reduced_graph.hpp"
#include "engine/solve/tree_edits.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class Sweep {
 public:
  static constexpr std::int32_t kMostNodes = 1024;

  explicit Sweep(const Tuning& tuning) : tuning_(tuning) {}

  // The k best trees of gap <= limit, or some of those that tie with the k-th; all of them if k is
  // kAll. False: that takes more search states than the budget (an option that leads to none is a
  // quarter of one), or the graph is too large.
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  bool run(const ReducedGraph& graph, double limit, std::int64_t k, std::int64_t budget);

  // The trees found by a run that was true, in order, k at most.
  std::int64_t size() const { return static_cast<std::int64_t>(found_.size()); }
  void list(const CandidateList& candidates, TreeEdits& trees);

 private:
  using Option = ReducedGraph::Option;

  template <std::size_t Words>
  struct Frame {
    double reduced_cost;
    double gap;
    const Option* option;  // next one to try; null: go to the next node
    const Option* end;     // of the options of the node
    Bits<Words> decided;   // nodes that may not change any more, replaced ones among them
    Bits<Words> replaced;
    std::uint64_t entered;    // components that edges of decided nodes enter (ReducedGraph::Option)
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

  template <std::size_t Words>
  bool search(Space<Words>& space, std::int64_t budget);
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
  void record(double gap, std::uint32_t step);
  void trim();

  Tuning tuning_;
  const ReducedGraph* graph_ = nullptr;
  double limit_ = 0.0;
  std::size_t wanted_ = 0;

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
  static bool is_better(const Found& a, const Found& b) {
    return a.gap < b.gap || (a.gap == b.gap && a.step < b.step);
  }
  std::vector<Found> found_;
};

}  // namespace coppice::engine
