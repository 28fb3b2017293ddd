#include <coppice/distribution.hpp>
#include <coppice/error.hpp>
#include <coppice/verify.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <variant>

#include "distribution/distinct.hpp"
#include "distribution/marginals.hpp"
#include "distribution/potentials.hpp"
#include "distribution/unfolding.hpp"
#include "distribution/wilson.hpp"
#include "graph/constraints.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {
namespace {

using namespace distribution;  // NOLINT: the parts of this very room

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using AnyUnfolding = std::variant<Unfolding<double>, Unfolding<Wide>, Unfolding<Deep>>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The weights of the arcs that are allowed, to report scores from. Parallel edges are one arc: log
// of the sum of exp(weight).
class OwnScores {
 public:
  OwnScores(Graph graph, const Which& which) {
    if (which.objective == Objective::minimize)
      throw Error(ErrorCode::bad_argument, "costs to be minimised are no log-potentials");
    if (!which.rules.empty())
      throw Error(ErrorCode::bad_argument, "there is no distribution of the trees that obey rules");
    Constraints constraints;
    constraints.load(graph, which);
    if (graph.dense() != nullptr)
      take(*graph.dense(), constraints);
    else
      take(*graph.multigraph(), constraints);
  }

  const Matrix<double>& weights() const { return weights_; }
  bool integers() const { return !integers_.empty(); }
  // How much more likely an edge is than the arc it belongs to: 0 or less, and 0 in a matrix.
  double log_share(EdgeId edge, Node head, Node dependent) const {
    if (edge_weights_.empty()) return 0.0;
    if (edge < 0 || at(edge) >= edge_weights_.size())
      throw Error(ErrorCode::bad_tree, "edge of " + std::to_string(dependent) + " is " +
                                           std::to_string(edge) + ", not an edge 0.." +
                                           std::to_string(edge_weights_.size() - 1));
    return edge_weights_[at(edge)] - weights_(head, dependent);
  }
  DenseView view() const {
    return integers() ? DenseView::dependent_head(integers_.data(), weights_.rows())
                      : DenseView::dependent_head(weights_.data(), weights_.rows());
  }

  void append(const Heads& heads, TreeList& trees) const {
    auto row = TreeBuilder(trees).append(score(view(), heads),
                                         integers() ? integer_score(view(), heads) : 0);
    std::copy(heads.begin(), heads.end(), row.heads.begin());
  }

 private:
  void take(const DenseView& view, const Constraints& constraints) {
    weights_ = read_weights(view);
    if (!constraints.empty())
      for (Node d = 1; d < view.nodes(); ++d)
        for (Node h = 0; h < view.nodes(); ++h)
          if (h != d && !constraints.allows(h, d, kNoEdge)) weights_(h, d) = kNoWeight;
    if (view.scalar() != Scalar::int64) return;
    integers_.resize(at(weights_.size()));
    for (Node d = 1; d < view.nodes(); ++d)
      for (Node h = 0; h < view.nodes(); ++h)
        if (h != d) integers_[at(d * weights_.rows() + h)] = view.at<std::int64_t>(h, d);
  }

  void take(const Multigraph& graph, const Constraints& constraints) {
    Matrix<double> sums = Matrix<double>::Constant(graph.nodes(), graph.nodes(), kNoWeight);
    edge_weights_.assign(at(graph.edges()), kNoWeight);
    for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
      Node head = graph.source(edge), dependent = graph.target(edge);
      if (head == dependent || dependent == 0 || graph.weight(edge) == kNoWeight ||
          !constraints.allows(head, dependent, edge))
        continue;
      edge_weights_[at(edge)] = graph.weight(edge);
      sums(head, dependent) = log_sum_exp(sums(head, dependent), graph.weight(edge));
    }
    weights_ = read_weights(DenseView::dependent_head(sums.data(), graph.nodes()));
  }

  Matrix<double> weights_;
  std::vector<double> edge_weights_;    // multigraphs only
  std::vector<std::int64_t> integers_;  // int64 weights only
};

}  // namespace

class TreeDistribution::Impl {
 public:
  Impl(Graph graph, const Which& which)
      : scores_(graph, which),
        graph_(make_potentials(scores_.weights(), which.root)),
        rule_(which.root) {
    if (graph_.empty) return;
    auto unfold = [&]<class T>() -> std::optional<AnyUnfolding> {
      auto unfolding =
          Unfolding<T>::of(weights_of<T>(graph_)(graph_.order, graph_.order), graph_.single);
      return unfolding ? std::optional<AnyUnfolding>(*std::move(unfolding)) : std::nullopt;
    };
    unfolding_ = in_any_range(graph_.log_weights, unfold);
    log_partition_ = std::visit([](const auto& known) { return known.log_sum(); }, *unfolding_);
    log_partition_.add(graph_.shift);
  }

  const Potentials& graph() const { return graph_; }
  const OwnScores& scores() const { return scores_; }
  RootRule rule() const { return rule_; }
  Node nodes() const { return static_cast<Node>(graph_.log_weights.cols()); }
  double log_partition() const { return graph_.empty ? kNoWeight : log_partition_.value(); }

  const RowMajor& marginals() {
    std::call_once(marginals_once_, [this] {
      if (graph_.empty)
        marginals_ = RowMajor::Zero(nodes(), nodes());
      else
        marginals_ = distribution::marginals(graph_);
    });
    return marginals_;
  }

