#include "engine/pipeline.hpp"

#include <algorithm>
#include <cmath>

namespace coppice::engine {
namespace {

// Search states that a sweep may cost before the slow enumeration takes over.
std::int64_t budget_for(std::int64_t k) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return k >= kMost / 512 ? kMost : 8192 + 512 * k;
}

}  // namespace

bool Pipeline::solve(Graph graph, const Options& options) {
  graph_ = graph;
  options_ = &options;
  prepared_ = false;
  enumeration_.reset();
  constraints_.load(graph, options);
  bool found = false;
  if (const DenseView* view = graph.dense()) {
    dense_.load(*view, constraints_, options.objective);
    found = dense_.solve(options.root, solution_);
  } else {
    sparse_.load(*graph.multigraph(), constraints_, options.objective);
    found = sparse_.solve(options.root, solution_);
  }
  if (!found) return false;
  magnitude_ = solution_.magnitude();
  weights_ = solution_.weight;
  prefix_.resize(weights_.size());
  prefix_[0] = 0.0;
  for (std::size_t v = 1; v < weights_.size(); ++v) prefix_[v] = prefix_[v - 1] + weights_[v];
  best_integer_score_ = 0;
  for (Node v = 1; integral() && v < solution_.nodes(); ++v)
    best_integer_score_ += integer_weight(solution_.head[at(v)], v,
                                          solution_.edge.empty() ? kNoEdge : solution_.edge[at(v)]);
  return true;
}

// Everything that later steps need beside the solution.
void Pipeline::prepare() {
  if (prepared_) return;
  prepared_ = true;
  candidates_.clear();
  collected_ = -kInfinity;
  reduced_.prepare(solution_);
  preorder_.build(solution_.head);
}

double Pipeline::slack(double gap) const {
  if (exact()) return 0.0;
  return 0x1p-48 * (magnitude_ + (gap == kInfinity ? magnitude_ : gap));
}

// Has the arithmetic lost digits that the scores of trees show?
bool Pipeline::imprecise() const {
  if (integral()) return !exact();
  double sum = 0.0;
  for (std::size_t v = 1; v < solution_.weight.size(); ++v) sum += std::abs(solution_.weight[v]);
  return magnitude_ > 0x1p20 * sum;
}

// Makes candidates_ hold all edges of reduced cost <= limit that are not in the best tree.
void Pipeline::collect(double limit) {
  if (limit <= collected_) return;
  collected_ = limit;
  candidates_.clear();
  auto visit = [&](Node head, Node dependent, double weight, EdgeId edge) {
    bool in_tree = graph_->dense() ? solution_.head[at(dependent)] == head
                                   : solution_.edge[at(dependent)] == edge;
    if (in_tree) return;
    double reduced_cost = reduced_(head, dependent, weight);
    if (!(reduced_cost <= limit) || reduced_cost == kInfinity) return;
    candidates_.push_back(
        {reduced_cost, solution_.weight[at(dependent)] - weight, weight, head, dependent, edge});
  };
  if (graph_->dense())
    dense_.for_each_cheap(reduced_, limit, visit);
  else
    sparse_.for_each_cheap(reduced_, limit, visit);
}

double Pipeline::bound(std::int64_t k) {
  prepare();
  losses_.clear();
  for (Node v = 1; v < solution_.nodes(); ++v) {
    double weight = solution_.weight[at(v)];
    double loss =
        graph_->dense() ? dense_.loss_of_second(v, weight) : sparse_.loss_of_second(v, weight);
    if (loss < kInfinity) losses_.push_back(loss);
  }
  // Candidates up to a guess give a bound; if that is above the guess, more candidates may lower
  // it.
  double limit = Bound::guess(losses_, k);
  while (true) {
    collect(limit + slack(limit));
    double gap = bound_.kth_gap(candidates_, preorder_, solution_, options_->root, k);
    if (gap <= collected_) return gap;
    limit = gap;
  }
}

void Pipeline::build_kernel(double up_to) {
  double limit = up_to + slack(up_to);
  collect(limit);
  kernel_.build(candidates_, preorder_, solution_, options_->root, limit);
}

void Pipeline::best(TreeList& trees) {
  if (imprecise()) {
    prepare();
    build_kernel(0.0);
    double limit = slack(0.0);
    auto outcome = sweep_.run(kernel_, options_->root, limit, limit, 1, budget_for(1));
    if (outcome == Sweep::Outcome::complete) {
      rank_found();
      return write(sweep_.replacements(), 1, -kInfinity, kInfinity, trees);
    }
    if (integral()) {
      kbest_slowly(1, kInfinity);
      return write(replacements_, 1, -kInfinity, kInfinity, trees);
    }
  }
  replacements_.clear();
  append(replacements_, rank(replacements_, 0, 0), trees);
}

