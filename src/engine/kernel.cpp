#include "engine/kernel.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace coppice::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Kernels up to this size find the company of an edge by walking up from it.
constexpr std::int32_t kSmallKernel = 1024;
// Dropping edges may make others hopeless; each round costs as much as building the kernel.
constexpr int kMostRounds = 32;

}  // namespace

bool Kernel::usable(const Candidate& edge) const {
  // From a node merged into its own dependent: a loop.
  if (representative_[at(edge.head)] == edge.dependent) return false;
  // A second root edge beside one that cannot change.
  return edge.head != 0 || single_root_child_ == kNoNode || edge.dependent == single_root_child_ ||
         choices_[at(single_root_child_)] > 0;
}

void Kernel::build(const std::vector<Candidate>& candidates, const Preorder& preorder,
                   const Solution& solution, const ReducedCost& reduced, RootRule rule,
                   double limit) {
  single_root_child_ = rule == RootRule::single ? preorder.node[1] : kNoNode;
  choices_.assign(at(solution.nodes()), 0);
  kept_.clear();
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (!(candidates[i].reduced_cost <= limit)) continue;
    kept_.push_back(i);
    ++choices_[at(candidates[i].dependent)];
  }
  for (int round = 0; round < kMostRounds; ++round) {
    merge_forced(candidates, preorder, solution);
    number_nodes(preorder, solution);
    arrange_options(candidates);
    find_companions();
    if (!drop_hopeless(candidates, reduced, limit)) {
      if (reduced.contracted()) raise_prices();
      return;
    }
  }
}

// Merges nodes without a choice into their heads; that makes loops; dropping these takes choices
// away; and so on until nothing changes.
void Kernel::merge_forced(const std::vector<Candidate>& candidates, const Preorder& preorder,
                          const Solution& solution) {
  auto nodes = at(solution.nodes());
  representative_.resize(nodes);
  for (bool changed = true; changed;) {
    changed = false;
    representative_[0] = 0;
    for (std::size_t i = 1; i < nodes; ++i) {
      Node v = preorder.node[i];
      representative_[at(v)] = choices_[at(v)] > 0 ? v : representative_[at(solution.head[at(v)])];
    }
    std::size_t kept = 0;
    for (std::uint32_t i : kept_) {
      if (usable(candidates[i])) {
        kept_[kept++] = i;
      } else if (--choices_[at(candidates[i].dependent)] == 0) {
        changed = true;
      }
    }
    kept_.resize(kept);
  }
}

// Numbers in preorder.
void Kernel::number_nodes(const Preorder& preorder, const Solution& solution) {
  auto nodes = at(solution.nodes());
  number_.resize(nodes);
  ground_.clear();
  parent_.clear();
  number_[0] = kRoot;
  for (std::size_t i = 1; i < nodes; ++i) {
    Node v = preorder.node[i];
    if (choices_[at(v)] == 0) continue;
    number_[at(v)] = static_cast<std::int32_t>(ground_.size());
    ground_.push_back(v);
    parent_.push_back(number_[at(representative_[at(solution.head[at(v)])])]);
  }
  end_.resize(ground_.size());
  for (std::size_t v = ground_.size(); v-- > 0;) {
    // Descendants follow v; the last of them is the last descendant of the last child.
    end_[v] = static_cast<std::int32_t>(v) + 1;
    while (at(end_[v]) < ground_.size() && parent_[at(end_[v])] >= static_cast<std::int32_t>(v))
      end_[v] = end_[at(end_[v])];
  }
  root_child_ = single_root_child_ == kNoNode || choices_[at(single_root_child_)] == 0
                    ? kRoot
                    : number_[at(single_root_child_)];
}

// The options of each node, cheapest first.
void Kernel::arrange_options(const std::vector<Candidate>& candidates) {
  begin_.assign(ground_.size() + 1, 0);
  for (std::uint32_t i : kept_) ++begin_[at(number_[at(candidates[i].dependent)]) + 1];
  for (std::size_t v = 0; v < ground_.size(); ++v) begin_[v + 1] += begin_[v];
  options_.resize(kept_.size());
  for (std::uint32_t i : kept_) {
    const Candidate& edge = candidates[i];
    auto& place = begin_[at(number_[at(edge.dependent)])];
    options_[place++] = {std::max(0.0, edge.reduced_cost), edge.loss,
                         number_[at(representative_[at(edge.head)])], i};
  }
  for (std::size_t v = ground_.size(); v > 0; --v) begin_[v] = begin_[v - 1];
  begin_[0] = 0;
  sort_options();
}

