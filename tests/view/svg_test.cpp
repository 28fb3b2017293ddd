// The drawing and the page as text; page_test.py looks at the page in a browser.
#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/view.hpp>
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
