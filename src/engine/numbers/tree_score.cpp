#include "engine/numbers/tree_score.hpp"

#include <numeric>

namespace coppice::engine {

TreeScore::TreeScore(std::span<const double> weights) {
  double high = 0.0, low = 0.0, lost = 0.0;
  for (const double weight : weights) {  // without a jump: nobody can foretell which sums round
    const Parts sum = exact_sum(high, weight), rest = exact_sum(low, sum.low);
    high = sum.high, low = rest.high;
    lost += std::abs(rest.low);
  }
  high_ = high, low_ = low, lost_ = lost;
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
