#include "reading.hpp"

#include <coppice/kbest.hpp>
#include <coppice/view.hpp>
#include <vector>

#include "check.hpp"
#include "io/tree_reader.hpp"

namespace coppice::fuzz {
namespace {

using io::FormatError;
using io::Sentence;

std::string plain(const Sentence& sentence) {
  return sentence.error + '|' + sentence.id + '|' + std::to_string(sentence.nodes) + '|' +
         std::to_string(sentence.tokens.size()) + '|' + std::to_string(sentence.gold_heads.size());
}

// Of a sentence that an output file cannot name: bytes that are no UTF-8 are replaced.
bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void expect_read_back(const std::string& written, const Sentence& sentence, const TreeList& trees) {
  auto reader = io::TreeReader::from_bytes(written, "written", {});
  io::WrittenTree tree;
  std::size_t rank = 0;
  for (; reader.next(tree); ++rank) {
    if (is_ascii(sentence.name())) {
      EXPECT_EQ(tree.id, sentence.name());
    }
    if (trees.empty()) {
      EXPECT_EQ(tree.rank, 0);
      continue;
    }
    ASSERT_LT(rank, trees.size());
    EXPECT_EQ(tree.rank, static_cast<std::int64_t>(rank) + 1);
    EXPECT_EQ(tree.score, trees.score(rank));
    if (sentence.named())
      EXPECT_EQ(tree.nodes.size() + 1, sentence.node_names.size());
    else
      EXPECT_TRUE(std::equal(tree.heads.begin(), tree.heads.end(), trees.heads(rank).begin() + 1));
  }
  EXPECT_EQ(rank, std::max<std::size_t>(trees.size(), 1));
}

// Every tree that was written is a graph of its own.
void expect_trees_read_back(const std::string& written, const char* format, const TreeList& trees) {
  if (trees.empty()) return;
  const auto reader = io::open_bytes(written, format, {});
  Sentence tree;
  std::size_t rank = 0;
  for (; reader->next(tree); ++rank) EXPECT_EQ(tree.index, static_cast<std::int64_t>(rank));
  EXPECT_EQ(rank, trees.size()) << written;
}

void decode_and_write(const Sentence& sentence) {
  TreeList trees;
  std::string error = sentence.error;
  if (const auto graph = sentence.graph()) {
    error = error_of<std::invalid_argument>([&] {
      const UndirectedGraph* undirected = sentence.undirected();
      trees = undirected != nullptr ? kbest(*undirected, {.root = RootRule::any}, {.k = 3})
                                    : kbest(*graph, {.root = RootRule::single}, {.k = 3});
    });
  }
  if (error.empty()) error = sentence.no_tree;
  if (error.empty() && trees.empty()) error = "no tree";
  const bool with_edges =
      std::holds_alternative<Multigraph>(sentence.scores) || sentence.undirected() != nullptr;
  const io::Parses parses{sentence, trees, error, with_edges};
  std::string jsonl, conllu, text, newick, dot, tsv, graphml(io::kGraphmlBegin);
  io::append_jsonl(parses, jsonl);
  io::append_conllu(parses, conllu);
  io::append_text(parses, true, text);
  io::append_newick(parses, newick);
  io::append_dot(parses, dot);
  io::append_tsv(parses, tsv);
  io::append_graphml(parses, graphml);
  graphml += io::kGraphmlEnd;
  expect_trees_read_back(dot, "dot", trees);
  expect_trees_read_back(graphml, "graphml", trees);
  expect_read_back(jsonl, sentence, trees);
  auto blocks = io::ConlluReader::from_bytes(conllu, "written", {});
  while (blocks.skip()) {
  }
  if (trees.empty()) return;
  EXPECT_FALSE(view::tree_svg({.id = sentence.id, .trees = &trees}, trees.size() - 1).empty());
  EXPECT_FALSE(view::svg({.id = sentence.id, .trees = &trees}, trees.size() - 1).empty());
}

}  // namespace

void read_scores(const std::function<std::unique_ptr<io::Reader>()>& open) {
  std::vector<std::string> sentences;
  const std::string error = error_of<FormatError>([&] {
    const auto reader = open();
    const auto totals = reader->totals();
    Sentence sentence;
    // Sentences of no words cost no bytes: a file can have any number of them.
    while (sentences.size() < 64 && reader->next(sentence)) {
      EXPECT_EQ(sentence.index, static_cast<std::int64_t>(sentences.size()));
      sentences.push_back(plain(sentence));
      decode_and_write(sentence);
    }
    if (totals && sentences.size() < 64) {
      EXPECT_EQ(totals->sentences, static_cast<std::int64_t>(sentences.size()));
    }
  });
  if (!error.empty()) return;
  const auto reader = open();
  Sentence sentence;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (i % 2 == 0) {
      EXPECT_TRUE(reader->skip());
      continue;
    }
    EXPECT_TRUE(reader->next(sentence));
    EXPECT_EQ(plain(sentence), sentences[i]);
  }
}

}  // namespace coppice::fuzz
