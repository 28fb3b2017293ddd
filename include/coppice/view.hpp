// Pictures of trees: one as SVG, the K best of many sentences as a page to walk through and to
// correct them on.
//
//   coppice::view::Picture picture{.id = "1", .words = words, .trees = &trees};
//   std::string drawing = coppice::view::svg(picture, 0);
//
//   coppice::view::PageWriter page({.title = "Test set"});
//   std::string html;
//   page.begin(html);
//   page.add(picture, html);  // any number; flush html in between if it is to stay small
//   page.end(html);
//
// The page is one file that needs no network: data, style, script and the library itself, as
// WebAssembly, are in it. Where it has the scores of a sentence it finds trees, probabilities and
// costs by itself, for any arcs that are locked or forbidden there.
// Throws: Error where there is no tree of that rank.
// Cost: linear in what is drawn; a page has the scores of a sentence, O(N^2), and its trees.
// Threads: the functions are for any number at once, a PageWriter is for one at a time.
//
// Needs the library coppice::io.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace coppice::view {

// A sentence and its trees. Nothing is copied; all of it must outlive the call it is passed to.
struct Picture {
  std::string_view id;
  std::span<const std::string> words = {};  // of nodes 1..N, or none: the numbers are shown
  std::span<const std::string> tags = {};   // the same
  const TreeList* trees = nullptr;
  // Of a labelled graph: the label of every edge, an index into the names.
  std::span<const std::int32_t> edge_labels = {};
  std::span<const std::string> label_names = {};
  // Of every tree, where known; otherwise the page shows shares among the trees listed.
  std::span<const double> probabilities = {};
  // Why there are no trees; shown in their place.
  std::string_view error = {};
  // Of a graph with names: that of node 0, unless it stands for any node that may be the root.
  std::string_view root = {};
  bool added_root = false;
  std::span<const double> edge_weights = {};  // of a multigraph, for tree_svg
  // For the page: the scores ...
  std::optional<Graph> graph = std::nullopt;
  // ... the sentence as its file has it, byte by byte (CoNLL-U, in UTF-8), in place of words and
  // tags ...
  std::string_view conllu = {};
  // ... how many arcs of the best tree are expected to be wrong; negative: not known ...
  double doubt = -1.0;
  // ... its own root rule, where it is not that of the page, what its trees must have, and must not
  // ...
  std::optional<RootRule> root_rule = std::nullopt;
  std::span<const Arc> required = {}, forbidden = {};
  // ... and arcs that are shown as settled: of their words one head is left, by the promise that
  // the page names.
  std::span<const Arc> settled = {};
};

// Tree number rank (from 0) as an SVG document. Arcs that differ from tree 0 are marked.
std::string svg(const Picture& picture, std::size_t rank);

// The same with nodes at the places that a tree gives them: the root on the left, every node right
// of its head. Labels or else weights, where given, stand on the edges. For graphs whose nodes are
// in no order.
std::string tree_svg(const Picture& picture, std::size_t rank);

struct PageOptions {
  std::string title = "coppice";
  // Said on the page: how the trees were made.
  std::string caption = {};
  // To correct trees, not just to look at them: progress, saving, CoNLL-U out.
  bool annotate = false;
  // As the trees were made; rules are to be those that rules::parse knows.
  Problem problem{RootRule::single};
  std::int64_t k = 10;
  // The trees of the text as the starting point, not the best ones.
  bool from_text = false;
  // Said in the legend: what settled arcs are promised, and to whom.
  std::string promise = {};
  // In the heads of so many words any two trees of a sentence differ, words with one of these
  // labels aside; 0: they are the best ones.
  std::int32_t distance = 0;
  std::vector<std::string> ignored_labels = {};
};

class PageWriter {
 public:
  explicit PageWriter(PageOptions options);
  ~PageWriter();

  // Each appends to out.
  void begin(std::string& out) const;
  void add(const Picture& picture, std::string& out);
  void end(std::string& out);

 private:
  class Scores;
  PageOptions options_;
  std::unique_ptr<Scores> scores_;
  bool first_ = true;
};

}  // namespace coppice::view
