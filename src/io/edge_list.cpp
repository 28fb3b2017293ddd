// One edge per line: between blanks, or as TSV or CSV, with or without a header.
#include <fmt/format.h>

#include <coppice/io.hpp>
#include <optional>
#include <utility>

#include "graph/phrases.hpp"
#include "io/graph_builder.hpp"
#include "io/table.hpp"
#include "io/text_readers.hpp"

namespace coppice::io {
namespace {

class EdgeListReader : public Reader {
 public:
  EdgeListReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : options_(options.graph),
        lines_(std::move(source), options.limits.max_line_bytes),
        builder_(options_, options.limits) {}

  bool skip() override { return read_graph(nullptr); }

  bool ready(int milliseconds) override { return lines_.ready(milliseconds); }

  bool next(Sentence& sentence) override {
    sentence.clear();
    if (!read_graph(&sentence)) return false;
    if (sentence.error.empty()) builder_.build(sentence);
    return true;
  }

 private:
  // Reads to the blank line behind a graph, or to where a header, a comment or a column says that
  // another one begins.
  // Without a sentence nothing is kept.
  bool read_graph(Sentence* sentence) {
    builder_.clear();
    std::string error;
    bool any = false, blank = false;  // lines of the graph; a blank line behind them
    while (next_line()) {
      if (!lines_.too_long() && line_.find_first_not_of(kBlanks) == std::string::npos) {
        if (any && !has_header()) break;
        blank = any;
        continue;
      }
      if (line_.starts_with('#')) {
        auto named = id_comment(line_);
        if (named && blank) {
          held_ = true;
          break;
        }
        if (named) id_ = std::move(*named);
        continue;
      }
      std::string what = lines_.too_long() ? "too long" : take_fields();
      if (what.empty() && is_header_) {
        if (blank) break;
        continue;
      }
      if (what.empty() && of_next_graph(any)) {
        held_ = true;
        break;
      }
      if (what.empty() && blank && first_line_->columns.graph == Columns::kNone)
        what = "a blank line before it: another graph begins with the header again, or \"# id =\"";
      any = true;
      if (sentence == nullptr || !error.empty()) continue;
      if (what.empty()) what = add_edge();
      if (!what.empty()) error = fmt::format("line {}: {}", lines_.number(), what);
    }
    if (!any) return false;
    std::string id = std::exchange(id_, std::string());
    if (!graph_.empty()) id = graph_;
    if (sentence != nullptr) {
      sentence->index = index_;
      sentence->error = std::move(error);
      builder_.set_id(std::move(id), *sentence);
    }
    ++index_;
    return true;
  }

  // Whether a blank line ends a graph: below a header it may well be an accident.
  bool has_header() const { return first_line_ && first_line_->header; }

  bool next_line() {
    if (std::exchange(held_, false)) return true;
    return lines_.next(line_);
  }

  // The first line of the file, and any later one that is the same, may be a header.
  std::string take_fields() {
    is_header_ = false;
    if (!separator_) separator_ = separator_of(line_);
    if (std::string what = split_fields(line_, *separator_, fields_); !what.empty()) return what;
    if (separator_ == Separator::tab && fields_.size() < 3)
      if (std::string what = split_fields(line_, Separator::blanks, fields_); !what.empty())
        return what;
    if (first_line_) {
      is_header_ = first_line_->header && fields_ == header_;
      return {};
    }
    FirstLine first = read_first_line(fields_, options_.columns);
    if (!first.wrong.empty()) return first.wrong;
    is_header_ = first.header;
    if (is_header_) header_ = fields_;
    first_line_ = std::move(first);
    return {};
  }

  // Whether the column that names graphs names another one than before.
  bool of_next_graph(bool any) {
    const std::size_t column = first_line_->columns.graph;
    if (column >= fields_.size()) return false;
    if (any && fields_[column] != graph_) return true;
    graph_ = fields_[column];
    return false;
  }

  std::string add_edge() {
    const Columns& columns = first_line_->columns;
    const bool header = first_line_->header;
    const std::size_t needed = std::max({columns.source, columns.target, columns.weight}) + 1;
    if (fields_.size() < needed || (!header && options_.columns.empty() && fields_.size() > 4))
      return header ? fmt::format("{}, but the weight is number {}",
                                  counted(fields_.size(), "field"), columns.weight + 1)
                    : "not an edge: \"source target weight [label]\" expected";
    Weight weight;
    std::string what = Weight::parse(fields_[columns.weight], weight);
    if (!what.empty()) return what;
    std::optional<std::string> label;
    const std::size_t of_label = header || !options_.columns.empty() ? columns.label : 3;
    if (of_label < fields_.size()) label = fields_[of_label];
    const std::string &source = fields_[columns.source], &target = fields_[columns.target];
    if (what = builder_.add_edge(source, target, weight, label); !what.empty()) return what;
    if (what = add_date(source, columns.source_date); !what.empty()) return what;
    return add_date(target, columns.target_date);
  }

