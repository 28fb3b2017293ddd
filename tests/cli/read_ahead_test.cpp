// Sentences that a thread reads ahead are those of the reader, in its order, with its errors.
#include "read_ahead.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace coppice::cli {
namespace {

// Sentences 0, 1, 2 ..., of changing size; throws where it is told to.
class Counting : public io::Reader {
 public:
  explicit Counting(std::int64_t count, std::int64_t bad = -1, std::int64_t nodes = 3)
      : count_(count), bad_(bad), nodes_(nodes) {}

  bool next(io::Sentence& sentence) override {
    if (sentence.comments.capacity() > 0) throw std::runtime_error("memory of another sentence");
    sentence.clear();
    if (index_ == bad_) throw std::runtime_error("bad place");
    if (index_ == count_) return false;
    sentence.index = index_++;
    sentence.nodes = nodes_ + sentence.index % 7;
    sentence.text = std::to_string(sentence.index);
    return true;
  }
  bool skip() override {
    io::Sentence passed;
    return next(passed);
  }
  std::optional<io::Totals> totals() const override { return io::Totals{count_, 1}; }

 private:
  std::int64_t count_, bad_, nodes_, index_ = 0;
};

std::unique_ptr<ReadAhead> ahead(std::int64_t count, std::int64_t bad = -1,
                                 std::int64_t nodes = 3) {
  std::unique_ptr<io::Reader> reader = std::make_unique<Counting>(count, bad, nodes);
  return std::make_unique<ReadAhead>(reader);
}

TEST(ReadAhead, HandsOnEverySentenceInOrder) {
  for (const std::int64_t nodes : {3, 400, 2000})
    for (const std::int64_t count : {0, 1, 63, 64, 65, 1000}) {
      const auto reader = ahead(count, -1, nodes);
      EXPECT_EQ(reader->totals()->sentences, count);
      io::Sentence sentence;
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_TRUE(reader->next(sentence));
        ASSERT_EQ(sentence.index, i);
        ASSERT_EQ(sentence.text, std::to_string(i));
      }
      EXPECT_FALSE(reader->next(sentence));
      EXPECT_FALSE(reader->next(sentence));
    }
}

TEST(ReadAhead, AnErrorComesWhereItWouldHaveCome) {
  for (const std::int64_t bad : {0, 1, 64, 100, 640}) {
    const auto reader = ahead(1000, bad);
    io::Sentence sentence;
    for (std::int64_t i = 0; i < bad; ++i) ASSERT_TRUE(reader->next(sentence)) << bad;
    EXPECT_EQ(sentence.text, bad == 0 ? "" : std::to_string(bad - 1));
    EXPECT_THROW(reader->next(sentence), std::runtime_error) << bad;
  }
}

TEST(ReadAhead, SkipsAndStopsAnywhere) {
  for (int taken = 0; taken < 200; taken += 13) {
    const auto reader = ahead(1'000'000'000, -1, 100);  // never read to its end
    io::Sentence sentence;
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(reader->skip());
    ASSERT_TRUE(reader->next(sentence));
    EXPECT_EQ(sentence.index, taken);
  }
}

// Otherwise each of very many could grow as large as the largest one.
TEST(ReadAhead, KeepsNoMemoryOfSentencesThatWereTaken) {
  const auto reader = ahead(10'000);
  io::Sentence sentence;
  while (reader->next(sentence)) sentence.comments.resize(1000);
  EXPECT_EQ(sentence.index, 9999);
}

}  // namespace
}  // namespace coppice::cli
