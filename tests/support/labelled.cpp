#include "support/labelled.hpp"

#include <random>

namespace coppice::testing {

LabelledSentence::LabelledSentence(Node words, const LabelledKind& kind, std::uint64_t seed)
    : edges_(words + 1), names_(kind.labels) {
  std::mt19937_64 random(seed);
  auto chance = [&](double p) { return std::uniform_real_distribution<>()(random) < p; };
  auto any_of = [&](const auto& list) -> const auto& { return list[random() % list.size()]; };
  names_.push_back("root");
  for (Node v = 1; v <= words; ++v) {
    tags_.push_back(kind.tags.empty() ? "" : any_of(kind.tags));
    feats_.push_back(any_of(
        std::vector<std::string>{"_", "_", "Polarity=Neg", "Poss=Yes", "ExtPos=ADV|Number=Sing"}));
    misc_.push_back(
        any_of(std::vector<std::string>{"_", "_", "_", "SpaceAfter=No", "Gloss=a|Subject=Outer"}));
  }
  for (Node v = 1; v <= words; ++v) {
    const auto& tag = tags_[static_cast<std::size_t>(v - 1)];
    for (Node h = 0; h <= words; ++h) {
      if (h == v || chance(h == 0 ? 0.2 : 0.3)) continue;
      for (int parallel = chance(0.4) ? 2 : 1; parallel > 0; --parallel) {
        auto label = static_cast<std::int32_t>(random() % kind.labels.size());
        if (h == 0 && chance(0.9)) label = static_cast<std::int32_t>(kind.labels.size());
        if (h != 0 && tag == "PUNCT" && chance(0.8)) label = 0;
        edges_.add_edge(h, v, std::uniform_real_distribution<>()(random));
        labels_.push_back(label);
      }
    }
  }
  for (std::size_t i = 0; i < tags_.size(); ++i) words_.push_back({tags_[i], feats_[i], misc_[i]});
  facts_ = {.edge_labels = labels_, .label_names = names_, .words = words_};
}

const std::string& LabelledSentence::label(const TreeRef& tree, std::size_t v) const {
  return names_[static_cast<std::size_t>(labels_[static_cast<std::size_t>(tree.edges[v])])];
}

}  // namespace coppice::testing
