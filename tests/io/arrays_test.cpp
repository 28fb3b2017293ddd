// NumPy arrays of every type, order and shape that io::open reads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <coppice/io.hpp>
#include <numeric>

#include "make_files.hpp"

namespace coppice::io {
namespace {

using test::npy;
using test::raw;
using test::swapped;
using test::zip_archive;

std::vector<Sentence> read_all(const std::string& bytes, const ReadOptions& options = {}) {
  const auto reader = open_bytes(bytes, "test", options);
  std::vector<Sentence> sentences;
  Sentence sentence;
  while (reader->next(sentence)) sentences.push_back(sentence);
  return sentences;
}

// The message of the FormatError that reading it throws.
std::string error_of(const std::string& bytes, const ReadOptions& options = {}) {
  try {
    read_all(bytes, options);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::vector<double>> weights(const Sentence& sentence) {
  const auto graph = sentence.graph();
  EXPECT_TRUE(graph.has_value()) << sentence.error;
  const DenseView& view = *graph->dense();
  std::vector<std::vector<double>> rows;
  for (Node h = 0; h < view.nodes(); ++h) {
    rows.emplace_back();
    for (Node d = 0; d < view.nodes(); ++d) rows.back().push_back(view.weight(h, d));
  }
  return rows;
}

const std::vector<std::vector<double>> kExpected = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};

std::vector<double> counted(std::size_t size) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}
template <class T>
std::vector<T> counted_as(std::size_t size) {
  const auto values = counted(size);
  return {values.begin(), values.end()};
}

TEST(Arrays, EveryTypeAndByteOrder) {
  // 0..8 as float16: sign, 5 bits of exponent, 10 of mantissa.
  const std::vector<std::uint16_t> halves = {0x0000, 0x3C00, 0x4000, 0x4200, 0x4400,
                                             0x4500, 0x4600, 0x4700, 0x4800};
  const std::pair<std::string, std::string> cases[] = {
      {"<f2", raw(halves)},
      {"<f4", raw(counted_as<float>(9))},
      {"<f8", raw(counted_as<double>(9))},
      {"|i1", raw(counted_as<std::int8_t>(9))},
      {"|u1", raw(counted_as<std::uint8_t>(9))},
      {"<i2", raw(counted_as<std::int16_t>(9))},
      {"<u4", raw(counted_as<std::uint32_t>(9))},
      {"<i8", raw(counted_as<std::int64_t>(9))},
  };
  for (const auto& [dtype, data] : cases) {
    EXPECT_EQ(weights(read_all(npy(dtype, "(3, 3)", data)).at(0)), kExpected) << dtype;
    const std::size_t width = data.size() / 9;
    std::string big = dtype;
    big[0] = '>';
    EXPECT_EQ(weights(read_all(npy(big, "(3, 3)", swapped(data, width))).at(0)), kExpected) << big;
  }
}

TEST(Arrays, UnsignedNumbersBeyondInt64) {
  std::vector<std::uint64_t> numbers(9, 1);
  EXPECT_EQ(read_all(npy("<u8", "(3, 3)", raw(numbers))).size(), 1u);
  numbers[4] = std::uint64_t{1} << 63;
  EXPECT_THROW(read_all(npy("<u8", "(3, 3)", raw(numbers))), FormatError);
}

TEST(Arrays, HalvesThatAreSpecial) {
  const std::vector<std::uint16_t> halves = {0,      0xFC00, 0x7C00, 0x0001, 0x8001,
                                             0x7E00, 0xBC00, 0x7BFF, 0};
  const auto rows = weights(read_all(npy("<f2", "(3, 3)", raw(halves))).at(0));
  EXPECT_EQ(rows[0][1], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(rows[0][2], std::numeric_limits<double>::infinity());
  EXPECT_EQ(rows[1][0], std::ldexp(1.0, -24));
  EXPECT_EQ(rows[1][1], -std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isnan(rows[1][2]));
  EXPECT_EQ(rows[2][0], -1.0);
  EXPECT_EQ(rows[2][1], 65504.0);
}

TEST(Arrays, OrderAndAxes) {
  const std::string data = raw(counted(9));
  const std::vector<std::vector<double>> turned = {{0, 3, 6}, {1, 4, 7}, {2, 5, 8}};
  const ReadOptions by_dependent{.axes = Axes::dependent_head};
  EXPECT_EQ(weights(read_all(npy("<f8", "(3, 3)", data, true)).at(0)), turned);
  EXPECT_EQ(weights(read_all(npy("<f8", "(3, 3)", data), by_dependent).at(0)), turned);
  EXPECT_EQ(weights(read_all(npy("<f8", "(3, 3)", data, true), by_dependent).at(0)), kExpected);
}

// Three sentences of 2, 1 and 2 words in all the layouts there are.
class Layouts : public ::testing::TestWithParam<bool> {
 protected:
  static void expect_sentences(const std::vector<Sentence>& sentences) {
    ASSERT_EQ(sentences.size(), 3u);
    for (std::size_t s = 0; s < 3; ++s) {
      const auto rows = weights(sentences[s]);
      ASSERT_EQ(rows.size(), s == 1 ? 2u : 3u);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
          EXPECT_EQ(rows[i][j], static_cast<double>(100 * s + 10 * i + j));
        }
      }
      EXPECT_EQ(sentences[s].index, static_cast<std::int64_t>(s));
      const std::vector<Node> gold = s == 1 ? std::vector<Node>{0} : std::vector<Node>{2, 0};
      EXPECT_EQ(sentences[s].gold_heads, gold);
    }
  }
  static float value(std::size_t s, std::size_t i, std::size_t j) {
    return static_cast<float>(100 * s + 10 * i + j);
  }
};

TEST_P(Layouts, Flat) {
  std::vector<float> flat;
  for (std::size_t s = 0; s < 3; ++s) {
    const std::size_t nodes = s == 1 ? 2 : 3;
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t j = 0; j < nodes; ++j) flat.push_back(value(s, i, j));
    }
  }
  expect_sentences(read_all(zip_archive(
      {{"lengths.npy", npy("<i4", "(3,)", raw(std::vector<std::int32_t>{2, 1, 2}))},
       {"scores.npy", npy("<f4", "(22,)", raw(flat))},
       {"heads.npy", npy("<i2", "(5,)", raw(std::vector<std::int16_t>{2, 0, 0, 2, 0}))}},
      GetParam())));
}

