// What is known of a sentence beyond its graph: labels and words. Rules (rule.hpp) may ask for it;
// the algorithms do not.
//
//   coppice::SentenceFacts facts{.edge_labels = labels, .label_names = names, .words = words};
//   auto trees = coppice::kbest(coppice::Graph(labelled.graph, facts), problem, request);
//
// Throws and costs nothing: these are views. Any number of threads may read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace coppice {

// A word as CoNLL-U writes it; what is not known is empty.
struct Word {
  std::string_view tag = {};    // "NOUN"
  std::string_view feats = {};  // "Number=Sing|Poss=Yes"
  std::string_view misc = {};   // "SpaceAfter=No"
};

// Nothing is copied: all of it must outlive the call it is passed to. A TreeStream keeps its own.
struct SentenceFacts {
  // Of a multigraph: the label of every edge, an index into the names.
  std::span<const std::int32_t> edge_labels = {};
  std::span<const std::string> label_names = {};
  std::span<const Word> words = {};  // words[0] is node 1
  // Node 0 was added to a graph of which any node may be the root: depths count from its child.
  bool added_root = false;
};

}  // namespace coppice
