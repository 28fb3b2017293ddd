// The small graph that is left when all edges that no wanted tree can use are gone (docs/engine.md,
// section 4).
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <vector>

#include "engine/candidate.hpp"
#include "engine/nesting.hpp"
#include "engine/preorder.hpp"
#include "engine/solution.hpp"

namespace coppice::engine {

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
