// Small labelled sentences with tags, features and spaces, each from one seed.
#pragma once

#include <coppice/facts.hpp>
#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace coppice::testing {

// What labels and tags are drawn from. Root edges mostly have the label "root".
struct LabelledKind {
  std::vector<std::string> labels;
  std::vector<std::string> tags;
};

class LabelledSentence {
 public:
  LabelledSentence(Node words, const LabelledKind& kind, std::uint64_t seed);

  Graph graph() const { return Graph(edges_, facts_); }
  const SentenceFacts& facts() const { return facts_; }
  // The label of the edge into v.
  const std::string& label(const TreeRef& tree, std::size_t v) const;

  LabelledSentence(const LabelledSentence&) = delete;
  LabelledSentence& operator=(const LabelledSentence&) = delete;

 private:
  Multigraph edges_;
  std::vector<std::int32_t> labels_;
  std::vector<std::string> names_;
  std::vector<Word> words_;
  std::vector<std::string> tags_, feats_, misc_;
  SentenceFacts facts_;
};

}  // namespace coppice::testing
