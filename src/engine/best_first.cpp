#include "engine/best_first.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/exactness.hpp"
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

BestFirst::Outcome BestFirst::run(const GreedyCase& graph, std::int64_t k, double max_gap,
                                  Legality* legality) {
  legality_ = legality;
  of_ties_ = 0;
  start(graph, max_gap);
  if (legality == nullptr && find_ties(k)) return Outcome::complete;
  if (!search(k)) return Outcome::abandoned;
  return too_many_tie_ ? Outcome::tied : Outcome::complete;
}

void BestFirst::start(const GreedyCase& graph, double max_gap) {
  graph_ = &graph;
  const auto nodes = graph.nodes();
  candidates_.clear();
  next_.clear();
  positions_.clear();
  frontier_.clear();
  combinations_.of(graph.heads());
  combinations_.clear();
  found_.clear();
  if (is_wanted(ChangedTrees::kBest)) found_.push_back(ChangedTrees::kBest);
  too_many_tie_ = false;
  limit_ = max_gap + graph.slack(max_gap);
  first_.assign(place_of(nodes), kUnknown);
  gains_.assign(simd::padded(place_of(nodes)), -kInfinity);
  for (Node v = 1; v < nodes; ++v)
    if (v != graph.root_child()) gains_[v] = -first_loss(v);
  if (std::int32_t first = position_after(kNoPosition, kNoNode); first != kNoPosition)
    push({0.0, ChangedTrees::kBest, first_option(positions_[0]), first, kNoNode});

  if (!graph.single_root() || first_option(graph_->root_child()) == kNoCandidate) return;
  root_gains_.assign(gains_.size(), -kInfinity);
  for (Node v = 1; v < nodes; ++v)
    if (v != graph.root_child()) root_gains_[v] = graph.root_weight(v) - graph.weight(v);
  last_root_gain_ = kInfinity;
  push_next_root_child();
}

// What the first option of v loses; infinity if it has none.
double BestFirst::first_loss(Node v) {
  if (graph_->single_root() && graph_->root_weight(v) >= graph_->second(v)) {
    // The second best edge may come from the root.
    CandidateId first = first_option(v);
    return first == kNoCandidate ? kInfinity : candidates_[first].loss;
  }
  return graph_->weight(v) - graph_->second(v);
}

std::int64_t BestFirst::most_tied(std::int64_t k) const {
  if (k > tuning_.most_tied_best_first) return tuning_.most_tied_best_first;
  return std::min(k * tuning_.tied_best_first_per_tree, tuning_.most_tied_best_first);
}

// Are there k trees that tie with the best, edge by edge? They have its score, and without a price
// no tree has a better one, for all its weights are no larger: adding up keeps that order, rounded
// or not. Then no other is looked for.
bool BestFirst::find_ties(std::int64_t k) {
  auto is_tied = [&](Node v) {
    return graph_->second(v) == graph_->weight(v) && v != graph_->root_child();
  };
  bool some = false;
  for (Node v = 1; v < graph_->nodes(); ++v) some = some || is_tied(v);
  if (!some) return false;
  sources_.resize(graph_->stride());
  const Node first = graph_->single_root() ? 1 : 0;
  const bool enough = ties_.start(graph_->heads(), k - 1, [&](Node v, auto visit) {
    if (!is_tied(v)) return;
    const std::size_t found = simd::kernels().at_least(graph_->column(v), graph_->weight(v),
                                                       graph_->stride(), sources_.data());
    for (const Node s : std::span(sources_).first(found))
      if (s != graph_->head(v) && s >= first) visit(s);
  });
  const bool priced = graph_->solution().root_price != 0.0;
  if (enough && (!priced || sums_are_exact(0.0))) of_ties_ = k;
  return of_ties_ > 0;
}

void BestFirst::list_ties(FoundTrees& found) {
  tied_.clear();
  ties_.for_each_option(
      [&](Node head, Node v) { tied_.push_back(add(head, v, graph_->weight(v))); });
  found.finish();  // the best tree
  for (std::int64_t i = 1; i < of_ties_ && ties_.next(); ++i) {
    ties_.for_each_change([&](std::size_t number) { found.replace(tied_[number]); });
    found.finish();
  }
}

