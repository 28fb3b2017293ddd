#include "distribution/wilson.hpp"
#include "graph/poll.hpp"

#include <algorithm>
#include <cmath>
#include <coppice/verify.hpp>
#include <numeric>

namespace coppice::distribution {
namespace {

// Steps per word after which undoing an elimination is cheaper than walking on.
constexpr long kStepsPerWord = 32;

// The factor (its logarithm) for the root edges: with a(d) = weight of the root edge of d / sum of
// the other weights into d, it makes the a(d) add up to 1. Larger ones give many trees with several
// root edges, smaller ones long walks.
double log_root_factor(const Matrix<double>& log_weights) {
  double sum = kNoWeight;
  for (Index d = 1; d < log_weights.cols(); ++d) {
    poll();
    double words = kNoWeight;
    for (Index h = 1; h < log_weights.rows(); ++h) words = log_sum_exp(words, log_weights(h, d));
    if (words != kNoWeight) sum = log_sum_exp(sum, log_weights(0, d) - words);
  }
  return sum == kNoWeight ? 0.0 : -sum;
}

}  // namespace

Wilson::Wilson(const Potentials& graph) : first_slot_{0, 0}, single_(graph.single) {
  Index nodes = graph.log_weights.cols();
  double log_factor = single_ ? log_root_factor(graph.log_weights) : 0.0;
  std::vector<double> weights;
  std::vector<Node> heads;
  for (Index d = 1; d < nodes; ++d) {
    poll();
    Eigen::VectorXd column = graph.log_weights.col(d);
    column(0) += log_factor;
    double highest = column.maxCoeff();
    weights.clear();
    heads.clear();
    for (Index h = 0; h < nodes; ++h) {
      double weight = std::exp(column(h) - highest);
      if (weight == 0.0) continue;
      weights.push_back(weight);
      heads.push_back(static_cast<Node>(h));
    }
    add_table(weights, heads);
  }
}

// Vose's construction: slots that are not full are filled up from those that have more than one
// slot's worth.
void Wilson::add_table(std::span<const double> weights, std::span<const Node> heads) {
  std::size_t first = slots_.size(), count = weights.size();
  double scale = static_cast<double>(count) / std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::size_t> small, large;
  for (std::size_t i = 0; i < count; ++i) {
    slots_.push_back({weights[i] * scale, heads[i], heads[i]});
    (slots_.back().threshold < 1.0 ? small : large).push_back(first + i);
  }
  while (!small.empty() && !large.empty()) {
    Slot& slot = slots_[small.back()];
    Slot& donor = slots_[large.back()];
    small.pop_back();
    slot.other = donor.head;
    donor.threshold -= 1.0 - slot.threshold;
    if (donor.threshold < 1.0) {
      small.push_back(large.back());
      large.pop_back();
    }
  }
  first_slot_.push_back(slots_.size());
}

Node Wilson::draw_head(Random& random, Node dependent) const {
  auto d = static_cast<std::size_t>(dependent);
  std::size_t first = first_slot_[d], count = first_slot_[d + 1] - first;
  double at = random.uniform() * static_cast<double>(count);
  std::size_t slot = std::min(static_cast<std::size_t>(at), count - 1);
  const Slot& chosen = slots_[first + slot];
  return at - static_cast<double>(slot) < chosen.threshold ? chosen.head : chosen.other;
}

bool Wilson::walk(Random& random, std::span<Node> heads, std::vector<bool>& in_tree,
                  long& steps) const {
  std::fill(in_tree.begin() + 1, in_tree.end(), false);
  for (std::size_t word = 1; word < heads.size(); ++word) {
    for (std::size_t up = word; !in_tree[up]; up = static_cast<std::size_t>(heads[up])) {
      if (steps-- == 0) return false;
      heads[up] = draw_head(random, static_cast<Node>(up));
    }
    for (std::size_t up = word; !in_tree[up]; up = static_cast<std::size_t>(heads[up]))
      in_tree[up] = true;
  }
  return true;
}

bool Wilson::sample(Random& random, std::span<Node> heads) const {
  long steps = kStepsPerWord * static_cast<long>(heads.size());
  std::vector<bool> in_tree(heads.size(), true);
  while (walk(random, heads, in_tree, steps))
    if (!single_ || root_edges(heads) == 1) return true;
  return false;
}

}  // namespace coppice::distribution