void Pipeline::kbest(TreeList& trees) {
  std::int64_t k = options_->k.value_or(std::numeric_limits<std::int64_t>::max());
  double max_gap = options_->max_gap.value_or(kInfinity);
  if (k == 1) return best(trees);
  prepare();
  double up_to = options_->k ? std::min(bound(k), max_gap) : max_gap;
  build_kernel(up_to);
  double margin = slack(up_to);
  auto outcome = sweep_.run(kernel_, options_->root, up_to + margin, margin, k, budget_for(k));
  bool inexact_ties = outcome == Sweep::Outcome::tied && integral();
  if (outcome == Sweep::Outcome::abandoned || inexact_ties) {
    kbest_slowly(k, max_gap);
    return write(replacements_, k, -kInfinity, max_gap, trees);
  }
  rank_found();
  write(sweep_.replacements(), k, -kInfinity, max_gap, trees);
}

void Pipeline::rank_found() {
  ranked_.clear();
  for (const Sweep::Found& tree : sweep_.found())
    ranked_.push_back(rank(sweep_.replacements(), tree.begin, tree.end));
}

// Fills ranked_ from the paper's algorithm on the kernel. Trees within the slack of the last one
// wanted are taken too, for their reported scores decide.
void Pipeline::kbest_slowly(std::int64_t k, double max_gap) {
  constexpr std::int64_t kMostTied = 256;
  enumerate(kInfinity);
  ranked_.clear();
  replacements_.clear();
  double border = -kInfinity;
  double reference = rank(replacements_, 0, 0).score;
  for (std::int64_t taken = 0; taken - kMostTied < k; ++taken) {
    auto tree = enumeration_->next();
    if (!tree) break;
    auto begin = static_cast<std::uint32_t>(replacements_.size());
    translate(*tree);
    Ranked ranked = rank(replacements_, begin, static_cast<std::uint32_t>(replacements_.size()));
    double gap = reference - ranked.score;
    if (gap > max_gap + slack(max_gap)) break;
    if (taken >= k && ranked.score < border - slack(gap)) break;
    ranked_.push_back(ranked);
    if (taken < k) border = taken == 0 ? ranked.score : std::min(border, ranked.score);
  }
}

bool Pipeline::range(double above, double up_to, std::int64_t budget, TreeList& trees) {
  prepare();
  build_kernel(up_to);
  double margin = slack(up_to);
  auto all = std::numeric_limits<std::int64_t>::max();
  auto outcome = sweep_.run(kernel_, options_->root, up_to + margin, margin, all, budget);
  if (outcome != Sweep::Outcome::complete) return false;
  rank_found();
  write(sweep_.replacements(), all, above, up_to, trees);
  return true;
}

void Pipeline::enumerate(double up_to) {
  prepare();
  build_kernel(up_to);
  // The kernel as a graph of its own: node v + 1 for kernel node v.
  Multigraph graph(std::max(kernel_.nodes() + 1, 2), integral() ? Scalar::int64 : Scalar::float64);
  std::int64_t sign = options_->objective == Objective::minimize ? -1 : 1;
  candidate_of_edge_.clear();
  auto add = [&](std::int32_t head, std::int32_t v, double weight, Arc arc, EdgeId edge,
                 std::int64_t candidate) {
    if (integral())
      graph.add_edge(head + 1, v + 1, sign * integer_weight(arc.head, arc.dependent, edge));
    else
      graph.add_edge(head + 1, v + 1, weight);
    candidate_of_edge_.push_back(candidate);
  };
  for (std::int32_t v = 0; v < kernel_.nodes(); ++v) {
    Node ground = kernel_.ground(v);
    add(kernel_.parent(v), v, solution_.weight[at(ground)], {solution_.head[at(ground)], ground},
        solution_.edge.empty() ? kNoEdge : solution_.edge[at(ground)], -1);
    for (auto option = kernel_.options_begin(v); option != kernel_.options_end(v); ++option) {
      const Candidate& edge = candidates_[option->candidate];
      add(option->head, v, edge.weight, {edge.head, edge.dependent}, edge.edge,
          static_cast<std::int64_t>(option->candidate));
    }
  }
  // No choice at all: one node that hangs from the root stands for the best tree.
  if (kernel_.nodes() == 0)
    add(Kernel::kRoot, 0, solution_.weight[1], {solution_.head[1], 1},
        solution_.edge.empty() ? kNoEdge : solution_.edge[1], -1);
  if (kernel_.root_child() != Kernel::kRoot)
    enumeration_.emplace(paper::KBestDep(graph));
  else
    enumeration_.emplace(paper::KBest(graph));
}

