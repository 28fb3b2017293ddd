#include <coppice/distribution.hpp>
#include <coppice/error.hpp>
#include <coppice/verify.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <variant>

#include "distribution/arc_weights.hpp"
#include "distribution/distinct.hpp"
#include "distribution/marginals.hpp"
#include "distribution/mean.hpp"
#include "distribution/potentials.hpp"
#include "distribution/solver.hpp"
#include "distribution/unfolding.hpp"
#include "distribution/wilson.hpp"
#include "graph/phrases.hpp"
#include "graph/poll.hpp"

namespace coppice {
namespace {

using namespace distribution;  // NOLINT: the parts of this very room

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using AnyUnfolding = std::variant<Unfolding<double>, Unfolding<Wide>, Unfolding<Deep>>;

}  // namespace

class TreeDistribution::Impl {
 public:
  Impl(Graph graph, const Problem& problem) : scores_(graph, problem), rule_(problem.root) {
    Solver::Task task{.scores = scores_.view(), .rest = scores_.rest()};
    WarmSolver()->solve({&task, 1}, rule_);
    log_partition_ = task.log_partition;
  }

  const ArcWeights& scores() const { return scores_; }
  RootRule rule() const { return rule_; }
  Node nodes() const { return scores_.nodes(); }
  bool empty() const { return !log_partition_.has_value(); }
  double log_partition() const { return empty() ? kNoWeight : log_partition_->value(); }

  const RowMajor& marginals() {
    describe();
    return marginals_;
  }
  double entropy() {
    describe();
    return entropy_;
  }

  // edges: where there are any, those of the tree.
  double log_prob(std::span<const Node> heads, std::span<const EdgeId> edges = {}) const {
    check_heads(heads);
    if (empty() || !is_tree(heads) || !obeys(heads, rule_)) return kNoWeight;
    ExactSum log_prob;
    for (Index word = 1; word < nodes(); ++word) {
      double weight = scores_.weights()(heads[at(word)], word);
      if (weight == kNoWeight) return kNoWeight;
      log_prob.add(weight);
      log_prob.add(scores_.rest(heads[at(word)], static_cast<Node>(word)));
      if (edges.empty()) continue;
      double share = scores_.log_share(edges[at(word)], heads[at(word)], static_cast<Node>(word));
      if (share == kNoWeight) return kNoWeight;
      log_prob.add(share);
    }
    log_prob.subtract(*log_partition_);
    return std::min(0.0, log_prob.value());
  }

  const std::optional<ExactSum>& exact_log_partition() const { return log_partition_; }

  void check_same_size(const Impl& other) const {
    if (nodes() != other.nodes())
      throw Error(ErrorCode::bad_argument, "a distribution over trees of " +
                                               counted(nodes() - 1, "word") + " and one of " +
                                               std::to_string(other.nodes() - 1));
  }

  // As add_mean(), of the score under this distribution.
  bool add_mean_score(ExactSum& sum, const RowMajor& probability, double sign) const {
    if (scores_.rest() != nullptr) add_mean(sum, probability, *scores_.rest(), sign);
    return add_mean(sum, probability, scores_.weights(), sign);
  }

  // Whether no tree breaks the rule: one root edge is expected.
  bool within(RootRule rule) {
    if (rule == RootRule::any || rule_ == RootRule::single) return true;
    return marginals().row(0).sum() < 1.0 + 1e-12 * static_cast<double>(nodes());
  }

  // Of the arcs that there are; 0 for all others.
  Matrix<double> values_of(std::span<const double> values) const {
    if (values.size() != at(nodes()) * at(nodes()))
      throw Error(ErrorCode::bad_argument,
                  "values has " + counted(values.size(), "entry", "entries") + ", need " +
                      std::to_string(nodes()) + " x " + std::to_string(nodes()));
    Matrix<double> result = Eigen::Map<const RowMajor>(values.data(), nodes(), nodes());
    return (scores_.weights().array() == kNoWeight).select(0.0, result);
  }

  double expected_correct(std::span<const Node> heads) {
    check_heads(heads);
    double sum = 0.0;
    for (Index word = 1; word < nodes(); ++word) sum += marginals()(heads[at(word)], word);
    return sum;
  }

  // Draws trees one after the other.
  class Sampler {
   public:
    Sampler(Impl& impl, std::uint64_t seed) : impl_(impl), random_(seed) {
      std::call_once(impl.sampling_once_, [&impl] { impl.prepare_sampling(); });
    }

    Random& random() { return random_; }

