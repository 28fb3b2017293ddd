#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <coppice/io.hpp>
#include <utility>

#include "io/bytes.hpp"
#include "io/names.hpp"
#include "text/numbers.hpp"

namespace coppice::io {
namespace {

constexpr std::size_t kColumns = 10;
using Columns = std::array<std::string_view, kColumns>;

bool split_columns(std::string_view line, Columns& columns) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != (i == kColumns - 1)) return false;
    columns[i] = line.substr(0, tab);
    line.remove_prefix(std::min(line.size(), tab == std::string_view::npos ? tab : tab + 1));
  }
  return true;
}

// "# name = value"; false where it is another comment.
bool comment_value(std::string_view line, std::string_view name, std::string& value) {
  line.remove_prefix(1);
  const std::size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos || !line.substr(start).starts_with(name)) return false;
  line.remove_prefix(start + name.size());
  const std::size_t equals = line.find_first_not_of(' ');
  if (equals == std::string_view::npos || line[equals] != '=') return false;
  const std::size_t begin = line.find_first_not_of(' ', equals + 1);
  value = begin == std::string_view::npos ? std::string() : std::string(line.substr(begin));
  return true;
}

// What append_conllu says of a tree. It is not true of another one.
bool is_our_own(std::string_view line) {
  return line.starts_with("# kbest_") || line.starts_with("# highlight ");
}

}  // namespace

class ConlluReader::Impl {
 public:
  Impl(std::unique_ptr<ByteSource> source, std::string name, const Limits& limits)
      : name_(std::move(name)), lines_(std::move(source), limits.max_line_bytes), limits_(limits) {}

  // Without a sentence nothing is kept.
  bool next(Sentence* sentence, bool partial) {
    partial_ = partial;
    bool any = false;
    std::int64_t bytes = 0;
    if (sentence != nullptr) {
      sentence->tokens.clear();
      sentence->text.clear();
      sentence->multiword_lines.clear();
      sentence->comments.clear();
      sentence->gold_heads.clear();
      sentence->gold_labels.clear();
    }
    while (lines_.next(line_)) {
      if (lines_.too_long()) fail("too long");
      if (line_.empty() && any) break;
      if (line_.empty()) continue;
      any = true;
      if (sentence == nullptr) continue;
      bytes += static_cast<std::int64_t>(line_.size());
      if (bytes > limits_.max_line_bytes)
        fail(fmt::format("a sentence of more than {} bytes", limits_.max_line_bytes));
      add_line(*sentence);
    }
    if (any && sentence != nullptr && !partial) drop_partial_gold(*sentence);
    return any;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: line {}: {}", name_, lines_.number(), what));
  }

  void add_line(Sentence& sentence) const {
    if (line_.starts_with('#')) {
      if (comment_value(line_, "sent_id", sentence.id)) {
        if (const std::string what = check_length("an id", sentence.id, limits_); !what.empty())
          fail(what);
      } else if (!comment_value(line_, "text", sentence.text) && !is_our_own(line_)) {
        sentence.comments.push_back(line_);
      }
      return;
    }
    Columns columns;
    if (!split_columns(line_, columns)) fail("ten columns between tabs expected");
    const std::string_view id = columns[0];
    if (id.find('-') != std::string_view::npos) {
      if (std::cmp_greater_equal(sentence.multiword_lines.size(), limits_.max_words))
        fail(fmt::format("more than {} ranges of words", limits_.max_words));
      sentence.multiword_lines.push_back(line_);
      return;
    }
    if (id.find('.') != std::string_view::npos) return;  // an empty node is no word
    const auto number = text::parse_number<std::int64_t>(id);
    if (!number || *number != static_cast<std::int64_t>(sentence.tokens.size()) + 1) {
      fail(fmt::format("'{}' where word {} is expected", id, sentence.tokens.size() + 1));
    }
    if (*number > limits_.max_words) fail(fmt::format("more than {} words", limits_.max_words));
    add_word(columns, sentence);
  }

  void add_word(const Columns& columns, Sentence& sentence) const {
    const auto text = [&](std::size_t i) { return std::string(columns[i]); };
    sentence.tokens.push_back({text(1), text(2), text(3), text(4), text(5), text(9), text(8)});
    const auto head = text::parse_number<Node>(columns[6]);
    if (partial_ && columns[6] != "_" && !(head && *head >= 0))
      fail(fmt::format("head '{}': a number or _ expected", columns[6]));
    sentence.gold_heads.push_back(head && *head >= 0 ? *head : kNoNode);
    sentence.gold_labels.push_back(text(7));
  }

  // Words without a head: there is no gold tree.
  static void drop_partial_gold(Sentence& sentence) {
    auto& heads = sentence.gold_heads;
    if (std::find(heads.begin(), heads.end(), kNoNode) == heads.end()) return;
    heads.clear();
    sentence.gold_labels.clear();
  }

  std::string name_;
  LineReader lines_;
  Limits limits_;
  std::string line_;
  bool partial_ = false;  // words without a head are no fault of the others
};

ConlluReader::ConlluReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ConlluReader::ConlluReader(const std::string& path, const Limits& limits)
    : impl_(std::make_unique<Impl>(open_file(path), path, limits)) {}
ConlluReader ConlluReader::from_bytes(std::string_view bytes, const std::string& name,
                                      const Limits& limits) {
  return ConlluReader(std::make_unique<Impl>(open_memory(bytes), name, limits));
}
ConlluReader::ConlluReader(ConlluReader&&) noexcept = default;
ConlluReader::~ConlluReader() = default;

bool ConlluReader::next(Sentence& sentence, bool partial) {
  return impl_->next(&sentence, partial);
}
bool ConlluReader::skip() { return impl_->next(nullptr, false); }

}  // namespace coppice::io
