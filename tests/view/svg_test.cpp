// The drawing and the page as text; page_test.py looks at the page in a browser.
#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/view.hpp>
#include <functional>
#include <regex>

#include "graph/tree_builder.hpp"

namespace coppice::view {
namespace {

TreeList list_of(const std::vector<std::vector<Node>>& rows) {
  TreeList trees;
  TreeBuilder(trees).reset(static_cast<Node>(rows[0].size()) + 1, false, false);
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    auto [heads, edges] =
        TreeBuilder(trees).append(rank == 0 ? 0.0 : -static_cast<double>(rank), 0);
    heads[0] = kNoNode;
    std::copy(rows[rank].begin(), rows[rank].end(), heads.begin() + 1);
  }
  return trees;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(Svg, WordsArcsAndMarks) {
  const std::vector<std::string> words = {"a<b", "c&d", "e\"f"};
  const TreeList trees = list_of({{0, 1, 2}, {0, 1, 1}, {0, 0, 2}});
  const Picture picture{.id = "x", .words = words, .trees = &trees};
  const std::string best = svg(picture, 0);
  EXPECT_EQ(best.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0u);
  EXPECT_EQ(count(best, "class=\"head\""), 3u);
  EXPECT_EQ(count(best, "<g class="), 0u);
  EXPECT_NE(best.find(">a&lt;b<"), std::string::npos);
  EXPECT_NE(best.find(">c&amp;d<"), std::string::npos);
  EXPECT_EQ(count(svg(picture, 1), "<g class=\"changed\">"), 1u);
  EXPECT_EQ(count(svg(picture, 2), "<g class=\"changed\">"), 1u);  // a second root edge, too
  EXPECT_THROW(svg(picture, 3), std::invalid_argument);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "no error";
}

// Whatever was made of the list since it was found.
TEST(Drawing, ListsThatAreNoTrees) {
  const std::vector<std::string> labels = {"x"};
  const auto expect = [&](const TreeList& trees, const std::string& message) {
    const Picture picture{.id = "x", .trees = &trees};
    EXPECT_EQ(message_of([&] { svg(picture, 0); }), message);
    EXPECT_EQ(message_of([&] { tree_svg(picture, 0); }), message);
    std::string out;
    EXPECT_EQ(message_of([&] { PageWriter({}).add(picture, out); }), message);
  };
  expect(list_of({{0, 1}, {0, -7}}), "tree 1: head of 2 is -7, not a node 0..2");
  expect(list_of({{0, 1}, {3, 0}}), "tree 1: head of 1 is 3, not a node 0..2");
  expect(list_of({{2, 1}}), "tree 0: the heads are not a tree");
  const std::vector<std::int32_t> bad_labels = {0, 1};
  const TreeList trees = list_of({{0, 1}});
  Picture picture{.id = "x", .trees = &trees, .edge_labels = bad_labels, .label_names = labels};
  EXPECT_EQ(message_of([&] { svg(picture, 0); }), "label of edge 1 is 1, of 1 labels");
  const std::vector<std::int32_t> good_labels = {0, 0};
  picture.edge_labels = good_labels;
  EXPECT_EQ(message_of([&] { svg(picture, 0); }), "tree 0: labels of trees without edges");
  TreeList with_edges;
  TreeBuilder(with_edges).reset(2, true, false);
  auto [heads, edges] = TreeBuilder(with_edges).append(0.0, 0);
  heads[0] = kNoNode, heads[1] = 0, edges[0] = kNoEdge, edges[1] = 2;
  picture.trees = &with_edges;
  EXPECT_EQ(message_of([&] { tree_svg(picture, 0); }), "tree 0: edge of 1 is 2, not an edge 0..1");
}

// Deep trees are drawn as outlines.
TEST(TreeSvg, AChainOfManyCasesStaysNarrow) {
  std::vector<Node> chain(300);
  for (Node v = 0; v < 300; ++v) chain[static_cast<std::size_t>(v)] = v;
  const TreeList trees = list_of({chain});
  const std::string drawing = tree_svg({.id = "x", .trees = &trees}, 0);
  std::smatch match;
  ASSERT_TRUE(std::regex_search(drawing, match, std::regex("width=\"(\\d+)\" height=\"(\\d+)\"")));
  EXPECT_LT(std::stoi(match[1]), 1'400);
  EXPECT_EQ(std::stoi(match[2]), 2 * 16 + 301 * 26);
}

// An arc is drawn above every arc it spans.
TEST(Svg, LongArcsLieAboveShortOnes) {
  const TreeList trees = list_of({{0, 1, 2, 1, 1}});
  const std::string drawing = svg({.id = "x", .trees = &trees}, 0);
  // The height of the flat part: "Q x y x' y H".
  std::vector<double> tops;
  const std::regex flat("Q[0-9.]+ ([0-9.]+) [0-9.]+ [0-9.]+H");
  for (std::sregex_iterator match(drawing.begin(), drawing.end(), flat), end; match != end;
       ++match) {
    tops.push_back(std::stod((*match)[1]));
  }
  // Drawn from long to short: 1 -> 5, 1 -> 4, then the short ones.
  ASSERT_EQ(tops.size(), 4u);
  EXPECT_LT(tops[0], tops[1]);
  EXPECT_LT(tops[1], tops[2]);
  EXPECT_EQ(tops[2], tops[3]);
}

TEST(Page, IsOneDocumentThatNothingCanBreakOutOf) {
  const std::vector<std::string> words = {"</script><script>alert(1)</script>"};
  const TreeList trees = list_of({std::vector<Node>{0}});
  PageWriter page({.title = "<title>", .caption = "\xFF"});
  std::string html;
  page.begin(html);
  page.add({.id = "1", .words = words, .trees = &trees}, html);
  page.add({.id = "2", .error = "no tree"}, html);
  page.end(html);
  EXPECT_EQ(html.find("<!doctype html>"), 0u);
  EXPECT_NE(html.find("<title>&lt;title&gt;</title>"), std::string::npos);
  EXPECT_EQ(count(html, "</script>"), 4u);  // data, scores, library, page
  EXPECT_EQ(html.find("{{"), std::string::npos);
  EXPECT_NE(
      html.find(
          "{\"id\":\"1\",\"words\":[\"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\"],"
          "\"tags\":[],\"trees\":[{\"score\":0,\"gap\":0,\"heads\":[0]}]}"),
      std::string::npos);
}

}  // namespace
}  // namespace coppice::view