    void draw_edges(Tree& tree) {
      if (!impl_.scores_.has_edges()) return;
      tree.edges.assign(tree.heads.size(), kNoEdge);
      for (Node word = 1; word < impl_.nodes(); ++word)
        tree.edges[at(word)] = impl_.scores_.draw_edge(tree.heads[at(word)], word, random_);
    }
    void append(const Heads& heads, TreeList& trees) {
      Tree tree{heads, {}};
      draw_edges(tree);
      impl_.scores_.append(tree.heads, tree.edges, trees);
    }

    Heads next() {
      Heads heads(at(impl_.nodes()), kNoNode);
      // Not again where walks were too long most of the time.
      if (given_up_ < kPatience + walks_ / 4) {
        ++walks_;
        if (impl_.wilson_->sample(random_, heads)) return heads;
        ++given_up_;
      }
      Heads ordered(heads.size(), kNoNode);
      std::visit([&](const auto& unfolding) { unfolding.sample(random_, ordered); },
                 *impl_.unfolding_);
      const auto& order = impl_.order_;
      for (std::size_t i = 1; i < ordered.size(); ++i) heads[at(order[i])] = order[at(ordered[i])];
      return heads;
    }

   private:
    static constexpr std::int64_t kPatience = 8;
    Impl& impl_;
    Random random_;
    std::int64_t walks_ = 0, given_up_ = 0;
  };

 private:
  void check_heads(std::span<const Node> heads) const {
    if (heads.size() != at(nodes()))
      throw Error(ErrorCode::bad_tree, "heads has " + counted(heads.size(), "entry", "entries") +
                                           ", need " + std::to_string(nodes()));
    for (Node word = 1; word < nodes(); ++word)
      if (heads[at(word)] < 0 || heads[at(word)] >= nodes())
        throw Error(ErrorCode::bad_tree, "head of " + std::to_string(word) + " is " +
                                             std::to_string(heads[at(word)]) + ", not a node 0.." +
                                             std::to_string(nodes() - 1));
  }

  void describe() {
    std::call_once(description_once_, [this] {
      marginals_.resize(nodes(), nodes());
      Solver::Task task{scores_.view(), marginals_.data(), at(nodes()), scores_.rest()};
      WarmSolver()->solve({&task, 1}, rule_);
      entropy_ = task.entropy;
    });
  }

  void prepare_sampling() {
    const Potentials graph = make_potentials(scores_.weights(), rule_, false, scores_.rest());
    wilson_.emplace(graph);
    order_ = graph.order;
    auto unfold = [&]<class T>() -> std::optional<AnyUnfolding> {
      auto unfolding =
          Unfolding<T>::of(weights_of<T>(graph)(graph.order, graph.order), graph.single);
      return unfolding ? std::optional<AnyUnfolding>(*std::move(unfolding)) : std::nullopt;
    };
    unfolding_ = in_any_range(graph.log_weights, unfold);
  }

  ArcWeights scores_;
  RootRule rule_;
  std::optional<ExactSum> log_partition_;  // none for a graph without a tree
  std::once_flag description_once_, sampling_once_;
  RowMajor marginals_;
  double entropy_ = 0.0;
  std::optional<Wilson> wilson_;
  std::optional<AnyUnfolding> unfolding_;
  std::vector<Node> order_;  // of the words in unfolding_
};

TreeDistribution::TreeDistribution(Graph graph, const Problem& problem)
    : impl_(std::make_shared<Impl>(graph, problem)) {}

Node TreeDistribution::nodes() const { return impl_->nodes(); }
RootRule TreeDistribution::root() const { return impl_->rule(); }
bool TreeDistribution::empty() const { return impl_->empty(); }
double TreeDistribution::log_partition() const { return impl_->log_partition(); }
double TreeDistribution::entropy() const { return impl_->entropy(); }

std::span<const double> TreeDistribution::marginals() const {
  const RowMajor& probability = impl_->marginals();
  return {probability.data(), at(probability.size())};
}

double TreeDistribution::marginal(Node head, Node dependent) const {
  for (Node node : {head, dependent})
    if (node < 0 || node >= nodes())
      throw Error(ErrorCode::bad_tree, "arc " + std::to_string(head) + " -> " +
                                           std::to_string(dependent) + ": " + std::to_string(node) +
                                           " is not a node 0.." + std::to_string(nodes() - 1));
  return impl_->marginals()(head, dependent);
}

double TreeDistribution::log_prob(std::span<const Node> heads) const {
  return impl_->log_prob(heads);
}

double TreeDistribution::log_prob(const Tree& tree) const {
  return impl_->log_prob(tree.heads, tree.edges);
}

std::vector<double> TreeDistribution::log_probs(const TreeList& trees) const {
  std::vector<double> result(trees.size());
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    result[rank] = impl_->log_prob(trees.heads(rank), trees.edges(rank));
  return result;
}

double TreeDistribution::mass(const TreeList& trees) const {
  double sum = 0.0;
  for (double log_prob : log_probs(trees)) sum += std::exp(log_prob);
  return std::min(sum, 1.0);
}

double TreeDistribution::expected_correct(std::span<const Node> heads) const {
  return impl_->expected_correct(heads);
}

double TreeDistribution::cross_entropy(const TreeDistribution& other) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  impl_->check_same_size(*other.impl_);
  if (empty()) return 0.0;
  if (other.empty() || !impl_->within(other.root())) return kInfinity;
  ExactSum sum = *other.impl_->exact_log_partition();
  if (!other.impl_->add_mean_score(sum, impl_->marginals(), -1.0)) return kInfinity;
  return std::max(0.0, sum.value());
}