bool BestFirst::search(std::int64_t k) {
  std::int64_t dead_ends = 0;
  bool checked = false;
  auto trees = [&] { return static_cast<std::int64_t>(found_.size()); };
  auto wanted = [&] { return trees() < k; };
  if (!wanted()) limit_ = std::min(limit_, graph_->slack(0.0));
  while (!frontier_.empty()) {
    const auto [gap, state] = frontier_.pop();
    if (combinations_.size() % kStatesPerPoll == 0) poll();
    if (gap > limit_) return true;
    if (!wanted()) {
      if (!checked && (sums_are_exact(gap) || all_ties_are_equal(gap))) return true;
      checked = true;
      if (trees() / 3 >= k && trees() > 3 * k + most_tied(k)) return too_many_tie_ = true;
    }
    const CombinationId id =
        combinations_.add(state.before, state.candidate, candidates_[state.candidate]);
    if (is_wanted(id)) {
      found_.push_back(id);
      if (trees() == k) limit_ = std::min(limit_, gap + graph_->slack(gap));
    } else if (++dead_ends > tuning_.dead_ends + tuning_.dead_ends_per_tree * trees()) {
      return false;
    }
    expand(state, gap, id);
  }
  return true;
}

// A tree, and a legal one.
bool BestFirst::is_wanted(CombinationId id) {
  if (!combinations_.is_tree(id)) return false;
  if (legality_ == nullptr) return true;
  judged_.clear();
  combinations_.list(id, judged_);
  return legality_->allows(graph_->solution(), candidates_, judged_[0]);
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

// Single root: trees whose root has another child r. The old one takes a head among the words.
void BestFirst::push_next_root_child() {
  const simd::Ranked next = simd::kernels().next(root_gains_.data(), root_gains_.size(),
                                                 last_root_gain_, last_root_child_);
  if (next.index < 0) return;
  last_root_gain_ = next.value;
  last_root_child_ = next.index;
  const CandidateId root_edge = add(0, next.index, graph_->root_weight(next.index));
  const CombinationId alone =
      combinations_.add(ChangedTrees::kBest, root_edge, candidates_[root_edge]);
  push(
      {candidates_[root_edge].loss, alone, first_option(graph_->root_child()), kChild, next.index});
}

// Of the weights that trees of this gap can have.
bool BestFirst::sums_are_exact(double gap) const {
  Exactness exactness(graph_->integral());
  const auto nodes = graph_->nodes();
  for (Node v = 1; v < nodes; ++v) {
    const double least = graph_->weight(v) - gap - graph_->slack(gap);
    exactness.see(graph_->column(v), graph_->stride(), least);
    if (graph_->root_weight(v) >= least) exactness.see(graph_->unpriced_root_weight(v));
    if (!exactness.of_terms(2.0 * nodes)) return false;
  }
  return true;
}

// Have all trees that equal the best within the slack the very weights of the best, node by node?
// Then they have its score, however sums round.
bool BestFirst::all_ties_are_equal(double gap) {
  if (graph_->integral() || gap > graph_->slack(0.0)) return false;
  sources_.resize(graph_->stride());
  for (Node v = 1; v < graph_->nodes(); ++v) {
    if (graph_->unpriced_root_weight(v) != graph_->root_weight(v)) return false;
    const double weight = graph_->weight(v);
    const double least = weight - 2.0 * graph_->slack(0.0);
    const double* column = graph_->column(v);
    const std::size_t near =
        simd::kernels().at_least(column, least, graph_->stride(), sources_.data());
    for (std::size_t i = 0; i < near; ++i)
      if (column[sources_[i]] != weight) return false;
  }
  return true;
}

CandidateId BestFirst::add(Node head, Node dependent, double weight) {
  const double loss = graph_->weight(dependent) - weight;
  candidates_.push_back({loss, loss, weight, head, dependent, kNoEdge});
  next_.push_back(kUnknown);
  return CandidateId(next_.end_index().value() - 1);
}

// The best edge into v behind the given one; under the single-root rule not from the root.
CandidateId BestFirst::option_after(Node v, double weight, Node head) {
  simd::Ranked next{weight, head};
  do {
    next = simd::kernels().next(graph_->column(v), graph_->stride(), next.value, next.index);
  } while (next.index == 0 && graph_->single_root());
  return next.index < 0 ? kNoCandidate : add(next.index, v, next.value);
}

CandidateId BestFirst::first_option(Node v) {
  CandidateId& first = first_[v];
  if (first == kUnknown) first = option_after(v, graph_->weight(v), graph_->head(v));
  return first;
}

CandidateId BestFirst::next_option(CandidateId candidate) {
  if (next_[candidate] == kUnknown) {
    const Candidate edge = candidates_[candidate];
    next_[candidate] = option_after(edge.dependent, edge.weight, edge.head);
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

void BestFirst::list(FoundTrees& found) {
  found.clear();
  if (of_ties_ > 0) return list_ties(found);
  for (const CombinationId id : found_) combinations_.list(id, found);
}

}  // namespace coppice::engine