// Appends to replacements_ what makes a tree of the kernel out of the best one.
void Pipeline::translate(const Tree& kernel_tree) {
  for (std::size_t v = 1; v < kernel_tree.edges.size(); ++v) {
    std::int64_t candidate = candidate_of_edge_[at(kernel_tree.edges[v])];
    if (candidate >= 0) replacements_.push_back(static_cast<std::uint32_t>(candidate));
  }
}

bool Pipeline::next(double above, double up_to, TreeList& trees) {
  replacements_.clear();
  double reference = rank(replacements_, 0, 0).score;
  while (auto tree = enumeration_->next()) {
    replacements_.clear();
    translate(*tree);
    Ranked ranked = rank(replacements_, 0, static_cast<std::uint32_t>(replacements_.size()));
    double gap = reference - ranked.score;
    if (gap > up_to + slack(up_to)) return false;
    if (!(gap > above && gap <= up_to)) continue;
    append(replacements_, ranked, trees);
    return true;
  }
  return false;
}

std::int64_t Pipeline::integer_weight(Node head, Node dependent, EdgeId edge) const {
  return graph_->dense() ? graph_->dense()->at<std::int64_t>(head, dependent)
                         : graph_->multigraph()->integer_weight(edge);
}

// The reported score: a plain sum over nodes 1..N. What comes before the first replacement is
// shared by all trees.
Pipeline::Ranked Pipeline::rank(const std::vector<std::uint32_t>& replacements, std::uint32_t begin,
                                std::uint32_t end) {
  Ranked ranked{0.0, 0, begin, end};
  std::size_t nodes = solution_.weight.size();
  std::size_t first = nodes;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Candidate& edge = candidates_[replacements[i]];
    first = std::min(first, at(edge.dependent));
    weights_[at(edge.dependent)] = edge.weight;
    if (integral())
      ranked.integer_score +=
          integer_weight(edge.head, edge.dependent, edge.edge) -
          integer_weight(solution_.head[at(edge.dependent)], edge.dependent,
                         solution_.edge.empty() ? kNoEdge : solution_.edge[at(edge.dependent)]);
  }
  double sum = prefix_[first - 1];
  for (std::size_t v = first; v < nodes; ++v) sum += weights_[v];
  ranked.score = sum;
  for (std::uint32_t i = begin; i < end; ++i) {
    auto dependent = at(candidates_[replacements[i]].dependent);
    weights_[dependent] = solution_.weight[dependent];
  }
  if (integral()) {
    std::int64_t sign = options_->objective == Objective::minimize ? -1 : 1;
    ranked.integer_score = sign * (ranked.integer_score + best_integer_score_);
    ranked.score = static_cast<double>(ranked.integer_score);
  }
  return ranked;
}

// The trees of ranked_ in order: at most k, gaps in (above, up_to].
void Pipeline::write(const std::vector<std::uint32_t>& replacements, std::int64_t k, double above,
                     double up_to, TreeList& trees) {
  std::stable_sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) {
    return a.score > b.score || (a.score == b.score && a.integer_score > b.integer_score);
  });
  // The best tree is where gaps are measured from; of a stream, where they were in the last call.
  double reference = above == -kInfinity && !ranked_.empty() ? ranked_.front().score
                                                             : rank(replacements, 0, 0).score;
  for (const Ranked& tree : ranked_) {
    if (k == 0) break;
    double gap = reference - tree.score;
    if (!(gap > above && gap <= up_to)) continue;
    append(replacements, tree, trees);
    --k;
  }
}

void Pipeline::append(const std::vector<std::uint32_t>& replacements, const Ranked& tree,
                      TreeList& trees) {
  bool minimize = options_->objective == Objective::minimize;
  auto row = trees.append(minimize ? 0.0 - tree.score : tree.score,
                          minimize ? -tree.integer_score : tree.integer_score);
  std::copy(solution_.head.begin(), solution_.head.end(), row.heads.begin());
  if (!row.edges.empty())
    std::copy(solution_.edge.begin(), solution_.edge.end(), row.edges.begin());
  for (std::uint32_t i = tree.begin; i < tree.end; ++i) {
    const Candidate& edge = candidates_[replacements[i]];
    row.heads[at(edge.dependent)] = edge.head;
    if (!row.edges.empty()) row.edges[at(edge.dependent)] = edge.edge;
  }
}

}  // namespace coppice::engine
