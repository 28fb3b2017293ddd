// What rules know of a sentence, kept for Python.
#pragma once

#include <coppice/facts.hpp>
#include <coppice/graph.hpp>
#include <memory>
#include <string>
#include <vector>

#include "graph/owned_facts.hpp"

namespace coppice::python {

// Labels and words of one sentence; the package makes it.
class KeptFacts {
 public:
  KeptFacts(std::vector<std::int32_t> edge_labels, const std::vector<std::string>& label_names,
            const std::vector<std::string>& tags, const std::vector<std::string>& feats,
            const std::vector<std::string>& misc, bool added_root);

  const SentenceFacts& get() const { return facts_->get(); }
  // The same words with the labels of another graph's edges.
  SentenceFacts with_labels(std::span<const std::int32_t> edge_labels) const;

 private:
  std::unique_ptr<OwnedFacts> facts_;
};

// The graph with what is known, if anything is.
template <class Kind>
Graph known(const Kind& graph, const KeptFacts* facts) {
  return facts == nullptr ? Graph(graph) : Graph(graph, facts->get());
}

}  // namespace coppice::python
