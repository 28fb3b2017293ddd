#include "engine/plan/ways.hpp"

#include <algorithm>
#include <cmath>

namespace coppice::engine {
namespace {

std::int64_t budget(std::int64_t states, std::int64_t states_per_tree, std::int64_t k) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return states + states_per_tree * std::min(k, kMost);
}

// Estimated gap(k) / gap(found), assuming that the number of trees grows exponentially with the
// gap.
double steps_to(std::int64_t k, std::int64_t found) {
  return std::log(static_cast<double>(k)) / std::log1p(static_cast<double>(found));
}

// A reduced graph as lists: its root comes first, its nodes in their order. Edits are made of the
// best tree.
void list_reduced(const ReducedGraph& graph, const Candidates& candidates, Sparse<double>& lists,
                  ListedGraph<double>& listed) {
  const CertifiedTree& tree = candidates.tree();
  auto numbered = [](KernelNode v) { return v.next().value(); };
  auto& begin = lists.begins();
  auto& edges = lists.edges();
  begin.assign(place_of(graph.nodes()) + 2, Slot(0));
  edges.clear();
  // Only differences matter: the edge of the best tree gains 0.
  for (KernelNode v(0); v < graph.end(); ++v) {
    edges.push_back({0.0, numbered(graph.parent(v)), kNoCandidate.value()});
    for (const ReducedGraph::Option& option : graph.options(v))
      edges.push_back({-option.loss, numbered(option.head), option.candidate.value()});
    begin[numbered(v) + 1] = edges.end_index();
  }
  lists.start(graph.root_child() != kKernelRoot ? RootRule::single : RootRule::any);
  lists.start_subproblems();
  listed.lists = &lists;
  listed.arcs.clear();
  for (Node v = 1; v < lists.nodes(); ++v) {
    const Node ground = graph.ground(KernelNode(v - 1));
    for (Slot e = lists.begin(v); e < lists.end(v); ++e) {
      const CandidateId id(lists.edge(e).id);
      if (id == kNoCandidate) {
        listed.arcs.push_back({tree.head[ground], ground, tree.edge_into(ground)});
      } else {
        const Candidate& edge = candidates.list()[id];
        listed.arcs.push_back({edge.head, ground, edge.edge});
      }
    }
  }
  listed.heads.assign(tree.head.begin(), tree.head.end());
  listed.edges.assign(tree.edge.begin(), tree.edge.end());
}

}  // namespace

const char* name_of(Way way) {
  constexpr const char* kNames[] = {"none",  "best",    "ties",  "combinations", "best first",
                                    "sweep", "reduced", "whole", "projective",   "exact"};
  return kNames[static_cast<std::size_t>(way)];
}

Ways::Ways(const Tuning& tuning)
    : tuning_(tuning),
      combinations_(tuning),
      best_first_(tuning),
      candidates_(tuning),
      reduced_(tuning),
      sweep_(tuning),
      queue_(tuning) {}

void Ways::start(Graph graph, TreeSolver& solver, Legality& legality) {
  graph_ = graph;
  solver_ = &solver;
  legality_ = &legality;
  way = Way::none;
  candidates_started_ = whole_ = false;
  source_ = nullptr;
}

// What only the ways by the reduced graph and the queue need.
void Ways::start_candidates() {
  if (candidates_started_) return;
  candidates_started_ = true;
  candidates_.start(*solver_);
  if (!legality_->empty()) candidates_.allow_all();  // rules are tried on reduced graphs
}

void Ways::list(const Query& query, TreeEdits& trees) {
  const double most = std::min(query.max_gap, query.known);
  const Dense* dense = solver_->dense();
  if (dense != nullptr && !tree().contracted() && query.k <= tuning_.most_greedy) {
    way = Way::combinations;
    if (query.k > tuning_.few_trees && combinations_.run(*dense, tree(), query.k, most, trees))
      return;
    way = Way::best_first;
    if (best_first_.run(*dense, tree(), query.k, most, nullptr, trees)) return;
  }
  const double counted = count_bound(query.k);
  if (counted == 0.0) {
    way = Way::ties;
    return candidates_.list_tied(query.k, trees);
  }
  const double up_to = std::min(tighten(counted, query.k), most);
  way = reduce(up_to) ? Way::sweep : Way::whole;
  if (way == Way::sweep) {
    if (sweep(query.k, up_to, trees)) return;
    way = Way::reduced;
  }
  start_queue(up_to);
  take(query, up_to, trees);
}