  // With respect to the weight of each word's likeliest head, so that large numbers do not cancel.
  double entropy() {
    if (graph_.empty) return 0.0;
    const RowMajor& probability = marginals();
    ExactSum entropy = log_partition_;
    double mean = 0.0;
    for (Index d = 1; d < nodes(); ++d) {
      Index likeliest;
      probability.col(d).maxCoeff(&likeliest);
      const auto weights = scores_.weights().col(d);
      entropy.add(-weights(likeliest));
      for (Index h = 0; h < nodes(); ++h)
        if (probability(h, d) > 0.0) mean += probability(h, d) * (weights(h) - weights(likeliest));
    }
    entropy.add(-mean);
    return std::max(0.0, entropy.value());
  }

  // edges: where there are any, those of the tree.
  double log_prob(std::span<const Node> heads, std::span<const EdgeId> edges = {}) const {
    check_heads(heads);
    if (graph_.empty || !is_tree(heads) || !obeys(heads, rule_)) return kNoWeight;
    ExactSum log_prob;
    for (Index word = 1; word < nodes(); ++word) {
      double weight = scores_.weights()(heads[at(word)], word);
      if (weight == kNoWeight) return kNoWeight;
      log_prob.add(weight);
      if (edges.empty()) continue;
      double share = scores_.log_share(edges[at(word)], heads[at(word)], static_cast<Node>(word));
      if (share == kNoWeight) return kNoWeight;
      log_prob.add(share);
    }
    log_prob.subtract(log_partition_);
    return std::min(0.0, log_prob.value());
  }

  double expected_correct(std::span<const Node> heads) {
    check_heads(heads);
    double sum = 0.0;
    for (Index word = 1; word < nodes(); ++word) sum += marginals()(heads[at(word)], word);
    return sum;
  }

  TreeList empty_list() const {
    TreeList trees;
    TreeBuilder(trees).reset(nodes(), false, scores_.integers());
    return trees;
  }

  // Draws trees one after the other.
  class Sampler {
   public:
    Sampler(Impl& impl, std::uint64_t seed) : impl_(impl), random_(seed) {
      std::call_once(impl.wilson_once_, [&impl] { impl.wilson_.emplace(impl.graph_); });
    }

    Random& random() { return random_; }

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
      const auto& order = impl_.graph_.order;
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
      throw Error(ErrorCode::bad_tree, "heads has " + std::to_string(heads.size()) +
                                           " entries, need " + std::to_string(nodes()));
    for (Node word = 1; word < nodes(); ++word)
      if (heads[at(word)] < 0 || heads[at(word)] >= nodes())
        throw Error(ErrorCode::bad_tree, "head of " + std::to_string(word) + " is " +
                                             std::to_string(heads[at(word)]) + ", not a node 0.." +
                                             std::to_string(nodes() - 1));
  }

  OwnScores scores_;
  Potentials graph_;
  RootRule rule_;
  std::optional<AnyUnfolding> unfolding_;  // none for a graph without a tree
  ExactSum log_partition_;
  std::once_flag marginals_once_, wilson_once_;
  RowMajor marginals_;
  std::optional<Wilson> wilson_;
};

TreeDistribution::TreeDistribution(Graph graph, const Which& which)
    : impl_(std::make_shared<Impl>(graph, which)) {}

Node TreeDistribution::nodes() const { return impl_->nodes(); }
RootRule TreeDistribution::root() const { return impl_->rule(); }
bool TreeDistribution::empty() const { return impl_->graph().empty; }
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

std::optional<RiskTree> TreeDistribution::min_risk() const {
  if (empty()) return std::nullopt;
  // An arc that is merely too unlikely for float64 still is an arc.
  RowMajor gain = impl_->marginals();
  for (Index h = 0; h < nodes(); ++h)
    for (Index d = 1; d < nodes(); ++d)
      if (impl_->scores().weights()(h, d) == kNoWeight) gain(h, d) = kNoWeight;
  auto found = best(DenseView::head_dependent(gain.data(), nodes()), {.root = root()});
  if (!found) return std::nullopt;
  TreeList tree = impl_->empty_list();
  impl_->scores().append(found->heads, tree);
  return RiskTree{tree[0].copy(), expected_correct(found->heads)};
}

TreeList TreeDistribution::sample(std::size_t count, std::uint64_t seed) const {
  TreeList trees = impl_->empty_list();
  if (empty()) return trees;
  Impl::Sampler sampler(*impl_, seed);
  for (std::size_t i = 0; i < count; ++i) impl_->scores().append(sampler.next(), trees);
  return trees;
}

// Samples with replacement, less those that came before, are samples without replacement. Once the
// trees drawn have half of the mass, it is time to draw from what they leave. Weights so large that
// their own rounding exceeds 1 do not tell the mass; that the same trees come again and again does.
TreeList TreeDistribution::sample_distinct(std::size_t count, std::uint64_t seed) const {
  TreeList trees = impl_->empty_list();
  if (empty()) return trees;
  Impl::Sampler sampler(*impl_, seed);
  std::set<Heads> drawn;
  double mass = 0.0;
  constexpr int kMostRepeats = 64;  // in a row, for which the odds are below 2^-64
  int repeats = 0;
  while (trees.size() < count && mass < 0.5 && repeats < kMostRepeats) {
    Heads heads = sampler.next();
    if (!drawn.insert(heads).second) {
      ++repeats;
      continue;
    }
    repeats = 0;
    mass += std::exp(impl_->log_prob(heads));
    impl_->scores().append(heads, trees);
  }
  if (trees.size() == count) return trees;
  const Potentials graph = make_potentials(impl_->scores().weights(), root(), true);
  Remainder remainder(graph);
  for (const Heads& heads : drawn) remainder.remove(heads);
  while (trees.size() < count) {
    auto heads = remainder.draw(sampler.random());
    if (!heads) break;
    impl_->scores().append(*heads, trees);
  }
  return trees;
}

}  // namespace coppice