double TreeDistribution::kl(const TreeDistribution& other) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (cross_entropy(other) == kInfinity) return kInfinity;
  if (empty()) return 0.0;
  ExactSum sum = *other.impl_->exact_log_partition();
  sum.subtract(*impl_->exact_log_partition());
  impl_->add_mean_score(sum, impl_->marginals(), 1.0);
  other.impl_->add_mean_score(sum, impl_->marginals(), -1.0);
  return std::max(0.0, sum.value());
}

double TreeDistribution::renyi_entropy(double order) const {
  if (!(order >= 0.0))
    throw Error(ErrorCode::bad_argument,
                "order is " + std::to_string(order) + ", must be at least 0");
  if (empty()) return 0.0;
  if (order == 1.0) return entropy();
  const Matrix<double>& weights = impl_->scores().weights();
  if (std::isinf(order)) {
    auto found = coppice::best(impl_->scores().view(), {.root = root()});
    return -log_prob(found->heads);
  }
  // Missing edges are missing at order 0, too.
  Matrix<double> scaled =
      (weights.array() == kNoWeight).select(kNoWeight, (order * weights.array()).matrix());
  Solver::Task task{DenseView::dependent_head(scaled.data(), nodes())};
  WarmSolver()->solve({&task, 1}, root());
  ExactSum sum = *task.log_partition;
  sum.add(-order * log_partition());
  return std::max(0.0, sum.value() / (1.0 - order));
}

double TreeDistribution::expectation(std::span<const double> values) const {
  if (empty()) return 0.0;
  ExactSum sum;
  add_mean(sum, impl_->marginals(), impl_->values_of(values), 1.0);
  return sum.value();
}

std::vector<double> TreeDistribution::covariances(std::span<const double> values) const {
  Matrix<double> centred = impl_->values_of(values);
  std::vector<double> result(values.size(), 0.0);
  if (empty()) return result;
  const RowMajor& probability = impl_->marginals();
  for (Index d = 1; d < nodes(); ++d) {
    Index likeliest;
    probability.col(d).maxCoeff(&likeliest);
    centred.col(d).array() -= centred(likeliest, d);  // every tree has one arc into each word
  }
  const Potentials graph =
      make_potentials(impl_->scores().weights(), root(), false, impl_->scores().rest());
  Eigen::Map<RowMajor>(result.data(), nodes(), nodes()) = distribution::covariances(graph, centred);
  return result;
}

double TreeDistribution::covariance(std::span<const double> values,
                                    std::span<const double> others) const {
  const std::vector<double> with_arcs = covariances(values);
  const Matrix<double> other = impl_->values_of(others);
  const RowMajor& probability = impl_->marginals();
  double sum = 0.0;
  for (Index d = 1; d < nodes(); ++d) {
    Index likeliest;
    probability.col(d).maxCoeff(&likeliest);
    for (Index h = 0; h < nodes(); ++h)
      if (probability(h, d) > 0.0)
        sum += with_arcs[at(h * nodes() + d)] * (other(h, d) - other(likeliest, d));
  }
  return sum;
}

double TreeDistribution::variance(std::span<const double> values) const {
  return std::max(0.0, covariance(values, values));
}

std::vector<double> TreeDistribution::edge_marginals() const {
  std::vector<double> result(at(impl_->scores().edges()), 0.0);
  const RowMajor& probability = impl_->marginals();
  impl_->scores().for_each_edge([&](EdgeId edge, Node head, Node dependent, double share) {
    result[at(edge)] = probability(head, dependent) * share;
  });
  return result;
}

