// The blocks of a text put together are the text, and there are as many as the reader finds.
#include "raw_text.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <coppice/io.hpp>
#include <filesystem>
#include <fstream>
#include <random>

namespace coppice::cli {
namespace {

class RawTexts : public testing::Test {
 protected:
  // Every sentence that the reader finds, as it stands in the file.
  std::string read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    RawText raw(path_);
    auto reader = io::ConlluReader::from_bytes(text, "text", {});
    std::string all;
    std::int64_t sentences = 0;
    while (reader.skip()) all += raw.sentence(sentences++);
    EXPECT_THROW(raw.sentence(sentences), io::FormatError);
    return all;
  }

  void TearDown() override { std::filesystem::remove(path_); }

  // Tests run side by side.
  std::string path_ = testing::TempDir() + "raw_text-" + std::to_string(::getpid()) + ".conllu";
};

TEST_F(RawTexts, BlocksAreTheFile) {
  for (const char* text :
       {"a\n", "a", "a\n\nb", "\n\na\n\n\nb\n\n", "\r\na\r\n\r\nb\r\n", "#\n\n#"})
    EXPECT_EQ(read(text), text);
}

TEST_F(RawTexts, BlocksOfRandomTextsAreTheFile) {
  std::mt19937 random(17);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    const int pieces = static_cast<int>(random() % 12);
    for (int i = 0; i < pieces; ++i)
      text += std::array{"\n", "\r\n", "a", "#", "\n\n", "\t"}[random() % 6];
    const bool blank = text.find_first_not_of("\r\n") == std::string::npos;
    EXPECT_EQ(read(text), blank ? "" : text) << testing::PrintToString(text);
  }
}

TEST_F(RawTexts, NamesTheLineThatIsNoUtf8) {
  std::ofstream(path_, std::ios::binary) << "a\n\nb\xFF\n";
  RawText raw(path_);
  try {
    raw.sentence(1);
    FAIL() << "no error";
  } catch (const io::FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("line 3 is no UTF-8"), std::string::npos);
  }
}

}  // namespace
}  // namespace coppice::cli
