#include "raw_text.hpp"

#include <fmt/format.h>

#include <coppice/io.hpp>
#include <nlohmann/json.hpp>

namespace coppice::cli {
namespace {

bool is_blank(const std::string& line) {
  return line.find_first_not_of("\r\n") == std::string::npos;
}

}  // namespace

RawText::RawText(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  if (!file_) throw io::FormatError(fmt::format("{}: cannot be read", path));
  more_ = next_line();
}

bool RawText::next_line() {
  ++line_number_;
  if (!std::getline(file_, line_)) return false;
  if (!file_.eof()) line_ += '\n';
  check_utf8();
  return true;
}

// Blank lines before the first sentence belong to it, all others to the sentence before them.
void RawText::next_sentence() {
  block_.clear();
  ++index_;
  const auto take = [&](bool blank) {
    while (more_ && is_blank(line_) == blank) {
      block_ += line_;
      more_ = next_line();
    }
  };
  if (index_ == 0) take(true);
  if (!more_)
    throw io::FormatError(
        fmt::format("{}: fewer sentences than the scores, only {}", path_, index_));
  take(false);
  take(true);
}

const std::string& RawText::sentence(std::int64_t index) {
  while (index_ < index) next_sentence();
  return block_;
}

void RawText::check_utf8() const {
  try {
    static_cast<void>(nlohmann::json(line_).dump());
  } catch (const nlohmann::json::exception&) {
    throw io::FormatError(fmt::format("{}: line {} is no UTF-8", path_, line_number_));
  }
}

}  // namespace coppice::cli