std::optional<RiskTree> TreeDistribution::min_risk(RiskUnit what) const {
  if (empty()) return std::nullopt;
  const ArcWeights& scores = impl_->scores();
  // An arc that is merely too unlikely for float64 still is an arc.
  RowMajor gain = impl_->marginals();
  for (Node h = 0; h < nodes(); ++h)
    for (Node d = 1; d < nodes(); ++d)
      if (scores.weights()(h, d) == kNoWeight)
        gain(h, d) = kNoWeight;
      else if (what == RiskUnit::edge && scores.has_edges())
        gain(h, d) *= std::exp(scores.log_share(scores.likeliest_edge(h, d), h, d));
  auto found = best(DenseView::head_dependent(gain.data(), nodes()), {.root = root()});
  if (!found) return std::nullopt;
  double expected = 0.0;
  for (Node d = 1; d < nodes(); ++d) expected += gain(found->heads[at(d)], d);
  if (scores.has_edges()) {
    found->edges.assign(at(nodes()), kNoEdge);
    for (Node d = 1; d < nodes(); ++d)
      found->edges[at(d)] = scores.likeliest_edge(found->heads[at(d)], d);
  }
  TreeList tree = scores.empty_list();
  scores.append(found->heads, found->edges, tree);
  return RiskTree{tree[0].copy(), expected};
}

TreeList TreeDistribution::sample(std::size_t count, std::uint64_t seed) const {
  TreeList trees = impl_->scores().empty_list();
  if (empty()) return trees;
  Impl::Sampler sampler(*impl_, seed);
  for (std::size_t i = 0; i < count; ++i) {
    poll();
    sampler.append(sampler.next(), trees);
  }
  return trees;
}

double TreeDistribution::Accepted::rate() const {
  return drawn == 0 ? 0.0 : static_cast<double>(trees.size()) / static_cast<double>(drawn);
}

double TreeDistribution::Accepted::standard_error() const {
  return drawn == 0 ? 1.0 : std::sqrt(rate() * (1.0 - rate()) / static_cast<double>(drawn));
}

TreeDistribution::Accepted TreeDistribution::sample_where(
    const std::function<bool(const TreeRef& tree)>& accept, std::size_t count,
    std::size_t most_draws, std::uint64_t seed) const {
  Accepted result{impl_->scores().empty_list()};
  if (empty()) return result;
  Impl::Sampler sampler(*impl_, seed);
  while (result.trees.size() < count && result.drawn < most_draws) {
    poll();
    Tree tree{sampler.next(), {}};
    sampler.draw_edges(tree);
    ++result.drawn;
    if (accept({tree.heads, tree.edges}))
      impl_->scores().append(tree.heads, tree.edges, result.trees);
  }
  return result;
}

TreeDistribution::Accepted TreeDistribution::sample_legal(Graph graph, std::span<const Rule> rules,
                                                          std::size_t count, std::size_t most_draws,
                                                          std::uint64_t seed) const {
  if (graph.nodes() != nodes() ||
      (graph.multigraph() != nullptr ? graph.multigraph()->edges() : 0) != impl_->scores().edges())
    throw Error(ErrorCode::bad_graph, "the rules are to be told of another graph");
  std::vector<Rule::Judge> judges;
  for (const Rule& rule : rules) judges.push_back(rule.prepare(graph));
  Clause broken;
  auto legal = [&](const TreeRef& tree) {
    return std::ranges::none_of(judges, [&](const auto& judge) { return judge(tree, broken); });
  };
  return sample_where(legal, count, most_draws, seed);
}

// Samples with replacement, less those that came before, are samples without replacement. Once the
// trees drawn have half of the mass, it is time to draw from what they leave. Weights so large that
// their own rounding exceeds 1 do not tell the mass; that the same trees come again and again does.
TreeList TreeDistribution::sample_distinct(std::size_t count, std::uint64_t seed) const {
  TreeList trees = impl_->scores().empty_list();
  if (empty()) return trees;
  Impl::Sampler sampler(*impl_, seed);
  std::set<Heads> drawn;
  double mass = 0.0;
  constexpr int kMostRepeats = 64;  // in a row, for which the odds are below 2^-64
  int repeats = 0;
  while (trees.size() < count && mass < 0.5 && repeats < kMostRepeats) {
    poll();
    Heads heads = sampler.next();
    if (!drawn.insert(heads).second) {
      ++repeats;
      continue;
    }
    repeats = 0;
    mass += std::exp(impl_->log_prob(heads));
    sampler.append(heads, trees);
  }
  if (trees.size() == count) return trees;
  const Potentials graph =
      make_potentials(impl_->scores().weights(), root(), true, impl_->scores().rest());
  Remainder remainder(graph);
  for (const Heads& heads : drawn) remainder.remove(heads);
  while (trees.size() < count) {
    poll();
    auto heads = remainder.draw(sampler.random());
    if (!heads) break;
    sampler.append(*heads, trees);
  }
  return trees;
}

}  // namespace coppice