TEST_P(Layouts, Padded) {
  std::vector<float> by_row, by_column(27);
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        by_row.push_back(value(s, i, j));
        by_column[s + 3 * (i + 3 * j)] = value(s, i, j);
      }
    }
  }
  const std::string lengths = npy("<i8", "(3,)", raw(std::vector<std::int64_t>{2, 1, 2}));
  const std::string heads = npy("|i1", "(3, 2)", raw(std::vector<std::int8_t>{2, 0, 0, -1, 2, 0}));
  const std::string with_root =
      npy("|i1", "(3, 3)", raw(std::vector<std::int8_t>{-1, 2, 0, -1, 0, -1, -1, 2, 0}));
  expect_sentences(read_all(zip_archive({{"lengths.npy", lengths},
                                         {"scores.npy", npy("<f4", "(3, 3, 3)", raw(by_row))},
                                         {"heads.npy", heads}},
                                        GetParam())));
  expect_sentences(
      read_all(zip_archive({{"lengths.npy", lengths},
                            {"scores.npy", npy("<f4", "(3, 3, 3)", raw(by_column), true)},
                            {"heads.npy", with_root}},
                           GetParam())));
}

INSTANTIATE_TEST_SUITE_P(StoredAndDeflated, Layouts, ::testing::Bool());

TEST(Arrays, OneArrayOfAnyName) {
  const std::string bytes = zip_archive({{"arr_0.npy", npy("<f8", "(3, 3)", raw(counted(9)))}});
  EXPECT_EQ(weights(read_all(bytes).at(0)), kExpected);
}

TEST(Arrays, SkippedSentencesAreAsIfRead) {
  std::vector<float> flat(9 + 4 + 9);
  std::iota(flat.begin(), flat.end(), 0.0f);
  const std::string bytes =
      zip_archive({{"lengths.npy", npy("<i4", "(3,)", raw(std::vector<std::int32_t>{2, 1, 2}))},
                   {"scores.npy", npy("<f4", "(22,)", raw(flat))}});
  const auto reader = open_bytes(bytes, "test", {});
  EXPECT_EQ(reader->totals()->sentences, 3);
  EXPECT_EQ(reader->totals()->arcs, 22);
  EXPECT_TRUE(reader->skip());
  EXPECT_TRUE(reader->skip());
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(sentence.index, 2);
  EXPECT_EQ(weights(sentence)[0][0], 13.0);
  EXPECT_FALSE(reader->skip());
}

