#include "engine/prune/reduced_graph.hpp"

#include <algorithm>
#include <numeric>

#include "graph/poll.hpp"

namespace coppice::engine {

bool ReducedGraph::usable(const Candidate& edge) const {
  // From a node merged into its own dependent: a loop.
  if (representative_[edge.head] == edge.dependent) return false;
  // A second root edge beside one that cannot change.
  return edge.head != 0 || single_root_child_ == kNoNode || edge.dependent == single_root_child_ ||
         choices_[single_root_child_] > 0;
}

void ReducedGraph::build(const Candidates& candidates, double limit) {
  const CandidateList& edges = candidates.list();
  const bool single = candidates.rule() == RootRule::single;
  const std::span<const Node> words = candidates.preorder().words();
  single_root_child_ = single && !words.empty() ? words.front() : kNoNode;
  choices_.assign(place_of(candidates.tree().nodes()), 0);
  kept_.clear();
  for (CandidateId i(0); i < edges.end_index(); ++i) {
    if (!(edges[i].reduced_cost <= limit)) continue;
    kept_.push_back(i);
    ++choices_[edges[i].dependent];
  }
  find_members(candidates);
  for (int round = 0; round < tuning_.most_rounds; ++round) {
    merge_forced(candidates);
    number_nodes(candidates);
    arrange_options(edges);
    companions_.find(*this);
    if (!drop_hopeless(candidates, limit)) {
      if (candidates.tree().contracted()) {
        find_entered(candidates, limit);
        raise_prices();
      }
      return;
    }
  }
}

void ReducedGraph::find_members(const Candidates& candidates) {
  is_member_.assign(place_of(candidates.tree().nodes()), 0);
  for (CandidateId i : kept_) {
    is_member_[candidates.list()[i].head] = 1;
    is_member_[candidates.list()[i].dependent] = 1;
  }
  members_.clear();
  for (Node v : candidates.preorder().words())
    if (is_member_[v] != 0) members_.push_back(v);
}

// Merges nodes without a choice into their heads; that makes loops; dropping these takes choices
// away; and so on until nothing changes.
void ReducedGraph::merge_forced(const Candidates& candidates) {
  const CandidateList& edges = candidates.list();
  const Preorder& preorder = candidates.preorder();
  representative_.resize(place_of(candidates.tree().nodes()));
  for (bool changed = true; changed;) {
    poll();
    changed = false;
    representative_[0] = 0;
    around_.assign(1, 0);
    for (Node v : members_) {
      while (preorder.end(around_.back()) <= preorder.place(v)) around_.pop_back();
      if (choices_[v] > 0) around_.push_back(v);
      representative_[v] = around_.back();
    }
    std::size_t kept = 0;
    for (CandidateId i : kept_) {
      if (usable(edges[i])) {
        kept_[kept++] = i;
      } else if (--choices_[edges[i].dependent] == 0) {
        changed = true;
      }
    }
    kept_.resize(kept);
  }
}

// Numbers in preorder.
void ReducedGraph::number_nodes(const Candidates& candidates) {
  const Preorder& preorder = candidates.preorder();
  number_.resize(place_of(candidates.tree().nodes()));
  ground_.clear();
  parent_.clear();
  number_[0] = kKernelRoot;
  around_.assign(1, 0);
  for (Node v : members_) {
    if (choices_[v] == 0) continue;
    while (preorder.end(around_.back()) <= preorder.place(v)) around_.pop_back();
    number_[v] = ground_.end_index();
    ground_.push_back(v);
    parent_.push_back(number_[around_.back()]);
    around_.push_back(v);
  }
  entered_by_tree_.assign(ground_.size(), 0);
  end_.resize(ground_.size());
  for (KernelNode v = end(); --v >= KernelNode(0);) {
    // Descendants follow v; the last of them is the last descendant of the last child.
    KernelNode after = v.next();
    while (after < end() && parent_[after] >= v) after = end_[after];
    end_[v] = after;
  }
  root_child_ = single_root_child_ == kNoNode || choices_[single_root_child_] == 0
                    ? kKernelRoot
                    : number_[single_root_child_];
}

// The options of each node, cheapest first.
void ReducedGraph::arrange_options(const CandidateList& candidates) {
  begin_.assign(ground_.size() + 1, 0);
  for (CandidateId i : kept_) ++begin_[number_[candidates[i].dependent].next()];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  options_.resize(kept_.size());
  for (CandidateId i : kept_) {
    const Candidate& edge = candidates[i];
    auto& place = begin_[number_[edge.dependent]];
    options_[place++] = {edge.reduced_cost, edge.loss, number_[representative_[edge.head]], i, 0};
  }
  std::move_backward(begin_.begin(), begin_.end() - 1, begin_.end());
  begin_[KernelNode(0)] = 0;
  sort_options();
}

void ReducedGraph::sort_options() {
  for (KernelNode v(0); v < end(); ++v)
    sort_polling(options_.data() + begin_[v], options_.data() + begin_[v.next()],
                 [](const Option& a, const Option& b) {
                   return a.reduced_cost < b.reduced_cost ||
                          (a.reduced_cost == b.reduced_cost && a.candidate < b.candidate);
                 });
}

// Adds what edges cost by components that they enter again.
void ReducedGraph::raise_prices() {
  for (std::size_t i = 0; i < options_.size(); ++i) options_[i].reduced_cost += extra_[i];
  sort_options();
}

// The components whose entry may turn, and who enters them, for a sweep. Options have their reduced
// costs yet.
void ReducedGraph::find_entered(const Candidates& candidates, double limit) {
  constexpr std::size_t kMost = 64;
  if (nodes() > tuning_.most_swept) return;
  const ReducedCost& reduced = candidates.reduced();
  again_.clear();
  const Component all(static_cast<std::int32_t>(reduced.components()));
  for (Component c(candidates.tree().nodes()); c < all && again_.size() < kMost; ++c) {
    if (!(reduced.y(c) < 0.0) || !reentry_cost_.may_turn(c, limit)) continue;
    const std::uint64_t bit = std::uint64_t{1} << again_.size();
    again_.push_back(-reduced.y(c));
    for (KernelNode v(0); v < end(); ++v) {
      if (!reduced.contains(c, ground(v))) continue;
      const bool is_entry = reduced.entry(c) == ground(v);
      if (is_entry) entered_by_tree_[v] |= bit;
      for (std::size_t i = begin_[v]; i < begin_[v.next()]; ++i) {
        Option& option = options_[i];
        if (reduced.contains(c, candidates.list()[option.candidate].head)) continue;
        if (is_entry || reentry_cost_.may_turn(c, limit - option.reduced_cost))
          option.entered |= bit;
      }
    }
  }
}

// Drops edges that no affordable tree has.
bool ReducedGraph::drop_hopeless(const Candidates& candidates, double limit) {
  const auto before = kept_.size();
  reentry_cost_.start(candidates.reduced());
  kept_.clear();
  extra_.clear();
  for (KernelNode v(0); v < end(); ++v) {  // in preorder
    poll();
    for (const Option& option : options(v)) {
      const Candidate& edge = candidates.list()[option.candidate];
      const double room = limit - option.reduced_cost;
      const double again = reentry_cost_.cost(edge, room);
      if (companions_.cost(*this, v, option.head) > room || again > room) {
        --choices_[edge.dependent];
      } else {
        kept_.push_back(option.candidate);
        extra_.push_back(again);
        reentry_cost_.keep(edge);
      }
    }
    reentry_cost_.settle(ground(v));
  }
  return kept_.size() < before;
}

void ReentryCost::start(const ReducedCost& reduced) {
  reduced_ = &reduced;
  if (reduced.contracted()) from_inside_.assign(reduced.components(), kInfinity);
}

double ReentryCost::cost(const Candidate& edge, double room) const {
  if (!reduced_->contracted()) return 0.0;
  const Component last = reduced_->entered(edge.head, edge.dependent);
  const Component around = reduced_->outer(last);
  if (around != kNoComponent && reduced_->entry(around) == edge.dependent) return 0.0;
  // The dependent is not the entry of any component that is entered: all their entries are settled.
  double cost = 0.0;
  int steps = tuning_.most_nested;
  for (Component c = reduced_->entered_by_tree(edge.dependent);
       c != last && cost <= room && --steps > 0;) {
    c = reduced_->outer(c);
    if (from_inside_[c] > room) cost -= reduced_->y(c);
  }
  return cost;
}

void ReentryCost::keep(const Candidate& edge) {
  if (!reduced_->contracted()) return;
  Component around = reduced_->outer(reduced_->entered(edge.head, edge.dependent));
  if (around == kNoComponent || reduced_->entry(around) != edge.dependent) return;
  from_inside_[around] = std::min(from_inside_[around], edge.reduced_cost);
}

void ReentryCost::settle(Node v) {
  if (!reduced_->contracted()) return;
  // What is inside a component is inside those around it.
  double least = kInfinity;
  for (Component c = reduced_->outer(Component(v)); c != kNoComponent && reduced_->entry(c) == v;
       c = reduced_->outer(c)) {
    least = std::min(least, from_inside_[c]);
    from_inside_[c] = least;
  }
}

// An edge into x enters what hangs from v for all v above x, up to the first that its head is below
// too. With the cheapest edges first, whoever has an answer can be passed over.
void Companions::find(const ReducedGraph& graph) {
  reentry_.assign(place_of(graph.nodes()), kInfinity);
  by_cost_.clear();
  for (KernelNode x(0); x < graph.end(); ++x)
    for (const ReducedGraph::Option& option : graph.options(x))
      by_cost_.push_back({option.reduced_cost, x, option.head});
  sort_polling(by_cost_.begin(), by_cost_.end(),
               [](const Entry& a, const Entry& b) { return a.reduced_cost < b.reduced_cost; });
  open_.resize(place_of(graph.nodes()));
  std::iota(open_.begin(), open_.end(), KernelNode(0));
  for (const Entry& entry : by_cost_) {
    KernelNode v = last_of(open_, graph.parent(entry.node));
    while (v != kKernelRoot && !graph.is_below(entry.head, v)) {
      reentry_[v] = entry.reduced_cost;
      open_[v] = graph.parent(v);
      v = last_of(open_, v);
    }
  }
}

double Companions::cost(const ReducedGraph& graph, KernelNode v, KernelNode head) const {
  return head != kKernelRoot && graph.is_below(head, v) ? reentry_[v] : 0.0;
}

}  // namespace coppice::engine
