// All the input of a command as one sequence of sentences: several files one after the other, words
// from a CoNLL-U file, label scores, a part of the whole.
#pragma once

#include <coppice/io.hpp>
#include <coppice/problem.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "edges_by_id.hpp"
#include "guarantee.hpp"
#include "temperature.hpp"

namespace coppice::cli {

// Part number of count, from 1; the parts are contiguous and as equal as can be.
struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;
};

struct InputOptions {
  std::vector<std::string> paths;
  io::ReadOptions read;
  std::string text_path;    // CoNLL-U, or empty
  std::string labels_path;  // label scores, or empty
  Shard shard;
  Temperature temperature;
  std::string temperature_path;  // what it was read from; a number is no file
  std::string guarantee_path;    // what was read from it, or empty
  std::optional<Guarantee> guarantee;
  std::optional<std::int64_t> limit;  // only the first so many sentences (of the shard)

  // HEAD:DEPENDENT as typed, numbers or names; files of them, and of dates.
  std::vector<std::string> required, forbidden;
  std::string required_path, forbidden_path, dates_path;

  // CoNLL-U whose heads, perhaps labels too, stay where there are any; --text is the same file.
  std::string kept_path;
  bool keep_labels = false;
};

// What was typed or is in the files, put where it belongs: arcs between numbers into the problem,
// names into what readers know. Throws UsageError and io::FormatError.
InputOptions resolved(InputOptions options, Problem& problem);

class Input {
 public:
  // Throws io::FormatError and UsageError.
  explicit Input(InputOptions options);
  ~Input();

  // The next sentence of the shard. Indices run on from file to file.
  bool next(io::Sentence& sentence);
  // Passes over sentences that an earlier run has dealt with; false where there are not so many.
  bool skip(std::int64_t count);
  // What waits for one may wait long.
  bool has_pipes() const;
  // From now on up to so many files are read at the same time, each by a thread of its own. Not
  // where there are pipes.
  void read_ahead(int files);
  // False where next() would have to wait for a pipe.
  bool ready(int milliseconds);
  // Do sentences get label scores?
  bool has_labels() const { return labels_ != nullptr; }
  // Was there no sentence at all?
  bool is_empty() const;
  // Of the shard, where it can be known without reading everything.
  std::optional<std::int64_t> total() const;

 private:
  bool next_of_all(io::Sentence& sentence);
  bool skip_of_all();
  std::unique_ptr<io::Reader> open_file();
  bool open_next_file();
  void choose_shard();
  void finish();
  void check_kind(const io::Sentence& sentence) const;
  static void keep_arc_scores(io::Sentence& sentence);
  void add_text(io::Sentence& sentence);
  [[noreturn]] void refuse_text(std::int64_t sentences) const;
  void add_labels(io::Sentence& sentence);
  void keep(io::Sentence& sentence) const;
  static void keep_labels(io::Sentence& sentence, const std::vector<Node>& heads);
  void find_dated(const io::Sentence& sentence);

  InputOptions options_;
  std::size_t files_opened_ = 0;
  std::size_t files_ahead_ = 0;
  std::unique_ptr<io::Reader> reader_;
  std::deque<std::unique_ptr<io::Reader>> later_readers_;  // of the files behind it
  std::unique_ptr<io::ConlluReader> text_;
  std::unique_ptr<io::LabelReader> labels_;
  std::optional<EdgesById> required_, forbidden_;  // of single sentences
  std::optional<io::Totals> totals_;               // of all files
  std::int64_t index_ = 0;                         // of the next sentence, over all files
  std::int64_t begin_ = 0;                         // of the shard
  std::optional<std::int64_t> end_;
  bool is_last_part_ = false;
  bool finished_ = false;  // every file is at its end
  // Names that have a date and were in no graph so far; nothing where that cannot be known.
  std::optional<std::unordered_set<std::string>> dates_left_;
  std::vector<float> label_scores_;
  std::vector<std::int32_t> label_ids_;
};

}  // namespace coppice::cli
