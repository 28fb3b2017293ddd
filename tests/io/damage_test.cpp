// Files cut off at every byte and with every bit turned: an error, or sentences that make sense;
// never a crash, never a number that nobody wrote.
#include <gtest/gtest.h>

#include <coppice/io.hpp>
#include <functional>

#include "io/tree_reader.hpp"
#include "make_files.hpp"

namespace coppice::io {
namespace {

using test::npy;
using test::raw;
using test::zip_archive;

// Calls with the file cut off at every byte, and with every bit turned.
void for_every_cut(const std::string& whole, const std::function<void(const std::string&)>& read) {
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE("cut at byte " + std::to_string(size));
    read(whole.substr(0, size));
  }
}
void for_every_flip(const std::string& whole, const std::function<void(const std::string&)>& read) {
  std::string changed = whole;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    read(changed);
    changed[bit / 8] = whole[bit / 8];
  }
}

// Everything a sentence is decoded from; broken ones are only counted.
std::string plain(const Sentence& sentence) {
  const auto graph = sentence.graph();
  if (!graph) return "broken";
  std::string text = sentence.id + ':';
  if (const DenseView* view = graph->dense()) {
    for (Node h = 0; h < view->nodes(); ++h)
      for (Node d = 0; d < view->nodes(); ++d) text += std::to_string(view->weight(h, d)) + ' ';
  } else {
    const Multigraph& edges = *graph->multigraph();
    for (EdgeId e = 0; e < edges.edges(); ++e)
      text += std::to_string(edges.source(e)) + '>' + std::to_string(edges.target(e)) + '=' +
              std::to_string(edges.weight(e)) + ' ';
  }
  return text;
}

struct Result {
  std::vector<std::string> sentences;
  bool refused = false;  // sooner or later
};

Result read(const std::string& bytes) {
  const Limits limits{
      .max_words = 40, .max_edges = 40, .max_line_bytes = 4096, .max_array_bytes = 1 << 16};
  Result result;
  try {
    const auto reader = open_bytes(bytes, "damaged", {.limits = limits});
    Sentence sentence;
    while (reader->next(sentence)) result.sentences.push_back(plain(sentence));
  } catch (const FormatError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("damaged: ")) << error.what();
    result.refused = true;
  }
  return result;
}

const std::vector<float> kScores = {0, 1, 2, 0, 0, 3, 0, -1.5F, 0, 0, 4, 0, 0};  // 2 words, 1 word

std::string archive(bool compressed) {
  return zip_archive({{"scores.npy", npy("<f4", "(13,)", raw(kScores))},
                      {"lengths.npy", npy("<i4", "(2,)", raw(std::vector<std::int32_t>{2, 1}))},
                      {"heads.npy", npy("|i1", "(3,)", raw(std::vector<std::int8_t>{2, 0, 0}))}},
                     compressed);
}

// The checksums of an archive cover all numbers; its names and dates are not.
TEST(Damage, Archives) {
  for (const bool compressed : {false, true}) {
    const std::string whole = archive(compressed);
    const Result expected = read(whole);
    ASSERT_EQ(expected.sentences.size(), 2u);
    ASSERT_FALSE(expected.refused);
    for_every_cut(whole, [](const std::string& bytes) {
      EXPECT_TRUE(bytes.empty() || read(bytes).refused);
      EXPECT_TRUE(read(bytes).sentences.empty());
    });
    for_every_flip(whole, [&](const std::string& bytes) {
      const Result result = read(bytes);
      if (!result.refused) {
        EXPECT_EQ(result.sentences, expected.sentences);
      }
    });
  }
}

// Without a checksum other numbers may come out, but as many as were there.
TEST(Damage, Arrays) {
  const std::string whole =
      npy("<f4", "(2, 2, 2)", raw(std::vector<float>{0, 1, 0, 0, 0, 2, 0, 0}));
  ASSERT_EQ(read(whole).sentences.size(), 2u);
  for_every_cut(
      whole, [&](const std::string& bytes) { EXPECT_TRUE(bytes.empty() || read(bytes).refused); });
  for_every_flip(whole, [](const std::string& bytes) {
    const Result result = read(bytes);
    EXPECT_TRUE(result.refused || result.sentences.size() == 2u);
  });
}

// A cut takes nothing away from the sentences before it.
void expect_prefix(const std::string& whole) {
  const Result expected = read(whole);
  ASSERT_FALSE(expected.refused);
  for_every_cut(whole, [&](const std::string& bytes) {
    const Result result = read(bytes);
    ASSERT_LE(result.sentences.size(), expected.sentences.size());
    for (std::size_t i = 0; i + 1 < result.sentences.size(); ++i)
      EXPECT_EQ(result.sentences[i], expected.sentences[i]);
  });
  for_every_flip(whole, [](const std::string& bytes) { read(bytes); });
}

