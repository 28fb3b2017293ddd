#include <fmt/format.h>

#include <coppice/io.hpp>
#include <limits>
#include <utility>

#include "graph/phrases.hpp"
#include "io/json_events.hpp"
#include "io/names.hpp"
#include "io/text_readers.hpp"

namespace coppice::io {
namespace {

class SentenceEvents : public JsonEvents {
 public:
  explicit SentenceEvents(const Limits& limits) : limits_(limits) {}

  // Fills the sentence; returns what is wrong with the line, or nothing.
  std::string read(std::string_view line, Sentence& sentence, Axes axes) {
    sentence_ = &sentence;
    row_ = column_ = columns_ = 0;
    words_.clear();
    tags_.clear();
    if (!std::holds_alternative<Matrix>(sentence.scores)) sentence.scores.emplace<Matrix>();
    Matrix& matrix = std::get<Matrix>(sentence.scores);
    if (!std::holds_alternative<std::vector<double>>(matrix.values)) {
      matrix.values = std::vector<double>();
    }
    values_ = &std::get<std::vector<double>>(matrix.values);
    values_->clear();
    std::string error = parse(line);
    if (error.empty()) error = check();
    if (!error.empty()) return error;
    matrix.nodes = static_cast<Node>(row_);
    matrix.axes = axes;
    sentence.nodes = row_;
    sentence.tokens.resize(std::max(words_.size(), tags_.size()));
    for (std::size_t i = 0; i < words_.size(); ++i) sentence.tokens[i].form = std::move(words_[i]);
    for (std::size_t i = 0; i < tags_.size(); ++i) sentence.tokens[i].upos = std::move(tags_[i]);
    return {};
  }

 private:
  bool wanted(std::string_view name) override {
    return name == "id" || name == "scores" || name == "words" || name == "tags" || name == "heads";
  }

  bool integer_value(std::int64_t value) override {
    if (field() == "id" && depth() == 0) {
      sentence_->id = fmt::to_string(value);
      return true;
    }
    if (field() == "heads" && depth() == 1) {
      if (full(sentence_->gold_heads.size())) return false;
      const bool fits = value >= 0 && value < kMaxNodes;
      sentence_->gold_heads.push_back(fits ? static_cast<Node>(value) : kNoNode);
      return true;
    }
    return float_value(static_cast<double>(value));
  }

  bool float_value(double value) override {
    if (field() == "id" && depth() == 0) {
      sentence_->id = fmt::format("{}", value);
      return true;
    }
    if (field() != "scores" || depth() != 2) return fail_type("a number");
    return add_score(value);
  }

  bool null_value() override {
    if (field() != "scores" || depth() != 2) return fail_type("null");
    return add_score(kNoWeight);
  }

  bool string_value(std::string& value) override {
    const bool is_id = field() == "id" && depth() == 0;
    if (std::string what = check_length(is_id ? "an id" : "a word", value, limits_); !what.empty())
      return fail(std::move(what));
    if (is_id) {
      sentence_->id = std::move(value);
    } else if ((field() == "words" || field() == "tags") && depth() == 1) {
      auto& list = field() == "words" ? words_ : tags_;
      if (full(list.size())) return false;
      list.push_back(std::move(value));
    } else {
      return fail_type("a string");
    }
    return true;
  }

  // A list has as many elements as it may have: fails.
  bool full(std::size_t size) {
    if (std::cmp_less(size, limits_.max_words)) return false;
    fail(fmt::format("more than {} words are not allowed", limits_.max_words));
    return true;
  }

  bool add_score(double value) {
    if (column_ > limits_.max_words) {
      return fail(fmt::format("more than {} words are not allowed", limits_.max_words));
    }
    values_->push_back(value);
    ++column_;
    return true;
  }

  bool list_begins() override {
    if (field() == "id" || depth() > (field() == "scores" ? 2 : 1)) return fail_type("a list");
    if (depth() == 2) column_ = 0;
    return true;
  }

  bool list_ends() override {
    if (field() != "scores" || depth() != 2) return true;
    if (row_ == 0) columns_ = column_;
    if (column_ != columns_) {
      return fail(fmt::format("ragged scores: row {} has {}, row 0 has {}", row_,
                              counted(column_, "number"), columns_));
    }
    if (++row_ > columns_) {
      return fail(fmt::format("scores have more than {}, but {}", counted(columns_, "row"),
                              counted(columns_, "column")));
    }
    return true;
  }

  std::string check() const {
    const std::int64_t words = row_ - 1;
    if (row_ == 0) return "no scores";
    if (row_ != columns_)
      return fmt::format("scores have {}, but {}", counted(row_, "row"),
                         counted(columns_, "column"));
    if (words < 1) return fmt::format("{} words", words);
    const std::pair<const char*, std::size_t> lists[] = {
        {"word", words_.size()}, {"tag", tags_.size()}, {"head", sentence_->gold_heads.size()}};
    for (const auto& [name, size] : lists) {
      if (size != 0 && size != static_cast<std::size_t>(words)) {
        return fmt::format("{}, but the scores are of {}", counted(size, name),
                           counted(words, "word"));
      }
    }
    return {};
  }

  Limits limits_;
  Sentence* sentence_ = nullptr;
  std::vector<double>* values_ = nullptr;
  std::int64_t row_ = 0, column_ = 0, columns_ = 0;
  std::vector<std::string> words_, tags_;
};

class JsonLinesReader : public Reader {
 public:
  JsonLinesReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : options_(options),
        lines_(std::move(source), options.limits.max_line_bytes),
        events_(options.limits) {}

  bool skip() override {
    if (!next_line()) return false;
    ++index_;
    return true;
  }

  bool ready(int milliseconds) override { return lines_.ready(milliseconds); }

  bool next(Sentence& sentence) override {
    sentence.clear();
    if (!next_line()) return false;
    sentence.index = index_;
    std::string error = lines_.too_long() ? fmt::format("a line of more than {} bytes",
                                                        options_.limits.max_line_bytes)
                                          : events_.read(line_, sentence, options_.axes);
    if (!error.empty()) {
      sentence.error = fmt::format("line {}: {}", lines_.number(), error);
      sentence.scores = std::monostate();
    }
    ++index_;
    return true;
  }

 private:
  bool next_line() {
    while (lines_.next(line_)) {
      if (lines_.too_long() || line_.find_first_not_of(" \t") != std::string::npos) return true;
    }
    return false;
  }

  ReadOptions options_;
  LineReader lines_;
  SentenceEvents events_;
  std::string line_;
  std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open_json_lines(std::unique_ptr<ByteSource> source, const std::string&,
                                        const ReadOptions& options) {
  return std::make_unique<JsonLinesReader>(std::move(source), options);
}

}  // namespace coppice::io
