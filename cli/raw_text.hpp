// The sentences of a CoNLL-U file as they stand there, byte by byte: put together again they are
// the file.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace coppice::cli {

class RawText {
 public:
  // Throws io::FormatError where the file cannot be opened.
  explicit RawText(const std::string& path);

  // Sentence number index; numbers must not go down. Throws io::FormatError where there are not so
  // many, and for bytes that are no UTF-8: a page could not give them back.
  const std::string& sentence(std::int64_t index);

 private:
  bool next_line();
  void next_sentence();
  void check_utf8() const;

  std::string path_;
  std::ifstream file_;
  std::string block_;  // the sentence asked for last
  std::int64_t index_ = -1;
  std::int64_t line_number_ = 0;
  std::string line_;  // behind the block, with its end of line
  bool more_ = true;
};

}  // namespace coppice::cli
