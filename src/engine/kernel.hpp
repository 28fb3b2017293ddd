// The small graph that is left when all edges that no wanted tree can use are gone (docs/engine.md,
// sections 3 and 4).
#pragma once

#include <array>
#include <coppice/graph.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/nesting.hpp"
#include "engine/solution.hpp"

namespace coppice::engine {

// An edge that is not in the best tree, but cheap enough to be in one of the wanted trees.
struct Candidate {
  double reduced_cost;  // every tree with this edge is at least so much worse than the best
  double loss;          // weight of the tree edge it replaces minus its own
  double weight;
  Node head;
  Node dependent;
  EdgeId edge;
};

// The best tree laid out in preorder: descendants of v are the nodes at places [place, end).
struct Preorder {
  void build(const std::vector<Node>& head);

  std::vector<Node> node;   // at a place
  std::vector<Node> place;  // of a node
  std::vector<Node> end;    // of a node

 private:
  std::vector<Node> next_;
};

// An upper bound on the gap of the K-th best tree.
class Bound {
 public:
  // From candidates grouped by dependent: in any line-up of the nodes in which every node stands
  // behind the one it hangs from, candidates whose head stands before their dependent combine
  // freely, so the K smallest sums of their losses are the gaps of K trees. The bound is the K-th
  // smallest, rounded up by a few parts in a hundred. +inf if there are fewer than K. Candidates
  // that lose more than `most` are left out.
  double kth_gap(const std::vector<Candidate>& candidates, double most, const Preorder& preorder,
                 const Solution& solution, RootRule rule, std::int64_t k);

  // What kth_gap may come to, judged by the cheapest replacement of each edge alone.
  static double guess(std::vector<double>& losses, std::int64_t k);

 private:
  // Sums up to a range are counted in steps, each loss rounded up to whole steps.
  // Many trees deserve small steps.
  template <class Count>
  static constexpr std::size_t kSteps = sizeof(Count) == 1 ? 128 : 512;
  template <class Count>
  using Counts = std::array<std::array<Count, 2 * kSteps<Count>>, 2>;
  template <class Count>
  static constexpr Count kMostOf = std::numeric_limits<Count>::max() / 2;

  void line_up(const std::vector<Candidate>& candidates, double most, const Preorder& preorder,
               const Solution& solution);
  double kth_sum(double range, std::int64_t k);
  template <class Count>
  double kth_sum(double range, std::int64_t k, Counts<Count>& counts);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<Node> turn_;                // of a node
  std::vector<std::int32_t> waits_for_;   // per node: candidates into it whose heads have no turn
  std::vector<std::uint32_t> first_out_;  // per node: the first candidate out of it
  std::vector<std::uint32_t> next_out_;   // per candidate
  std::vector<Node> ready_, held_up_;

  std::vector<double> losses_, least_;
  std::vector<std::uint32_t> group_end_;  // the losses of one dependent end here
  Counts<std::uint8_t> counts8_;
  Counts<std::int16_t> counts16_;
  Counts<float> counts_;
};

// Nodes with a choice, in preorder of the best tree; all other nodes have been merged into the node
// they hang from.
class Kernel {
 public:
  struct Option {
    double reduced_cost;  // or more: what it adds to the gap of every affordable tree
    double loss;
    std::int32_t head;        // kernel node, or kRoot
    std::uint32_t candidate;  // which edge it is
  };
  static constexpr std::int32_t kRoot = -1;

  // Takes the candidates of reduced cost <= limit.
  void build(const std::vector<Candidate>& candidates, const Preorder& preorder,
             const Solution& solution, const ReducedCost& reduced, RootRule rule, double limit);

  std::int32_t nodes() const { return static_cast<std::int32_t>(ground_.size()); }
  Node ground(std::int32_t v) const { return ground_[at(v)]; }
  std::int32_t parent(std::int32_t v) const { return parent_[at(v)]; }
  std::int32_t end(std::int32_t v) const { return end_[at(v)]; }  // of its descendants
  // The alternatives to the tree edge of v, cheapest first.
  const Option* options_begin(std::int32_t v) const { return options_.data() + begin_[at(v)]; }
  const Option* options_end(std::int32_t v) const { return options_.data() + begin_[at(v) + 1]; }
  // An edge into v from below v only helps if another edge enters what hangs from v: the least
  // reduced cost of such an edge, other than those into v itself.
  double reentry(std::int32_t v) const { return reentry_[at(v)]; }
  bool is_below(std::int32_t u, std::int32_t v) const { return v <= u && u < end(v); }
  // The node that hangs from the root in the best tree, or kRoot if it has no choice (single root).
  std::int32_t root_child() const { return root_child_; }
  // The cheapest way for that node to leave the root, and for another one to hang from it.
  double cheapest_inner() const { return cheapest_inner_; }
  double cheapest_other_root() const { return cheapest_other_root_; }

 private:
  void merge_forced(const std::vector<Candidate>& candidates, const Preorder& preorder,
                    const Solution& solution);
  bool usable(const Candidate& candidate) const;
  void number_nodes(const Preorder& preorder, const Solution& solution);
  void arrange_options(const std::vector<Candidate>& candidates);
  void sort_options();
  void raise_prices();
  void find_companions();
  void find_reentries();
  void find_reentries_cheapest_first();
  double companion_cost(std::int32_t v, std::int32_t head) const;
  bool drop_hopeless(const std::vector<Candidate>& candidates, const ReducedCost& reduced,
                     double limit);

  std::vector<std::uint32_t> kept_;             // candidates
  std::vector<Node> representative_;            // per ground node: the node it is merged into
  std::vector<std::int32_t> choices_, number_;  // per ground node
  Node single_root_child_ = kNoNode;            // ground node, under the single-root rule

  std::vector<Node> ground_;
  std::vector<std::int32_t> parent_, end_;
  std::vector<double> reentry_;
  std::vector<std::uint32_t> begin_;
  std::vector<Option> options_;
  struct Entry {
    double reduced_cost;
    std::int32_t node, head;
  };
  Nesting nesting_;
  std::vector<double> extra_;  // as kept_: what an edge costs beside its reduced cost
  std::vector<Entry> by_cost_;
  std::vector<std::int32_t> open_;
  std::int32_t root_child_ = kRoot;
  double cheapest_inner_ = 0.0, cheapest_other_root_ = 0.0;
};

}  // namespace coppice::engine