TEST(Arrays, BrokenSentencesDoNotStopTheOthers) {
  const std::string bytes =
      zip_archive({{"lengths.npy", npy("<i4", "(3,)", raw(std::vector<std::int32_t>{1, 0, 3}))},
                   {"scores.npy", npy("<f4", "(21,)", raw(std::vector<float>(21)))}});
  const auto sentences = read_all(bytes, {.limits = {.max_words = 2}});
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_EQ(sentences[0].error, "");
  EXPECT_EQ(sentences[1].error, "0 words");
  EXPECT_EQ(sentences[2].error, "3 words; at most 2 are allowed");
  EXPECT_FALSE(sentences[2].graph().has_value());
}

TEST(HostileArrays, SizesThatLie) {
  const auto flat = [](const std::string& lengths, const std::string& scores) {
    return zip_archive({{"lengths.npy", lengths}, {"scores.npy", scores}});
  };
  const std::string one = npy("<i4", "(1,)", raw(std::vector<std::int32_t>{2}));
  const std::string nine = npy("<f4", "(9,)", raw(std::vector<float>(9)));
  EXPECT_EQ(error_of(flat(npy("<i4", "(1,)", raw(std::vector<std::int32_t>{1'000'000'000})), nine)),
            "test: scores: 9 scores, but the lengths of 1 sentence ask for 1000000002000000001");
  EXPECT_EQ(error_of(flat(npy("<i4", "(1,)", raw(std::vector<std::int32_t>{-2})), nine)),
            "test: lengths: sentence 0 has -2 words");
  EXPECT_EQ(error_of(flat(npy("<i8", "(1,)", raw(std::vector<std::int64_t>{1LL << 62})), nine)),
            "test: lengths: sentence 0 has 4611686018427387904 words");
  EXPECT_EQ(
      error_of(flat(npy("<i4", "(9,)", raw(std::vector<std::int32_t>(3, 2'000'000'000))), nine)),
      "test: lengths: truncated: the data ends at element 3 of 9");
  EXPECT_EQ(error_of(flat(one, npy("<f4", "(9,)", raw(std::vector<float>(5))))),
            "test: scores: truncated: the data ends at element 5 of 9");
  EXPECT_EQ(error_of(flat(one, npy("<f4", "(9,)", raw(std::vector<float>(10))))),
            "test: scores: there is data behind the last of 9 elements");
  EXPECT_EQ(error_of(npy("<f4", "(4611686018427387904, 3, 3)", "")),
            "test: an array of shape (4611686018427387904, 3, 3) cannot exist");
  EXPECT_EQ(error_of(npy("<f4", "(1000000001, 1000000001)", "")),
            "test: matrices of 1000000001 nodes; at most 10000 words are allowed");
  EXPECT_EQ(error_of(npy("<f8", "(99999999999, 101, 101)", "", true)),
            "test: a batch of 1020099999989799 scores in Fortran order is too large to be held in "
            "memory; save it in C order (numpy.ascontiguousarray)");
  EXPECT_EQ(error_of(npy("<f8", "(4000000000000000000, 0, 0)", "")),
            "test: matrices without nodes");
}

TEST(HostileArrays, NotWhatTheyShouldBe) {
  EXPECT_EQ(error_of(npy("<f4", "(9,)", raw(std::vector<float>(9)))),
            "test: scores are flat, but there are no lengths");
  EXPECT_EQ(error_of(npy("<f4", "(2, 3)", raw(std::vector<float>(6)))),
            "test: scores of shape (2, 3) are not square");
  EXPECT_EQ(error_of(npy("<c8", "(3, 3)", "")),
            "test: bad array header at byte 15: the dtype '<c8' is not supported");
  EXPECT_EQ(error_of(npy("|S4", "(3, 3)", "")), "test: scores of type <S4");
  EXPECT_EQ(error_of(zip_archive({{"x.npy", ""}, {"y.txt", ""}})),
            "test: no array named scores; there are: x.npy, y.txt");
  EXPECT_EQ(error_of("PK\x03\x04 but no more"),
            "test: not a readable archive: no directory at its end; is it whole?");
  EXPECT_EQ(error_of(zip_archive({{"scores.npy", "nothing"}})),
            "test: scores: not a NumPy array: the first bytes are wrong");
}

TEST(HostileArrays, HeadersThatAreCut) {
  const std::string whole = npy("<f4", "(3, 3)", raw(std::vector<float>(9)));
  for (std::size_t size = 6; size < whole.size(); ++size) {
    EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
  }
}

TEST(HostileArrays, ArchivesThatAreDamaged) {
  std::vector<float> flat(2209);
  for (std::size_t i = 0; i < flat.size(); ++i) flat[i] = static_cast<float>(i * 7919 % 1013);
  const std::string whole =
      zip_archive({{"lengths.npy", npy("<i4", "(1,)", raw(std::vector<std::int32_t>{46}))},
                   {"scores.npy", npy("<f4", "(2209,)", raw(flat))}});
  // Cut anywhere, or with any byte changed, it is an error or the same numbers: never a crash, and
  // never other numbers, since the checksum covers them.
  const auto expected = weights(read_all(whole).at(0));
  for (std::size_t at = 1; at < whole.size(); at += 11) {
    EXPECT_NE(error_of(whole.substr(0, at)), "no error") << at;
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    try {
      const auto sentences = read_all(changed);
      ASSERT_EQ(sentences.size(), 1u);
      EXPECT_EQ(weights(sentences[0]), expected) << at;
    } catch (const FormatError&) {
    }
  }
}

TEST(HostileArrays, ABombIsReadInSmallPieces) {
  // 64 MiB of zeros in 64 KiB: one sentence of 4,095 words, more than allowed here.
  const std::string bytes =
      zip_archive({{"lengths.npy", npy("<i4", "(2,)", raw(std::vector<std::int32_t>{4095, 1}))},
                   {"scores.npy", npy("<f4", "(16777220,)", std::string(4 * 16'777'220, '\0'))}});
  EXPECT_LT(bytes.size(), 1u << 17);
  const auto sentences = read_all(bytes, {.limits = {.max_words = 1000}});
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0].error, "4095 words; at most 1000 are allowed");
  EXPECT_TRUE(sentences[1].graph().has_value());
}

TEST(Labels, EveryCellHasItsLabels) {
  const auto file = [](const std::string& shape, const std::vector<std::uint8_t>& ids) {
    const std::string names = raw(std::vector<std::uint32_t>{'a', 0x65E5, 'b', 0});
    return zip_archive({{"lp.npy", npy("<f4", shape, raw(counted_as<float>(8)))},
                        {"id.npy", npy("|u1", shape, raw(ids))},
                        {"names.npy", npy("<U2", "(2,)", names)}});
  };
  std::vector<float> scores;
  std::vector<std::int32_t> ids;
  for (const std::string shape : {"(8,)", "(4, 2)"}) {
    const std::string bytes = file(shape, {0, 1, 0, 1, 1, 0, 1, 0});
    auto reader = LabelReader::from_bytes(bytes, "test", 4, {});
    EXPECT_EQ(reader.per_arc(), 2);
    EXPECT_EQ(*reader.names(), (std::vector<std::string>{"a日", "b"}));
    reader.next(2, scores, ids);
    EXPECT_EQ(scores, counted_as<float>(8));
    EXPECT_EQ(ids, (std::vector<std::int32_t>{0, 1, 0, 1, 1, 0, 1, 0}));
  }
  const std::string bad = file("(8,)", {0, 1, 0, 7, 0, 0, 0, 0});
  auto reader = LabelReader::from_bytes(bad, "test", 4, {});
  EXPECT_THROW(reader.next(2, scores, ids), FormatError);
  EXPECT_THROW(LabelReader::from_bytes(bad, "test", 3, {}), FormatError);
}

TEST(Labels, FromTheBundledFile) {
  const std::string folder = std::string(COPPICE_DATA) + "/ud-scores/";
  const auto reader = open(folder + "English-EWT.npz", {});
  LabelReader labels(folder + "English-EWT.labels.npz", reader->totals()->arcs, {});
  EXPECT_EQ(labels.per_arc(), 3);
  EXPECT_EQ(labels.names()->size(), 38u);
  EXPECT_EQ(labels.names()->at(2), "acl");
  std::vector<float> scores;
  std::vector<std::int32_t> ids;
  Sentence sentence;
  std::int64_t sentences = 0;
  for (; reader->next(sentence); ++sentences) labels.next(sentence.nodes, scores, ids);
  EXPECT_EQ(sentences, 2077);
  EXPECT_THROW(labels.next(2, scores, ids), FormatError);
  EXPECT_THROW(LabelReader(folder + "English-EWT.labels.npz", 588'952, {}), FormatError);
  EXPECT_THROW(LabelReader(folder + "English-EWT.labels.npz", std::nullopt, {}), FormatError);
}

}  // namespace
}  // namespace coppice::io
