// A copy of the caller's weights, for what outlives the call.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "graph/indexed.hpp"
#include "graph/owned_facts.hpp"
#include "graph/poll.hpp"

namespace coppice {

class OwnedGraph {
 public:
  explicit OwnedGraph(Graph graph) : nodes_(graph.nodes()), scalar_(graph.scalar()) {
    if (graph.facts() != nullptr) facts_.emplace(*graph.facts());
    if (graph.multigraph() != nullptr) {
      copy_ = *graph.multigraph();
      return;
    }
    switch (scalar_) {
      case Scalar::float32:
        copy<float>(*graph.dense());
        break;
      case Scalar::float64:
        copy<double>(*graph.dense());
        break;
      case Scalar::int64:
        copy<std::int64_t>(*graph.dense());
        break;
    }
  }

  Graph get() const {
    if (auto* multigraph = std::get_if<Multigraph>(&copy_))
      return facts_ ? Graph(*multigraph, facts_->get()) : Graph(*multigraph);
    if (auto* floats = std::get_if<std::vector<float>>(&copy_)) return view(*floats);
    if (auto* doubles = std::get_if<std::vector<double>>(&copy_)) return view(*doubles);
    return view(std::get<std::vector<std::int64_t>>(copy_));
  }

 private:
  template <class T>
  void copy(const DenseView& from) {
    std::vector<T> weights;
    weights.reserve(place_of(nodes_) * place_of(nodes_));
    for (Node d = 0; d < nodes_; ++d) {
      poll();
      for (Node h = 0; h < nodes_; ++h)
        weights.push_back(d == 0 || d == h ? T{} : from.at<T>(h, d));
    }
    copy_ = std::move(weights);
  }
  template <class T>
  Graph view(const std::vector<T>& weights) const {
    const DenseView view = DenseView::dependent_head(weights.data(), nodes_);
    return facts_ ? Graph(view, facts_->get()) : Graph(view);
  }

  Node nodes_;
  Scalar scalar_;
  std::optional<OwnedFacts> facts_;
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>, Multigraph>
      copy_;
};

}  // namespace coppice