void Kernel::sort_options() {
  for (std::size_t v = 0; v < ground_.size(); ++v)
    std::sort(options_.begin() + begin_[v], options_.begin() + begin_[v + 1],
              [](const Option& a, const Option& b) {
                return a.reduced_cost < b.reduced_cost ||
                       (a.reduced_cost == b.reduced_cost && a.candidate < b.candidate);
              });
}

// Adds what edges cost by components that they enter again.
void Kernel::raise_prices() {
  for (std::size_t i = 0; i < options_.size(); ++i) options_[i].reduced_cost += extra_[i];
  sort_options();
  find_companions();
}

// Edges that only help in company of others, and what the company costs.
void Kernel::find_companions() {
  reentry_.assign(ground_.size(), kInfinity);
  if (nodes() <= kSmallKernel)
    find_reentries();
  else
    find_reentries_cheapest_first();
  cheapest_inner_ = cheapest_other_root_ = kInfinity;
  if (root_child_ == kRoot) return;
  for (std::int32_t x = 0; x < nodes(); ++x) {
    double& cheapest = x == root_child_ ? cheapest_inner_ : cheapest_other_root_;
    for (auto option = options_begin(x); option != options_end(x); ++option)
      if ((x == root_child_) != (option->head == kRoot))
        cheapest = std::min(cheapest, option->reduced_cost);
  }
}

// An edge into x enters what hangs from v for all v above x, up to the first that its head is
// below too.
void Kernel::find_reentries() {
  for (std::int32_t x = 0; x < nodes(); ++x)
    for (auto option = options_begin(x); option != options_end(x); ++option)
      for (std::int32_t v = parent(x); v != kRoot && !is_below(option->head, v); v = parent(v))
        reentry_[at(v)] = std::min(reentry_[at(v)], option->reduced_cost);
}

// The same, looking at each node once: with the cheapest edges first, whoever has an answer can be
// passed over. open_[v] leads to the nearest node from v upwards that has none.
void Kernel::find_reentries_cheapest_first() {
  by_cost_.clear();
  for (std::int32_t x = 0; x < nodes(); ++x)
    for (auto option = options_begin(x); option != options_end(x); ++option)
      by_cost_.push_back({option->reduced_cost, x, option->head});
  std::sort(by_cost_.begin(), by_cost_.end(),
            [](const Entry& a, const Entry& b) { return a.reduced_cost < b.reduced_cost; });
  open_.resize(ground_.size());
  std::iota(open_.begin(), open_.end(), 0);
  auto nearest_open = [&](std::int32_t v) {
    while (v != kRoot && open_[at(v)] != v) {
      std::int32_t up = open_[at(v)];
      if (up != kRoot) open_[at(v)] = open_[at(up)];
      v = up;
    }
    return v;
  };
  for (const Entry& entry : by_cost_) {
    std::int32_t v = nearest_open(parent(entry.node));
    while (v != kRoot && !is_below(entry.head, v)) {
      reentry_[at(v)] = entry.reduced_cost;
      open_[at(v)] = parent(v);
      v = nearest_open(v);
    }
  }
}

// What must be paid beside the edge from head to v.
double Kernel::companion_cost(std::int32_t v, std::int32_t head) const {
  double cost = 0.0;
  if (head != kRoot && is_below(head, v)) cost = reentry(v);
  if (root_child_ == kRoot) return cost;
  if (v == root_child_ && head != kRoot) cost = std::max(cost, cheapest_other_root_);
  if (v != root_child_ && head == kRoot) cost = cheapest_inner_;
  return cost;
}

// Drops edges that no affordable tree has.
bool Kernel::drop_hopeless(const std::vector<Candidate>& candidates, const ReducedCost& reduced,
                           double limit) {
  auto before = kept_.size();
  nesting_.start(candidates, kept_, reduced);
  kept_.clear();
  extra_.clear();
  for (std::int32_t v = 0; v < nodes(); ++v) {  // in preorder
    for (auto option = options_begin(v); option != options_end(v); ++option) {
      const Candidate& edge = candidates[option->candidate];
      double room = limit - option->reduced_cost;
      auto [own, shared] = nesting_.cost(edge, room);
      if (companion_cost(v, option->head) > room || own + shared > room) {
        --choices_[at(edge.dependent)];
      } else {
        kept_.push_back(option->candidate);
        extra_.push_back(own);
        nesting_.keep(edge);
      }
    }
    nesting_.settle(ground(v));
  }
  return kept_.size() < before;
}

}  // namespace coppice::engine