double Ways::bound(std::int64_t k) { return tighten(count_bound(k), k); }

double Ways::count_bound(std::int64_t k) {
  start_candidates();
  return k < Sweep::kAll ? candidates_.bound(k) : kInfinity;
}

// By swaps, where a bound by counting lets too many edges matter.
double Ways::tighten(double counted, std::int64_t k) {
  if (k == Sweep::kAll || candidates_.collect(counted)) return counted;
  return std::min(counted, candidates_.bound_by_swaps(k));
}

// Makes the reduced graph ready for all trees up to this gap. False: it would be no smaller.
bool Ways::reduce(double up_to) {
  start_candidates();
  whole_ = !candidates_.collect(up_to);
  if (!whole_) reduced_.build(candidates_, up_to);
  return !whole_;
}

// The k best trees of the reduced graph. The bound counts few of the trees that leave a component
// by another way, so that it may be far above the K-th gap; and many trees may tie with the best
// one. So sweeps grow.
bool Ways::sweep(std::int64_t k, double up_to, TreeEdits& trees) {
  constexpr double kMostSteps = 2.0;
  const bool contracted = tree().contracted();
  const std::int64_t states = budget(tuning_.states, tuning_.states_per_tree, k);
  auto run = [&](double gap) { return sweep_.run(reduced_, gap, k, states); };
  auto list = [&] {
    sweep_.list(candidates_.list(), trees);
    return true;
  };
  const bool ties = std::ranges::any_of(
      candidates_.list(), [](const Candidate& edge) { return edge.reduced_cost == 0.0; });
  if (ties && up_to > 0.0 && k < Sweep::kAll) {
    if (!run(0.0)) return false;  // what takes too long here takes no less within a larger gap
    if (sweep_.size() >= k) return list();
  }
  const double first = std::floor(up_to * tuning_.first_gap);
  for (double gap = first; contracted && k < Sweep::kAll && gap < up_to;) {
    if (!run(gap)) return false;
    if (sweep_.size() >= k) return list();
    const double growth = std::clamp(steps_to(k, sweep_.size()), 1.0, kMostSteps);
    gap = std::max(std::ceil(gap * tuning_.next_gap * growth), first + 1.0);
  }
  return run(up_to) && list();
}

// The fallback: on the reduced graph or, where that is no smaller, on the graph.
void Ways::start_queue(double up_to) {
  if (whole_)
    list_graph();
  else
    list_reduced(reduced_, candidates_, reduced_lists_, listed_);
  queue_.start(listed_, up_to, legality_->empty() ? nullptr : legality_);
  source_ = &queue_;
}

void Ways::start_projective() {
  way = Way::projective;
  list_graph();
  projective_.start(listed_, solver_->rule());
  source_ = &projective_;
}

void Ways::list_graph() {
  listed_.list_whole(solver_->whole(), *graph_);
  // Edits are made of the best tree that was found first.
  listed_.heads.assign(tree().head.begin(), tree().head.end());
  listed_.edges.assign(tree().edge.begin(), tree().edge.end());
}

// Adds the next tree. False: there are k, or none of a gap up to up_to is left that loses no more
// than max_gap more than the first of them.
bool Ways::take_next(const Query& query, double up_to, TreeEdits& trees) {
  if (std::cmp_greater_equal(trees.size(), query.k)) return false;
  if (!trees.empty()) up_to = std::min(up_to, trees.gap(0) + query.max_gap);
  if (!source_->next(up_to)) return false;
  source_->list_edits(trees);
  trees.finish(source_->gap());
  return true;
}

void Ways::take(const Query& query, double up_to, TreeEdits& trees) {
  trees.clear();
  while (take_next(query, up_to, trees)) {
  }
}

// --- Under rules ---

std::optional<double> Ways::gap_ahead() const {
  return source_ == nullptr ? std::nullopt : source_->gap_ahead();
}

