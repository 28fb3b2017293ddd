#include "engine/plan/score_writer.hpp"

#include <algorithm>
#include <cstdint>

#include "graph/poll.hpp"

namespace coppice::engine {

void ScoreWriter::start(Graph graph, Objective objective) {
  graph_ = graph;
  objective_ = objective;
  any_before_ = false;
}

void ScoreWriter::rebase(std::span<const Node> heads, std::span<const EdgeId> edges) {
  heads_ = heads;
  edges_ = edges;
  with_weights(*graph_, [&](auto weight) {
    using T = decltype(weight(0, 1, kNoEdge));
    read_weights(weight, heads, edges, weights<T>());
    best_ = TreeScore(std::span<const T>(weights<T>()));
  });
}

void ScoreWriter::rebase(std::span<const Node> heads, std::span<const double> weights) {
  heads_ = heads;
  edges_ = {};
  best_ = TreeScore(weights);
  if (objective_ == Objective::minimize) best_.negate();
}

void ScoreWriter::write_best(TreeList& trees) const {
  const TreeBuilder::Row row = TreeBuilder(trees).append(best_.value(), best_.integer());
  std::ranges::copy(heads_, row.heads.begin());
  if (!row.edges.empty()) std::ranges::copy(edges_, row.edges.begin());
}

void ScoreWriter::write_next(const TreeEdits& found, TreeList& trees) {
  constexpr std::size_t kBetweenPolls = 16;
  TreeBuilder builder(trees);
  builder.start(found.size(), heads_, edges_, tuning_.long_list);
  with_weights(*graph_, [&](auto weight) {
    using T = decltype(weight(0, 1, kNoEdge));
    const std::span<const T> before = weights<T>();
    const bool minimize = objective_ == Objective::minimize;
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
      if (rank % kBetweenPolls == 0) poll();
      TreeScore sum = best_;
      for (const Edit& edit : found[rank])
        sum.swap(before[place_of(edit.node)], weight(edit.head, edit.node, edit.edge));
      if (!sum.is_exact()) sum = sum_up(found[rank], weight, before);
      double score = sum.value();
      if (any_before_)
        score = minimize ? std::max(score, score_before_) : std::min(score, score_before_);
      any_before_ = true;
      score_before_ = score;
      if (builder.keeps_changes()) {
        builder.fill(rank, score, sum.integer(), found[rank]);
        continue;
      }
      const TreeBuilder::Row row = builder.fill(rank, score, sum.integer());
      for (const Edit& edit : found[rank]) {
        row.heads[place_of(edit.node)] = edit.head;
        if (!row.edges.empty()) row.edges[place_of(edit.node)] = edit.edge;
      }
    }
  });
}

template <class Weight, class T>
TreeScore ScoreWriter::sum_up(std::span<const Edit> edits, Weight weight,
                              std::span<const T> before) const {
  std::vector<T> own(before.begin(), before.end());
  for (const Edit& edit : edits) own[place_of(edit.node)] = weight(edit.head, edit.node, edit.edge);
  return TreeScore(std::span<const T>(own));
}

}  // namespace coppice::engine
