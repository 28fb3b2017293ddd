#include "engine/list/best_first.hpp"

#include <span>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// Of candidates that have not been looked up yet.
constexpr CandidateId kUnknown{-2};
constexpr std::int32_t kNoPosition = -1;
// The position of the best tree's root child in trees with another one: before all others.
constexpr std::int32_t kChild = -1;

// Some tens of microseconds.
constexpr std::size_t kStatesPerPoll = 256;

}  // namespace

bool BestFirst::run(const Dense& graph, const CertifiedTree& tree, std::int64_t k, double max_gap,
                    const IsLegal& is_legal, TreeEdits& trees) {
  graph_ = &graph;
  tree_ = &tree;
  trees.clear();
  start(max_gap);
  return search(k, is_legal, trees);
}

void BestFirst::start(double max_gap) {
  const Node nodes = graph_->nodes();
  candidates_.clear();
  next_.clear();
  positions_.clear();
  frontier_.clear();
  combinations_.of(tree_->head);
  combinations_.clear();
  root_child_ = graph_->single_root() && !combinations_.words().empty()
                    ? combinations_.words().front()
                    : kNoNode;
  limit_ = max_gap;
  first_.assign(place_of(nodes), kUnknown);
  gains_.assign(simd::padded(place_of(nodes)), -kInfinity);
  for (Node v = 1; v < nodes; ++v)
    if (v != root_child_) gains_[v] = graph_->second(v) - tree_->gain[v];
  if (const std::int32_t first = position_after(kNoPosition, kNoNode); first != kNoPosition)
    push({0.0, ChangedTrees::kBest, first_option(positions_[0]), first, kNoNode});

  if (root_child_ == kNoNode || first_option(root_child_) == kNoCandidate) return;
  root_gains_.assign(gains_.size(), -kInfinity);
  for (Node v = 1; v < nodes; ++v)
    if (v != root_child_)
      root_gains_[v] = graph_->root_gain(v) - tree_->root_price - tree_->gain[v];
  last_root_gain_ = kInfinity;
  push_next_root_child();
}

bool BestFirst::search(std::int64_t k, const IsLegal& is_legal, TreeEdits& trees) {
  std::int64_t dead_ends = 0;
  add_if_wanted(ChangedTrees::kBest, 0.0, is_legal, trees);
  auto found = [&] { return static_cast<std::int64_t>(trees.size()); };
  while (found() < k && !frontier_.empty()) {
    const auto [gap, state] = frontier_.pop();
    if (combinations_.size() % kStatesPerPoll == 0) poll();
    const CombinationId id =
        combinations_.add(state.before, state.candidate, candidates_[state.candidate]);
    if (!add_if_wanted(id, gap, is_legal, trees) &&
        ++dead_ends > tuning_.dead_ends + tuning_.dead_ends_per_tree * found())
      return false;
    expand(state, gap, id);
  }
  return true;
}

// True: it is a tree, and a legal one.
bool BestFirst::add_if_wanted(CombinationId id, double gap, const IsLegal& is_legal,
                              TreeEdits& trees) {
  if (!combinations_.is_tree(id)) return false;
  combinations_.list(id, candidates_, trees);
  trees.finish(gap);
  const std::size_t last = trees.size() - 1;
  if (!is_legal || is_legal(trees[last])) return true;
  trees.shorten(last);
  return false;
}

// Every combination has one parent, which loses no more: it follows by another option of the last
// node, by a later node instead, or by one more node behind it.
void BestFirst::expand(const State& state, double gap, CombinationId id) {
  const Node node = candidates_[state.candidate].dependent;
  const bool is_first = first_[node] == state.candidate;
  const CandidateId next = next_option(state.candidate);
  if (next != kNoCandidate)
    push({state.base, state.before, next, state.position, state.root_child});
  if (is_first && state.position == kChild) push_next_root_child();
  const std::int32_t after = position_after(state.position, state.root_child);
  if (after == kNoPosition) return;
  const CandidateId first = first_option(positions_[place_of(after)]);
  if (is_first && state.position != kChild)
    push({state.base, state.before, first, after, state.root_child});
  push({gap, id, first, after, state.root_child});
}

void BestFirst::push(const State& state) {
  const double gap = state.base + candidates_[state.candidate].loss;
  if (gap <= limit_) frontier_.push(gap, state);
}

// Single root: trees whose root has another child. The old one takes a head among the words.
void BestFirst::push_next_root_child() {
  const simd::Ranked next = simd::kernels().next(root_gains_.data(), root_gains_.size(),
                                                 last_root_gain_, last_root_child_);
  if (next.index < 0) return;
  last_root_gain_ = next.value;
  last_root_child_ = next.index;
  const CandidateId root_edge =
      add(0, next.index, graph_->root_gain(next.index) - tree_->root_price);
  const CombinationId alone =
      combinations_.add(ChangedTrees::kBest, root_edge, candidates_[root_edge]);
  push({candidates_[root_edge].loss, alone, first_option(root_child_), kChild, next.index});
}

CandidateId BestFirst::add(Node head, Node dependent, double gain) {
  const double loss = tree_->gain[dependent] - gain;
  candidates_.push_back({loss, loss, head, dependent, kNoEdge});
  next_.push_back(kUnknown);
  return CandidateId(next_.end_index().value() - 1);
}

// The best edge into v behind the given one; under the single-root rule not from the root.
CandidateId BestFirst::option_after(Node v, double gain, Node head) {
  simd::Ranked next{gain, head};
  do {
    next = simd::kernels().next(graph_->column(v), graph_->stride(), next.value, next.index);
  } while (next.index == 0 && root_child_ != kNoNode);
  return next.index < 0 ? kNoCandidate : add(next.index, v, next.value);
}

CandidateId BestFirst::first_option(Node v) {
  CandidateId& first = first_[v];
  if (first != kUnknown) return first;
  if (v == root_child_) return first = option_after(v, kInfinity, kNoNode);
  return first = option_after(v, tree_->gain[v], tree_->head[v]);
}

CandidateId BestFirst::next_option(CandidateId candidate) {
  if (next_[candidate] == kUnknown) {
    const Candidate edge = candidates_[candidate];
    const CandidateId next =
        option_after(edge.dependent, tree_->gain[edge.dependent] - edge.loss, edge.head);
    next_[candidate] = next;
  }
  return next_[candidate];
}

// The position behind the given one that is not of the root's child.
std::int32_t BestFirst::position_after(std::int32_t position, Node root_child) {
  for (++position;; ++position) {
    if (place_of(position) == positions_.size()) {
      const bool none = positions_.empty();
      const Node last = none ? 0 : positions_.back();
      const simd::Ranked next =
          simd::kernels().next(gains_.data(), gains_.size(), none ? kInfinity : gains_[last], last);
      if (next.index < 0) return kNoPosition;
      positions_.push_back(next.index);
    }
    if (positions_[place_of(position)] != root_child) return position;
  }
}

}  // namespace coppice::engine
