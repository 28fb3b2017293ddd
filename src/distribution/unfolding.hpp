// Sampling by undoing the elimination: bounded work for every graph, however long random walks on
// it would be.
//
// A tree of the graph in which word v is eliminated becomes one of the graph with v as follows.
// Each edge h -> d of it stands for the direct edge or for h -> v -> d; choose by weight. Then v
// hangs from the head of the last edge through v on the way from any one of them to the root, and
// the dependents of all edges through v hang from v. Without an edge through v, it hangs from h
// with probability p(h -> v). docs/distribution.md proves that this keeps the distribution.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "distribution/elimination.hpp"
#include "distribution/random.hpp"

namespace coppice::distribution {

template <class T>
class Unfolding {
 public:
  // Of the weights of a graph that has a tree; for a single root word 1 must reach all others.
  // Nothing where T has too small a range.
  static std::optional<Unfolding> of(Matrix<T> weights, bool single) {
    Unfolding made;
    made.single_ = single;
    made.direct_ = std::move(weights);
    made.eliminated_ = made.direct_;
    if (!eliminate<T>(made.eliminated_, 0, single) ||
        !in_range(made.direct_, made.eliminated_, single))
      return std::nullopt;
    made.upwards_ = made.eliminated_.transpose();
    return made;
  }

  ExactSum log_sum() const { return distribution::log_sum(eliminated_); }
  const Matrix<T>& eliminated() const { return eliminated_; }

  // Sum over all words v > stage of w(head -> v -> dependent): what elimination of these added to
  // the edge head -> dependent.
  T through_later(Index stage, Index head, Index dependent) const {
    Index later = eliminated_.cols() - 1 - stage;
    return upwards_.col(head)
        .tail(later)
        .cwiseProduct(eliminated_.col(dependent).tail(later))
        .sum();
  }

  // heads has an entry for each node; heads[0] is not touched.
  void sample(Random& random, std::span<Node> heads) const {
    auto nodes = static_cast<Node>(direct_.cols());
    Tasks tasks(heads, static_cast<std::size_t>(nodes));
    heads[1] = 0;
    choose_route(tasks, random, 1, 1);
    for (Node v = 2; v < nodes; ++v) {
      Node dependent = tasks.through[index(v)];
      heads[index(v)] = dependent == kNoNode ? draw_head(random, v) : tasks.last_head(v);
      while (dependent != kNoNode) {
        Node next = tasks.next[index(dependent)];
        heads[index(dependent)] = v;
        choose_route(tasks, random, dependent, v);
        dependent = next;
      }
      choose_route(tasks, random, v, v);
    }
  }

 private:
  static std::size_t index(Index i) { return static_cast<std::size_t>(i); }

  // Which edges of the tree so far go through words that are still to come.
  struct Tasks {
    Tasks(std::span<Node> tree, std::size_t nodes)
        : heads(tree), route(nodes, kNoNode), through(nodes, kNoNode), next(nodes, kNoNode) {}

    void add(Node dependent, Node v) {
      route[index(dependent)] = v;
      next[index(dependent)] = through[index(v)];
      through[index(v)] = dependent;
    }

    // The head of the last edge through v on the way to the root from the lowest dependent of such
    // an edge. Any of them would do, as long as the choice does not depend on the heads (as the
    // order of the list does).
    Node last_head(Node v) const {
      Node lowest = through[index(v)];
      for (Node other = lowest; other != kNoNode; other = next[index(other)])
        lowest = std::min(lowest, other);
      Node last = kNoNode;
      for (Node up = lowest; up != 0; up = heads[index(up)])
        if (route[index(up)] == v) last = heads[index(up)];
      return last;
    }

    std::span<Node> heads;
    std::vector<Node> route;    // of each dependent, the word its edge goes through or -1
    std::vector<Node> through;  // of each word, the first dependent whose edge goes through it ...
    std::vector<Node> next;     // ... and the next one
  };

  // The edge into dependent, in the graph of the words up to stage: direct, or through which of the
  // later words first?
  void choose_route(Tasks& tasks, Random& random, Node dependent, Node stage) const {
    Node head = tasks.heads[index(dependent)];
    T sum = direct_(head, dependent);
    T target = T(random.uniform()) * (sum + through_later(stage, head, dependent));
    tasks.route[index(dependent)] = kNoNode;
    if (target < sum) return;
    Node chosen = kNoNode;
    for (Node v = stage + 1; v < direct_.cols(); ++v) {
      T weight = upwards_(v, head) * eliminated_(v, dependent);
      if (weight == T(0.0)) continue;
      chosen = v;
      sum += weight;
      if (target < sum) break;
    }
    // Nothing chosen can only be rounding at the end of the only choice.
    if (chosen != kNoNode) tasks.add(dependent, chosen);
  }

  Node draw_head(Random& random, Node v) const {
    double target = random.uniform(), sum = 0.0;
    Node chosen = kNoNode;
    for (Node h = single_ ? 1 : 0; h < v; ++h) {
      double probability = value_of(eliminated_(h, v));
      if (probability == 0.0) continue;
      chosen = h;
      sum += probability;
      if (target < sum) break;
    }
    return chosen;
  }

  Matrix<T> direct_;      // the weights as given
  Matrix<T> eliminated_;  // all words eliminated
  Matrix<T> upwards_;     // its transpose: p(h -> v) for one h and all v together
  bool single_ = false;
};

}  // namespace coppice::distribution
