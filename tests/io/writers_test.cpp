// What is written, letter by letter, and that it reads back as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <limits>

#include "graph/tree_builder.hpp"
#include "io/tree_reader.hpp"

namespace coppice::io {
namespace {

struct Row {
  std::vector<Node> heads;  // of words 1..N
  double score;
  std::vector<EdgeId> edges = {};
  std::int64_t integer_score = 0;
};

TreeList list_of(const std::vector<Row>& rows, bool integer = false) {
  TreeList trees;
  TreeBuilder(trees).reset(static_cast<Node>(rows[0].heads.size()) + 1, !rows[0].edges.empty(),
                           integer);
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    const Row& row = rows[rank];
    auto [heads, edges] = TreeBuilder(trees).append(row.score, row.integer_score);
    heads[0] = kNoNode;
    std::copy(row.heads.begin(), row.heads.end(), heads.begin() + 1);
    if (row.edges.empty()) continue;
    edges[0] = kNoEdge;
    std::copy(row.edges.begin(), row.edges.end(), edges.begin() + 1);
  }
  return trees;
}

Sentence sentence_of(const std::string& id, const std::vector<std::string>& words = {}) {
  Sentence sentence;
  sentence.id = id;
  for (const auto& word : words) sentence.tokens.push_back({.form = word});
  return sentence;
}

std::string jsonl(const Parses& parses) {
  std::string out;
  append_jsonl(parses, out);
  return out;
}

TEST(Jsonl, OneLinePerTree) {
  const Sentence sentence = sentence_of("a \"b\"\\\n\xC3\xBC\xFF");
  const TreeList trees = list_of({{{2, 0}, -0.1}, {{0, 1}, -1e300}});
  EXPECT_EQ(jsonl({sentence, trees}),
            "{\"id\": \"a \\\"b\\\"\\\\\\n\xC3\xBC\xEF\xBF\xBD\", \"rank\": 1, \"score\": -0.1, "
            "\"gap\": 0, "
            "\"heads\": [2, 0]}\n"
            "{\"id\": \"a \\\"b\\\"\\\\\\n\xC3\xBC\xEF\xBF\xBD\", \"rank\": 2, \"score\": -1e+300, "
            "\"gap\": 1e+300, "
            "\"heads\": [0, 1]}\n");
}

TEST(Jsonl, NoTreeIsOneLine) {
  EXPECT_EQ(jsonl({sentence_of("x"), {}, "no tree"}),
            "{\"id\": \"x\", \"rank\": 0, \"error\": \"no tree\"}\n");
}

TEST(Jsonl, LabelsEdgesWholeNumbers) {
  Sentence sentence = sentence_of("x");
  sentence.edge_labels = {0, 1, 0};
  sentence.label_names =
      std::make_shared<std::vector<std::string>>(std::vector<std::string>{"subj", "obj\""});
  const auto most = std::numeric_limits<std::int64_t>::max();
  const TreeList trees =
      list_of({{{0, 1}, 9e18, {1, 2}, most}, {{0, 1}, -9e18, {0, 2}, -most}}, true);
  EXPECT_EQ(
      jsonl({sentence, trees, {}, true}),
      "{\"id\": \"x\", \"rank\": 1, \"score\": 9223372036854775807, \"gap\": 0, \"heads\": [0, 1], "
      "\"labels\": [\"obj\\\"\", \"subj\"], \"edges\": [1, 2]}\n"
      "{\"id\": \"x\", \"rank\": 2, \"score\": -9223372036854775807, \"gap\": "
      "18446744073709551614, "
      "\"heads\": [0, 1], \"labels\": [\"subj\", \"subj\"], \"edges\": [0, 2]}\n");
}

TEST(Jsonl, GapsOfCostsAreNotNegative) {
  const TreeList trees = list_of({{{0}, 5.0, {0}, 5}, {{0}, 8.0, {1}, 8}}, true);
  EXPECT_NE(jsonl({sentence_of("x"), trees}).find("\"score\": 8, \"gap\": 3,"), std::string::npos);
}

TEST(Jsonl, ReadsBackTheSame) {
  const double scores[] = {0.1 + 0.2, 1e-310, -1.0 / 3, 123456789.123456789, -0.0};
  std::string lines;
  for (const double score : scores)
    append_jsonl({sentence_of("x"), list_of({{{0, 1}, score}})}, lines);
  append_jsonl({sentence_of("y"), {}, "line 1: \"bad\""}, lines);
  auto reader = TreeReader::from_bytes(lines, "test", {});
  WrittenTree tree;
  for (const double score : scores) {
    ASSERT_TRUE(reader.next(tree));
    EXPECT_EQ(tree.score, score);
    EXPECT_EQ(tree.heads, (std::vector<Node>{0, 1}));
  }
  ASSERT_TRUE(reader.next(tree));
  EXPECT_EQ(tree.rank, 0);
  EXPECT_EQ(tree.error, "line 1: \"bad\"");
  EXPECT_FALSE(reader.next(tree));
}

TEST(Jsonl, WhatCannotBeReadBack) {
  const auto error = [](const std::string& line) -> std::string {
    auto reader = TreeReader::from_bytes(line, "test", {});
    WrittenTree tree;
    try {
      reader.next(tree);
    } catch (const FormatError& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(error("{}"), "test: line 1: no \"rank\"");
  EXPECT_EQ(error("{\"rank\": 1}"), "test: line 1: no \"score\" or no \"heads\"");
  EXPECT_EQ(error("{\"rank\": 1, \"heads\": [0]}"), "test: line 1: no \"score\" or no \"heads\"");
  EXPECT_EQ(error("{\"rank\": 0}"), "test: line 1: rank 0 without \"error\"");
  EXPECT_EQ(error("{\"rank\": 0, \"error\": \"no tree\", \"heads\": [0]}"),
            "test: line 1: rank 0 with \"heads\"");
  EXPECT_EQ(error("{\"rank\": -1}"), "test: line 1: rank -1");
  EXPECT_EQ(error("{\"rank\": 1, \"heads\": [-1]}"), "test: line 1: -1 in \"heads\"");
  EXPECT_EQ(error("[1]"), "test: line 1: not an object: a line is {\"...\": ...}");
}

TEST(ConlluOut, BlocksWithHeads) {
  Sentence sentence = sentence_of("s", {"Vamos", "nos"});
  sentence.tokens[0].upos = "VERB";
  sentence.tokens[1].misc = "SpaceAfter=No";
  sentence.text = "Vámonos";
  sentence.multiword_lines = {"1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_"};
  std::string out;
  append_conllu({sentence, list_of({{{0, 1}, -0.5}, {{2, 0}, -2}})}, out);
  EXPECT_EQ(out,
            "# sent_id = s\n# kbest_rank = 1\n# kbest_score = -0.5\n# text = Vámonos\n"
            "1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
            "1\tVamos\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
            "2\tnos\t_\t_\t_\t_\t1\tdep\t_\tSpaceAfter=No\n\n"
            "# sent_id = s\n# kbest_rank = 2\n# kbest_score = -2\n# text = Vámonos\n"
            "1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
            "1\tVamos\t_\tVERB\t_\t_\t2\tdep\t_\t_\n"
            "2\tnos\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n\n");
  out.clear();
  append_conllu({sentence_of("t"), {}, "no\ntree"}, out);
  EXPECT_EQ(out, "# sent_id = t\n# kbest_rank = 0\n# kbest_error = no tree\n\n");
}

TEST(ConlluOut, HowSureEdgesAre) {
  Sentence sentence = sentence_of("s", {"a", "b"});
  sentence.tokens[0].misc = "_";
  // What an earlier run said is not true any more.
  sentence.tokens[1].misc =
      "SpaceAfter=No|HeadProbability=0.1|OtherHead=2:0.3|Gloss=x|LabelProbability=1";
  sentence.comments = {"# newdoc", "# mine = 1"};
  const std::vector<double> probabilities = {0.75, 0.125};
  const std::vector<ArcProbabilities> arcs = {{0.87004, 1.0, 2, 0.11},
                                              {0.4, 1.0, kNoNode, 0.0},
                                              {0.13, 1.0, 0, 0.00004},
                                              {1, 1, 1, 0.0001}};
  const TreeList trees = list_of({{{0, 1}, -0.5}, {{2, 0}, -2}});
  std::string out;
  append_conllu({.sentence = sentence,
                 .trees = trees,
                 .probabilities = probabilities,
                 .arcs = arcs,
                 .highlight = 0.5},
                out);
  EXPECT_EQ(out,
            "# newdoc\n# mine = 1\n# sent_id = s\n# kbest_rank = 1\n# kbest_score = -0.5\n"
            "# kbest_probability = 0.75\n# highlight tokens = 2\n"
            "1\ta\t_\t_\t_\t_\t0\troot\t_\tHeadProbability=0.87|OtherHead=2:0.11\n"
            "2\tb\t_\t_\t_\t_\t1\tdep\t_\tSpaceAfter=No|Gloss=x|HeadProbability=0.4\n\n"
            "# sent_id = s\n# kbest_rank = 2\n# kbest_score = -2\n"
            "# kbest_probability = 0.125\n# highlight tokens = 1\n"
            "1\ta\t_\t_\t_\t_\t2\tdep\t_\tHeadProbability=0.13\n"
            "2\tb\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No|Gloss=x|HeadProbability=1|OtherHead=1:0."
            "0001\n\n");
}

TEST(ConlluOut, HowSureLabelsAre) {
  Sentence sentence = sentence_of("s", {"a", "b"});
  sentence.edge_labels = {0, 1};
  sentence.label_names =
      std::make_shared<std::vector<std::string>>(std::vector<std::string>{"root", "obj"});
  const TreeList trees = list_of({{{0, 1}, -0.5, {0, 1}}});
  const std::vector<ArcProbabilities> arcs = {{1, 0.99996, kNoNode, 0}, {0.9, 0.25, 0, 0.1}};
  std::string out;
  append_conllu({.sentence = sentence, .trees = trees, .arcs = arcs, .highlight = 0.5}, out);
  EXPECT_EQ(
      out,
      "# sent_id = s\n# kbest_rank = 1\n# kbest_score = -0.5\n# highlight deprels = 2\n"
      "1\ta\t_\t_\t_\t_\t0\troot\t_\tHeadProbability=1|LabelProbability=1\n"
      "2\tb\t_\t_\t_\t_\t1\tobj\t_\tHeadProbability=0.9|LabelProbability=0.25|OtherHead=0:0.1\n\n");
}

std::string drawn(const std::vector<std::string>& words, const std::vector<Row>& rows) {
  std::string out;
  append_text({sentence_of("s", words), list_of(rows)}, false, out);
  return out;
}

TEST(Text, ADrawnTreeAndWhatDiffers) {
  EXPECT_EQ(drawn({"What", "if", "Google", "Morphed", "Into", "GoogleOS", "?"},
                  {{{0, 4, 4, 1, 6, 4, 1}, -1}, {{0, 4, 4, 1, 6, 4, 4}, -1.5}}),
            "s  What if Google Morphed Into GoogleOS ?\n"
            "  #1 of 2  score -1  gap 0\n"
            "    1   ╭ What          root\n"
            "    2   │ ╭─ if\n"
            "    3   │ ├─ Google\n"
            "    4   ├─┼ Morphed\n"
            "    5   │ │ ╭─ Into\n"
            "    6   │ ╰─┴ GoogleOS\n"
            "    7   ╰─ ?\n"
            "  #2 of 2  score -1.5  gap 0.5\n"
            "    1   ╭ What          root\n"
            "    2   │ ╭─ if\n"
            "    3   │ ├─ Google\n"
            "    4   ╰─┼ Morphed\n"
            "    5     │ ╭─ Into\n"
            "    6     ├─┴ GoogleOS\n"
            "    7 *   ╰─ ?            (best: 1 What)\n\n");
}

TEST(Text, LinesThatCrossStayWhole) {
  // 1 -> 3 and 2 -> 4 cross.
  EXPECT_EQ(drawn({"a", "b", "c", "d"}, {{{0, 1, 1, 2}, 0}}),
            "s  a b c d\n"
            "  #1 of 1  score 0  gap 0\n"
            "    1   ╭ a     root\n"
            "    2   ├─┬ b\n"
            "    3   ╰─│─ c\n"
            "    4     ╰─ d\n\n");
}

TEST(Text, WideLettersAndNoWords) {
  EXPECT_EQ(drawn({"日本", "é"}, {{{0, 1}, 0}}),
            "s  日本 é\n  #1 of 1  score 0  gap 0\n    1   ╭ 日本  root\n    2   ╰─ é\n\n");
  EXPECT_EQ(drawn({}, {{{2, 0}, 0}}),
            "s\n  #1 of 1  score 0  gap 0\n    1   ╭─ w1\n    2   ╰ w2   root\n\n");
}

TEST(Text, LongChainsAndStarsAreDrawn) {
  std::vector<Node> chain(2000), star(2000, 1);
  for (Node v = 0; v < 2000; ++v) chain[static_cast<std::size_t>(v)] = v;
  star[0] = 0;
  EXPECT_NE(drawn({}, {{star, 0}}).find("w2000"), std::string::npos);
  chain.resize(300);
  EXPECT_NE(drawn({}, {{chain, 0}}).find("w300"), std::string::npos);
}

}  // namespace
}  // namespace coppice::io