  std::string add_date(const std::string& name, std::size_t column) {
    if (column >= fields_.size() || is_missing(fields_[column])) return {};
    return builder_.add_date(name, fields_[column]);
  }

  GraphOptions options_;
  LineReader lines_;
  std::string line_;
  bool held_ = false;  // the line is of the next graph
  std::optional<Separator> separator_;
  std::optional<FirstLine> first_line_;
  std::vector<std::string> fields_, header_;
  bool is_header_ = false;
  std::string id_, graph_;
  GraphBuilder builder_;
  std::int64_t index_ = 0;
};

// Lines of a small table, perhaps below a header.
class RowReader {
 public:
  RowReader(const std::string& path, const Limits& limits)
      : path_(path), lines_(open_file(path), limits.max_line_bytes) {}

  // The next line with at least so many fields; false at the end.
  bool next(std::vector<std::string>& fields, std::size_t needed) {
    do {
      if (!lines_.next(line_)) return false;
    } while (line_.find_first_not_of(kBlanks) == std::string::npos || line_.starts_with('#'));
    if (!separator_) separator_ = separator_of(line_);
    if (lines_.too_long() || !split_fields(line_, *separator_, fields).empty() ||
        fields.size() < needed)
      fail(needed == 2 ? "two columns expected" : fmt::format("{} columns expected", needed));
    return true;
  }
  [[noreturn]] void fail(const std::string& wrong) const {
    throw FormatError(fmt::format("{}: line {}: {}", path_, lines_.number(), wrong));
  }
  std::int64_t line() const { return lines_.number(); }

 private:
  std::string path_;
  LineReader lines_;
  std::string line_;
  std::optional<Separator> separator_;
};

}  // namespace

std::unique_ptr<Reader> open_edge_list(std::unique_ptr<ByteSource> source, const std::string&,
                                       const ReadOptions& options) {
  return std::make_unique<EdgeListReader>(std::move(source), options);
}

class EdgeNameReader::Impl {
 public:
  Impl(const std::string& path, const Limits& limits) : rows_(path, limits) {
    if (!rows_.next(fields_, 2)) return;
    std::vector<std::string> header = fields_;
    header.emplace_back("weight");  // which these files do without
    const FirstLine line = read_first_line(header, {});
    held_ = !line.header;
    if (!line.header) return;
    columns_ = line.columns;
    needed_ = std::max(columns_.source, columns_.target) + 1;
    if (names_graphs()) needed_ = std::max(needed_, columns_.graph + 1);
  }

  bool names_graphs() const { return columns_.graph != Columns::kNone; }
  const std::string& graph() const { return graph_; }
  std::int64_t line() const { return rows_.line(); }

  bool next(GraphOptions::EdgeName& edge) {
    if (!std::exchange(held_, false) && !rows_.next(fields_, needed_)) return false;
    edge.source = fields_[columns_.source];
    edge.target = fields_[columns_.target];
    if (names_graphs()) graph_ = fields_[columns_.graph];
    return true;
  }

 private:
  RowReader rows_;
  std::vector<std::string> fields_;
  std::string graph_;
  bool held_ = false;  // the first line is an edge that was not asked for yet
  Columns columns_;
  std::size_t needed_ = 2;
};

EdgeNameReader::EdgeNameReader(const std::string& path, const Limits& limits)
    : impl_(std::make_unique<Impl>(path, limits)) {}
EdgeNameReader::EdgeNameReader(EdgeNameReader&&) noexcept = default;
EdgeNameReader& EdgeNameReader::operator=(EdgeNameReader&&) noexcept = default;
EdgeNameReader::~EdgeNameReader() = default;
bool EdgeNameReader::names_graphs() const { return impl_->names_graphs(); }
bool EdgeNameReader::next(GraphOptions::EdgeName& edge) { return impl_->next(edge); }
const std::string& EdgeNameReader::graph() const { return impl_->graph(); }
std::int64_t EdgeNameReader::line() const { return impl_->line(); }

std::vector<GraphOptions::EdgeName> read_edge_names(const std::string& path, const Limits& limits) {
  EdgeNameReader reader(path, limits);
  std::vector<GraphOptions::EdgeName> edges;
  for (GraphOptions::EdgeName edge; reader.next(edge);) edges.push_back(edge);
  return edges;
}

GraphOptions::Dates read_dates(const std::string& path, const Limits& limits) {
  GraphOptions::Dates dates;
  std::optional<bool> calendar;
  RowReader rows(path, limits);
  std::vector<std::string> fields;
  for (bool first = true; rows.next(fields, 2); first = false) {
    GraphOptions::Date date{};
    if (const std::string wrong = read_date(fields[1], calendar, date); !wrong.empty()) {
      if (first && names_column(fields[1])) continue;  // a header
      rows.fail(wrong);
    }
    if (!dates.emplace(fields[0], date).second)
      rows.fail(fmt::format("'{}' has a date already", fields[0]));
  }
  return dates;
}

}  // namespace coppice::io