void Ways::list_legal(const Query& query, TreeEdits& trees) {
  if (!list_legal_among_best(query, trees) && !take_projective(query, trees))
    list_legal_in_stages(query, trees);
}

// Often enough of the best trees are legal. True if so.
bool Ways::list_legal_among_best(const Query& query, TreeEdits& trees) {
  constexpr std::int64_t kMore = 8;
  if (query.k > tuning_.few_legal) return false;
  const bool best_is_legal = legality_->allows(tree(), {});
  if (query.max_gap < kInfinity && !best_is_legal) return false;
  const double most = std::min(query.max_gap, query.known);
  if (const Dense* dense = solver_->dense(); dense != nullptr && !tree().contracted()) {
    way = Way::best_first;
    auto is_legal = [&](std::span<const Edit> edits) { return legality_->allows(tree(), edits); };
    if (best_first_.run(*dense, tree(), query.k, most, is_legal, trees)) return true;
  }
  if (legality_->only_projective()) return false;  // a chart is made sooner than a reduced graph
  way = Way::sweep;
  for (const std::int64_t listed : {best_is_legal ? query.k : 0, kMore * (query.k + 1)}) {
    if (listed == 0) continue;
    const double up_to = std::min(bound(listed), most);
    if (!reduce(up_to) || !sweep(listed, up_to, trees)) continue;
    const bool all = std::cmp_less(trees.size(), listed);
    legality_->keep_legal(tree(), trees);
    const bool enough = std::cmp_greater_equal(trees.size(), query.k);
    if (enough) trees.shorten(static_cast<std::size_t>(query.k));
    if (enough || (all && up_to == most)) return true;
  }
  return false;
}

// Projective trees one by one need no search. False where legal ones need not be projective, or for
// graphs too large; or where other rules allow too few of them.
bool Ways::take_projective(const Query& query, TreeEdits& trees) {
  if (!legality_->only_projective() || tree().nodes() > tuning_.most_projective) return false;
  start_projective();
  trees.clear();
  std::int64_t illegal = 0;
  while (take_next(query, query.known, trees)) {
    const std::size_t last = trees.size() - 1;
    if (legality_->all_projective() || legality_->allows(tree(), trees[last])) continue;
    trees.shorten(last);
    if (++illegal <= tuning_.projective_trees) continue;
    legality_->forget_clauses();  // so many would slow down a search
    return false;
  }
  return true;
}

// The bound on the K-th gap counts illegal trees, so it is no bound here: stages of growing gap,
// until there are K legal trees within the gap.
void Ways::list_legal_in_stages(const Query& query, TreeEdits& trees) {
  constexpr std::int64_t kFirst = 64, kLast = std::int64_t{1} << 40, kGrowth = 64;
  double up_to = 0.0;
  for (std::int64_t within = kFirst;; within *= kGrowth) {
    up_to = within > kLast ? kInfinity : std::max(2.0 * up_to, bound(within));
    up_to = std::min(up_to, query.known);
    way = reduce(up_to) ? Way::reduced : Way::whole;
    start_queue(up_to);
    take(query, up_to, trees);
    const bool enough = std::cmp_greater_equal(trees.size(), query.k);
    if (enough || gap_ahead() || up_to == query.known) return;
    // Are all within max_gap there? Only if the search has looked so far.
    if (!trees.empty() && trees.gap(0) + query.max_gap <= up_to) return;
  }
}

// --- Streams ---

bool Ways::range(std::int64_t k, double up_to, TreeEdits& trees) {
  if (!reduce(up_to)) return false;
  const std::int64_t states = budget(0, tuning_.stream_states_per_tree, k);
  if (!sweep_.run(reduced_, up_to, Sweep::kAll, states)) return false;
  sweep_.list(candidates_.list(), trees);
  way = Way::sweep;
  return true;
}

double Ways::start_source(double up_to, double most) {
  if (legality_->all_projective() && tree().nodes() <= tuning_.most_projective) {
    start_projective();
    return most;
  }
  way = reduce(up_to) ? Way::reduced : Way::whole;
  if (whole_) up_to = most;
  start_queue(up_to);
  return up_to;
}

}  // namespace coppice::engine
