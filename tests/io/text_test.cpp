// JSON lines, edge lists and CoNLL-U, right and wrong.
#include <gtest/gtest.h>

#include <coppice/io.hpp>

namespace coppice::io {
namespace {

std::vector<Sentence> read_all(const std::string& bytes, const ReadOptions& options = {}) {
  const auto reader = open_bytes(bytes, "test", options);
  std::vector<Sentence> sentences;
  Sentence sentence;
  while (reader->next(sentence)) sentences.push_back(sentence);
  return sentences;
}

// What the only sentence says is wrong with it.
std::string error_of(const std::string& bytes, const ReadOptions& options = {}) {
  const auto sentences = read_all(bytes, options);
  return sentences.size() == 1 ? sentences[0].error : "not one sentence";
}

TEST(JsonLines, AllFields) {
  const auto sentences = read_all(
      R"({"id": "a", "scores": [[null, 1, 2.5], [0, null, -3e2], [0, 4, null]], "words": ["x", "ü"], )"
      R"("tags": ["N", "V"], "heads": [2, 0], "more": {"is": ["passed", [over]]}})"
      "\n");
  // "over" without quotes is no JSON even where it is passed over.
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_NE(sentences[0].error, "");
  const auto good = read_all(
      "\n{\"id\": 7, \"scores\": [[null, 1, 2.5], [0, null, -3e2], [0, 4, null]], \"words\": "
      "[\"x\", "
      "\"\xC3\xBC\"], \"tags\": [\"N\", \"V\"], \"heads\": [2, 0], \"more\": {\"is\": [[1, "
      "{}]]}}\r\n\n"
      "{\"scores\": [[0, 1], [1, 0]]}");
  ASSERT_EQ(good.size(), 2u);
  EXPECT_EQ(good[0].error, "");
  EXPECT_EQ(good[0].id, "7");
  const DenseView view = *good[0].graph()->dense();
  EXPECT_EQ(view.weight(0, 1), 1.0);
  EXPECT_EQ(view.weight(1, 2), -300.0);
  EXPECT_EQ(view.weight(1, 1), kNoWeight);
  EXPECT_EQ(good[0].tokens[1].form, "ü");
  EXPECT_EQ(good[0].tokens[1].upos, "V");
  EXPECT_EQ(good[0].gold_heads, (std::vector<Node>{2, 0}));
  EXPECT_EQ(good[1].id, "");
  EXPECT_EQ(good[1].index, 1);
  EXPECT_TRUE(good[1].tokens.empty());
}

TEST(JsonLines, Axes) {
  const auto sentences = read_all("{\"scores\": [[0, 1], [2, 3]]}", {.axes = Axes::dependent_head});
  EXPECT_EQ(sentences.at(0).graph()->dense()->weight(0, 1), 2.0);
}

TEST(JsonLines, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_EQ(error_of(R"({"scores": [[1, 2], [3]]})"),
            "line 1: ragged scores: row 1 has 1 number, row 0 has 2");
  EXPECT_EQ(error_of("\n\n{\"scores\": [[1, 2]]}"), "line 3: scores have 1 row, but 2 columns");
  EXPECT_EQ(error_of(R"({"scores": [[1], [2]]})"),
            "line 1: scores have more than 1 row, but 1 column");
  EXPECT_EQ(error_of(R"({"scores": [[1]]})"), "line 1: 0 words");
  EXPECT_EQ(error_of(R"({"words": ["a"]})"), "line 1: no scores");
  EXPECT_EQ(error_of(R"({"scores": []})"), "line 1: no scores");
  EXPECT_EQ(error_of(R"({"scores": [1, 2]})"), "line 1: a number where \"scores\" has none");
  EXPECT_EQ(error_of(R"({"scores": [[1, "2"], [1, 2]]})"),
            "line 1: a string where \"scores\" has none");
  EXPECT_EQ(error_of(R"({"scores": [[[1]]]})"), "line 1: a list where \"scores\" has none");
  EXPECT_EQ(error_of(R"({"scores": {"a": 1}})"), "line 1: an object where \"scores\" has none");
  EXPECT_EQ(error_of(R"({"scores": [[0, true], [0, 0]]})"),
            "line 1: true or false where \"scores\" has none");
  EXPECT_EQ(error_of(R"({"scores": [[0, 1], [0, 0]], "words": ["a", "b"]})"),
            "line 1: 2 words, but the scores are of 1 word");
  EXPECT_EQ(error_of(R"({"scores": [[0, 1], [0, 0]], "scores": [[0, 1], [0, 0]]})"),
            "line 1: \"scores\" comes twice");
  EXPECT_EQ(
      error_of(R"({"scores": [[0, NaN], [0, 0]]})"),
      "line 1: not JSON at byte 17, after '0, N' (no edge is null; NaN and Infinity are not JSON)");
  EXPECT_NE(error_of(R"({"scores": [[0, 1e999], [0, 0]]})").find("line 1: not JSON at byte"),
            std::string::npos);
  EXPECT_NE(error_of("{\"scores\": [[0, 1], [0,").find("line 1: not JSON at byte"),
            std::string::npos);
  EXPECT_NE(error_of("{} x"), "");
}

TEST(JsonLines, BrokenLinesDoNotStopTheOthers) {
  const auto sentences =
      read_all("{\"scores\": [[0, 1], [0, 0]]}\n{\n{\"scores\": [[0, 2], [0, 0]]}\n");
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_EQ(sentences[0].error, "");
  EXPECT_NE(sentences[1].error, "");
  EXPECT_EQ(sentences[2].graph()->dense()->weight(0, 1), 2.0);
}

TEST(JsonLines, Limits) {
  EXPECT_EQ(error_of(R"({"scores": [[1, 2, 3, 4]]})", {.limits = {.max_words = 2}}),
            "line 1: more than 2 words are not allowed");
  const auto sentences =
      read_all("{\"scores\": [[0, 1], [0, 0]], \"x\": \"" + std::string(1000, 'x') +
                   "\"}\n{\"scores\": [[0, 1], [0, 0]]}",
               {.limits = {.max_line_bytes = 100}});
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0].error, "line 1: a line of more than 100 bytes");
  EXPECT_EQ(sentences[1].error, "");
  EXPECT_EQ(error_of("{\"x\": " + std::string(100'000, '[')), "line 1: nested too deeply");
}

TEST(EdgeList, GraphsNodesLabels) {
  const auto sentences = read_all(
      "# two graphs\n# id = first\n0 1 2.5 subj\n0 1 1e-3 obj\n1 2 -inf subj\n0 2 +7 obj\n\n\n"
      "0\t1\t5\n1 2 9223372036854775807\n");
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0].id, "first");
  ASSERT_EQ(sentences[0].error, "");
  ASSERT_EQ(sentences[1].error, "");
  const Multigraph& first = *sentences[0].graph()->multigraph();
  EXPECT_EQ(first.nodes(), 3);
  EXPECT_EQ(first.edges(), 4);
  EXPECT_EQ(first.scalar(), Scalar::float64);
  EXPECT_EQ(first.weight(2), kNoWeight);
  EXPECT_EQ(sentences[0].edge_labels, (std::vector<std::int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(*sentences[0].label_names, (std::vector<std::string>{"subj", "obj"}));
  const Multigraph& second = *sentences[1].graph()->multigraph();
  EXPECT_EQ(second.scalar(), Scalar::int64);
  EXPECT_EQ(second.integer_weight(1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(sentences[1].id, "");
}

TEST(EdgeList, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_EQ(error_of("0 1 1\n0 1\n"),
            "line 2: not an edge: \"source target weight [label]\" expected");
  EXPECT_EQ(error_of("0 1 1 a b\n"),
            "line 1: not an edge: \"source target weight [label]\" expected");
  EXPECT_EQ(error_of("0 1 nan\n"), "line 1: 'nan' is no weight: a finite number or -inf expected");
  EXPECT_EQ(error_of("0 1 inf\n"), "line 1: 'inf' is no weight: a finite number or -inf expected");
  EXPECT_EQ(error_of("0 1 1 a\n0 2 1\n"),
            "line 2: either all edges of a graph have a label or none has");
  EXPECT_EQ(read_all("0 1000000000 1\n")[0].no_tree,
            "no tree: no edge enters node 1, and the nodes are 0 to 1000000000; "
            "with --any-root or --root-node numbers are names");
  EXPECT_EQ(read_all("0 1 1\n0 1000 1\n")[0].no_tree,
            "no tree: no edge enters node 2, and the nodes are 0 to 1000; "
            "with --any-root or --root-node numbers are names");
  EXPECT_EQ(error_of("0 0 1\n"), "a graph of one node");
  EXPECT_EQ(error_of("0 1 1\n0 1 1\n0 1 1\n", {.limits = {.max_edges = 2}}),
            "line 3: more than 2 edges");
  const auto sentences = read_all("0 1 x\n0 1 1\n\n0 1 1\n");
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_NE(sentences[0].error, "");
  EXPECT_EQ(sentences[1].error, "");
}

TEST(Open, TellsFormatsApart) {
  EXPECT_EQ(read_all("").size(), 0u);
  EXPECT_EQ(read_all("\n \n").size(), 0u);
  EXPECT_EQ(read_all("\xEF\xBB\xBF{\"scores\": [[0, 1], [0, 0]]}").at(0).error, "");
  EXPECT_THROW(read_all("<html>"), FormatError);
  EXPECT_THROW(open("no/such/file", {}), FormatError);
  EXPECT_THROW(open(".", {}), FormatError);
}

TEST(Conllu, WordsTagsGoldTrees) {
  auto reader = ConlluReader::from_bytes(
      "# newpar\n# sent_id = s-1\n# kbest_rank = 1\n# highlight tokens = 1\n# text = Vámonos al "
      "mar\n"
      "1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "1\tVamos\tir\tVERB\tV\tMood=Imp\t0\troot\t_\t_\n"
      "2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_\n"
      "2.1\tx\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"
      "3\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\tSpaceAfter=No\n\n\n"
      "1\tno\t_\t_\t_\t_\t_\t_\t_\t_\n",
      "test", {});
  Sentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_EQ(sentence.id, "s-1");
  EXPECT_EQ(sentence.text, "Vámonos al mar");
  EXPECT_EQ(sentence.comments, std::vector<std::string>{"# newpar"});
  ASSERT_EQ(sentence.tokens.size(), 3u);
  EXPECT_EQ(sentence.tokens[0].feats, "Mood=Imp");
  EXPECT_EQ(sentence.tokens[2].misc, "SpaceAfter=No");
  EXPECT_EQ(sentence.gold_heads, (std::vector<Node>{0, 1, 1}));
  EXPECT_EQ(sentence.gold_labels[2], "obl");
  EXPECT_EQ(sentence.multiword_lines.size(), 1u);
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_EQ(sentence.tokens.size(), 1u);
  EXPECT_TRUE(sentence.gold_heads.empty());
  EXPECT_FALSE(reader.next(sentence));
}

TEST(Conllu, WhatIsWrongIsSaidWithItsPlace) {
  const auto error = [](const std::string& bytes) -> std::string {
    auto reader = ConlluReader::from_bytes(bytes, "test", {});
    Sentence sentence;
    try {
      while (reader.next(sentence)) {
      }
    } catch (const FormatError& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(error("# x\n1\ta\tb\n"), "test: line 2: ten columns between tabs expected");
  EXPECT_EQ(error("2\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"), "test: line 1: '2' where word 1 is expected");
}

}  // namespace
}  // namespace coppice::io