TEST(Damage, JsonLines) {
  expect_prefix(
      "{\"id\": \"s1\", \"scores\": [[null, 1.5, 0.2], [null, null, 2], [null, 0.1, null]], "
      "\"words\": [\"hello\", \"w\\u00f6rld\"], \"heads\": [2, 0]}\n"
      "{\"id\": 2, \"scores\": [[0, 3], [0, 0]]}\n{\"scores\": [[0, 4], [0, 0]]}\n");
}

TEST(Damage, EdgeLists) {
  expect_prefix(
      "# id = a\n0 1 5 root\n0 2 1 root\n1 2 11 obj\n\n0 1 2.5\n1 2 -inf\n0 2 1e-3\n\n0 1 7\n");
}

TEST(Damage, Labels) {
  const std::string names = raw(std::vector<std::uint32_t>{'a', 0, 'b', 'c'});
  const std::vector<std::uint8_t> ids = {0, 1, 0, 1, 0, 1, 0, 1};
  const std::string whole = zip_archive(
      {{"lp.npy", npy("<f4", "(4, 2)", raw(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}))},
       {"id.npy", npy("|u1", "(4, 2)", raw(ids))},
       {"names.npy", npy("<U2", "(2,)", names)}});
  const auto read_labels = [](const std::string& bytes) {
    try {
      auto reader = LabelReader::from_bytes(bytes, "damaged", 4, {});
      std::vector<float> scores;
      std::vector<std::int32_t> labels;
      reader.next(2, scores, labels);
      return labels.size() == 8 && labels[1] == 1 && scores[7] == 7.0F;
    } catch (const FormatError&) {
      return false;
    }
  };
  ASSERT_TRUE(read_labels(whole));
  for_every_cut(whole, [&](const std::string& bytes) { EXPECT_FALSE(read_labels(bytes)); });
  for_every_flip(whole, [&](const std::string& bytes) { read_labels(bytes); });
}

// Readers whose files are read to the end or to the first error.
template <class Reader, class Item>
void expect_end_or_error(const std::string& whole) {
  const auto read_all = [](const std::string& bytes) {
    try {
      auto reader = Reader::from_bytes(bytes, "damaged", {});
      for (Item item; reader.next(item);) {
      }
    } catch (const FormatError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("damaged: line ")) << error.what();
    }
  };
  for_every_cut(whole, read_all);
  for_every_flip(whole, read_all);
}

TEST(Damage, Conllu) {
  expect_end_or_error<ConlluReader, Sentence>(
      "# sent_id = 1\n# text = na\xC3\xAFve cat\n1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "1\tna\xC3\xAFve\t_\tADJ\t_\t_\t2\tamod\t_\t_\n2\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_\n\n");
}

TEST(Damage, WrittenTrees) {
  expect_end_or_error<TreeReader, WrittenTree>(
      "{\"id\": \"s1\", \"rank\": 1, \"score\": 3.5, \"gap\": 0, \"heads\": [0, 1], \"edges\": [0, "
      "2]}\n{\"id\": \"s2\", \"rank\": 0, \"error\": \"no tree\"}\n");
}

TEST(Damage, ManyMembersAndBombsInEveryPlace) {
  std::vector<std::pair<std::string, std::string>> members = {
      {"scores.npy", npy("<f4", "(2, 2)", raw(std::vector<float>(4)))}};
  EXPECT_FALSE(read(zip_archive(members, false)).refused);
  for (int i = 0; i < 70'000; ++i) members.emplace_back(std::to_string(i), "");
  EXPECT_TRUE(read(zip_archive(members, false)).refused);
  // 32 MiB of zeros in place of each array: lengths, names and heads are streams too.
  const std::string zeros(32 << 20, '\0');
  const std::string one = npy("<f4", "(4,)", raw(std::vector<float>{0, 1, 0, 0}));
  EXPECT_TRUE(read(zip_archive({{"scores.npy", one}, {"lengths.npy", zeros}})).refused);
  EXPECT_TRUE(
      read(zip_archive({{"scores.npy", one}, {"lengths.npy", npy("<i4", "(8388608,)", zeros)}}))
          .refused);
  EXPECT_TRUE(
      read(zip_archive({{"scores.npy", npy("<f4", "(2, 2)", zeros)}})).refused);  // data behind it
}

}  // namespace
}  // namespace coppice::io
