#include "gold.hpp"

namespace coppice::cli {

std::string_view universal(std::string_view label) { return label.substr(0, label.find(':')); }

Right compare_with_gold(const Decoded& decoded, std::size_t rank) {
  const io::Sentence& sentence = decoded.sentence;
  const bool labelled = !sentence.gold_labels.empty() && !sentence.edge_labels.empty();
  const auto heads = decoded.trees.heads(rank);
  Right right;
  for (std::size_t v = 1; v < heads.size(); ++v) {
    if (heads[v] != sentence.gold_heads[v - 1]) continue;
    ++right.heads;
    if (!labelled) continue;
    const auto edge = static_cast<std::size_t>(decoded.trees.edges(rank)[v]);
    const auto label = static_cast<std::size_t>(sentence.edge_labels[edge]);
    right.labels +=
        universal((*sentence.label_names)[label]) == universal(sentence.gold_labels[v - 1]);
  }
  return right;
}

}  // namespace coppice::cli
