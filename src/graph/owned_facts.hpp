// A copy of SentenceFacts that lasts.
#pragma once

#include <coppice/facts.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace coppice {

class OwnedFacts {
 public:
  explicit OwnedFacts(const SentenceFacts& from)
      : labels_(from.edge_labels.begin(), from.edge_labels.end()),
        names_(from.label_names.begin(), from.label_names.end()) {
    for (const Word& word : from.words)
      for (std::string_view text : {word.tag, word.feats, word.misc}) texts_.emplace_back(text);
    for (std::size_t i = 0; i < texts_.size(); i += 3)
      words_.push_back({texts_[i], texts_[i + 1], texts_[i + 2]});
    facts_ = {.edge_labels = labels_,
              .label_names = names_,
              .words = words_,
              .added_root = from.added_root};
  }
  OwnedFacts(const OwnedFacts&) = delete;
  OwnedFacts& operator=(const OwnedFacts&) = delete;

  const SentenceFacts& get() const { return facts_; }

 private:
  std::vector<std::int32_t> labels_;
  std::vector<std::string> names_;
  std::vector<std::string> texts_;
  std::vector<Word> words_;
  SentenceFacts facts_;
};

}  // namespace coppice
