#include "engine/numbers/tree_score.hpp"

#include <numeric>

namespace coppice::engine {

TreeScore::TreeScore(std::span<const double> weights) {
  TreeScore all;  // nothing else can be where its members are
  for (double weight : weights) all.add(weight);
  *this = all;
  if (is_exact()) return;
  ExactSum sum;
  for (double weight : weights) sum.add(weight);
  high_ = sum.value();
  sum.add(-high_);
  low_ = sum.value();
}

TreeScore::TreeScore(std::span<const std::int64_t> weights)
    : integer_(std::accumulate(weights.begin(), weights.end(), std::int64_t{0})), integral_(true) {}

TreeScore::TreeScore(Graph graph, std::span<const Node> heads, std::span<const EdgeId> edges) {
  with_weights(graph, [&](auto weight) {
    std::vector<decltype(weight(0, 1, kNoEdge))> weights;
    read_weights(weight, heads, edges, weights);
    *this = TreeScore(std::span<const decltype(weight(0, 1, kNoEdge))>(weights));
  });
}

}  // namespace coppice::engine
