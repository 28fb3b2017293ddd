// Pictures of trees: one as SVG, the K best of many sentences as a page to walk through.
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
// The page is one file that needs no network: data, style and script are in it.
// Needs the library coppice::io.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <cstddef>
#include <cstdint>
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
};

// Tree number rank (from 0) as an SVG document. Arcs that differ from tree 0 are marked, and root
// edges where there is more than one. Throws std::invalid_argument where there is no such tree.
std::string svg(const Picture& picture, std::size_t rank);

// The same with nodes at the places that a tree gives them: the root on the left, every node right
// of its head. Labels or else weights, where
// given, stand on the edges. For graphs whose nodes are in no order.
std::string tree_svg(const Picture& picture, std::size_t rank);

struct PageOptions {
  std::string title = "coppice";
  // Said on the page: how the trees were made.
  std::string caption = {};
};

class PageWriter {
 public:
  explicit PageWriter(PageOptions options);

  // Each appends to out.
  void begin(std::string& out) const;
  void add(const Picture& picture, std::string& out);
  void end(std::string& out) const;

 private:
  PageOptions options_;
  bool first_ = true;
};

}  // namespace coppice::view
