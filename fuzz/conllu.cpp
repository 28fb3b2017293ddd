// Words, tags and gold trees from CoNLL-U; what is written with them can be read again.
#include "check.hpp"
#include "graph/tree_builder.hpp"
#include "reading.hpp"
#include "target.hpp"

namespace coppice::fuzz::conllu_target {
namespace {

void expect_read_again(const io::Sentence& sentence) {
  if (sentence.tokens.empty()) return;
  // A chain: every word hangs from the one before it.
  TreeList trees;
  const auto nodes = static_cast<Node>(sentence.tokens.size()) + 1;
  TreeBuilder(trees).reset(nodes, false, false);
  const auto row = TreeBuilder(trees).append(0.0, 0);
  for (Node v = 0; v < nodes; ++v) row.heads[static_cast<std::size_t>(v)] = v - 1;
  std::string text;
  io::append_conllu({sentence, trees}, text);
  io::append_text({sentence, trees}, false, text = {});
  std::string written;
  io::append_conllu({sentence, trees}, written);
  auto again = io::ConlluReader::from_bytes(written, "written", {});
  io::Sentence read;
  ASSERT_TRUE(again.next(read));
  EXPECT_EQ(read.tokens.size(), sentence.tokens.size());
  EXPECT_EQ(read.gold_heads.size(), sentence.tokens.size());
}

}  // namespace

void run(Bytes bytes) {
  const std::string_view text = bytes.text();
  std::size_t sentences = 0;
  const std::string error = error_of<io::FormatError>([&] {
    auto reader = io::ConlluReader::from_bytes(text, "fuzzed", kLimits);
    for (io::Sentence sentence; reader.next(sentence); ++sentences) expect_read_again(sentence);
  });
  if (!error.empty()) return;
  auto reader = io::ConlluReader::from_bytes(text, "fuzzed", kLimits);
  for (; reader.skip(); --sentences) {
  }
  EXPECT_EQ(sentences, 0u);
}

}  // namespace coppice::fuzz::conllu_target
