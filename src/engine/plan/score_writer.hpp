// From the trees found to the list that the caller gets.
#pragma once

#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "engine/numbers/tree_score.hpp"
#include "engine/solve/tree_edits.hpp"
#include "engine/tuning.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::engine {

class ScoreWriter {
 public:
  explicit ScoreWriter(const Tuning& tuning) : tuning_(tuning) {}

  void start(Graph graph, Objective objective);
  // Trees are edits of this one from now on. Its heads and edges must stay where they are.
  void rebase(std::span<const Node> heads, std::span<const EdgeId> edges);

  // The same for write_best() alone, where its weights are known as they are to be maximised.
  void rebase(std::span<const Node> heads, std::span<const double> weights);

  bool starts_with(const Edit& edge) const {
    const auto v = place_of(edge.node);
    return heads_[v] == edge.head && (edges_.empty() || edges_[v] == edge.edge);
  }

  void write_best(TreeList& trees) const;
  // All of them, in order, behind those written since start(). Of trees whose order was decided by
  // roundings, the later one gets no better score than the one before it.
  void write_next(const TreeEdits& found, TreeList& trees);

  // The score of a tree that loses so much more than the best one.
  double score_at(double loss) const {
    return best_.value_plus(objective_ == Objective::minimize ? loss : -loss);
  }

 private:
  template <class T>
  std::vector<T>& weights() {
    return std::get<std::vector<T>>(weights_);
  }
  template <class Weight, class T>
  TreeScore sum_up(std::span<const Edit> edits, Weight weight, std::span<const T> before) const;

  Tuning tuning_;
  std::optional<Graph> graph_;
  Objective objective_ = Objective::maximize;
  std::span<const Node> heads_;
  std::span<const EdgeId> edges_;
  TreeScore best_;
  bool any_before_ = false;
  double score_before_ = 0.0;  // of the last tree that was written
  // Of the tree that others are edits of, in the type of the graph.
  std::tuple<std::vector<double>, std::vector<std::int64_t>> weights_;
};

}  // namespace coppice::engine
