// Distances (or weights) of all pairs of nodes: PHYLIP, square or the lower triangle alone, and
// tables with the names of the nodes above and on the left.
#include <fmt/format.h>

#include <coppice/io.hpp>
#include <map>
#include <utility>

#include "graph/phrases.hpp"
#include "io/graph_builder.hpp"
#include "io/table.hpp"
#include "io/text_readers.hpp"
#include "text/numbers.hpp"

namespace coppice::io {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(kBlanks) == std::string_view::npos;
}

// "NA" and nothing: there is no edge.
bool is_missing(std::string_view cell) { return cell.empty() || cell == "NA" || cell == "na"; }

class SquareTableReader : public Reader {
 public:
  SquareTableReader(std::unique_ptr<ByteSource> source, const ReadOptions& options, bool phylip)
      : options_(options.graph),
        phylip_(phylip),
        lines_(std::move(source), options.limits.max_line_bytes),
        builder_(options_, options.limits) {}

  bool skip() override {
    Sentence passed;
    return next(passed);
  }

  bool next(Sentence& sentence) override {
    sentence.clear();
    builder_.clear();
    names_.clear(), rows_.clear(), above_.clear();
    if (!next_line()) return false;
    std::string wrong = phylip_ ? read_phylip() : read_table();
    if (!wrong.empty()) pass_over();
    if (wrong.empty()) wrong = add_edges();
    sentence.index = index_++;
    sentence.error = wrong.empty() ? wrong : fmt::format("line {}: {}", place_, wrong);
    if (sentence.error.empty()) builder_.build(sentence);
    return true;
  }

 private:
  // As it stands in the file; names and numbers are told apart again when all names are known.
  struct Row {
    std::string text;
    std::int64_t line;
  };

  bool read_line() {
    if (!lines_.next(line_)) return false;
    place_ = lines_.number();
    return true;
  }
  // The next line with something in it.
  bool next_line() {
    while (read_line())
      if (lines_.too_long() || !is_blank(line_)) return true;
    return false;
  }
  // The rest of a graph that is broken is no graph.
  void pass_over() {
    while (lines_.next(line_) && (lines_.too_long() || !is_blank(line_))) {
    }
  }

  std::string split(std::string_view line) {
    if (lines_.too_long()) return "too long";
    return split_fields(line, separator_, fields_);
  }

  std::string add_name(const std::string& name) {
    if (std::string wrong = builder_.add_node(name); !wrong.empty()) return wrong;
    const bool is_new = builder_.nodes() > names_.size();
    names_.push_back(name);
    return is_new ? std::string() : fmt::format("two nodes are called '{}'", name);
  }

  // Below a line with the names of all nodes.
  std::string read_table() {
    separator_ = separator_of(line_);
    if (std::string wrong = split(line_); !wrong.empty()) return wrong;
    const std::vector<std::string> header = fields_;
    for (std::size_t i = 1; i < header.size(); ++i)
      if (std::string wrong = add_name(header[i]); !wrong.empty()) return wrong;
    while (read_line() && (lines_.too_long() || !is_blank(line_))) {
      if (std::string wrong = split(line_); !wrong.empty()) return wrong;
      const std::size_t row = rows_.size();
      if (row == names_.size()) return fmt::format("more rows than the {}", counted(row, "column"));
      if (fields_[0] != names_[row])
        return fmt::format("row '{}' where '{}' is expected, as in the first line", fields_[0],
                           names_[row]);
      if (const std::size_t cells = fields_.size() - 1;
          cells != names_.size() && cells != row && cells != row + 1)
        return fmt::format("{} for {}", counted(cells, "number"), counted(names_.size(), "node"));
      rows_.push_back({line_, place_});
    }
    if (rows_.size() == names_.size()) return {};
    return fmt::format("{} below {}", counted(rows_.size(), "row"),
                       counted(names_.size(), "column"));
  }

  // A number of nodes, and as many rows, each of which may go on in the lines below it.
  std::string read_phylip() {
    separator_ = Separator::blanks;
    if (std::string wrong = split(line_); !wrong.empty()) return wrong;
    const auto nodes = text::parse_number<std::size_t>(fields_[0]);
    if (!nodes || *nodes < 2 || fields_.size() != 1)
      return fmt::format("'{}' is no number of nodes", line_);
    bool triangle = false;
    for (std::size_t row = 0; row < *nodes; ++row) {
      if (!next_line()) return fmt::format("{} of {}", counted(row, "row"), *nodes);
      if (std::string wrong = split(line_); !wrong.empty()) return wrong;
      if (std::string wrong = add_name(fields_[0]); !wrong.empty()) return wrong;
      rows_.push_back({line_, place_});
      if (row == 0) triangle = fields_.size() == 1;
      const std::size_t wanted = triangle ? row : *nodes;
      std::size_t cells = fields_.size() - 1;
      while (cells < wanted && next_line()) {
        if (std::string wrong = split(line_); !wrong.empty()) return wrong;
        cells += fields_.size();
        rows_.back().text += ' ' + line_;
      }
      if (cells != wanted)
        return fmt::format("'{}' has {}, not {}", names_.back(), counted(cells, "number"), wanted);
    }
    return {};
  }

  // Calls visit(row, column, cell) for what stands beside the diagonal; ends where it returns
  // something.
  template <class Visit>
  std::string for_each_cell(const Visit& visit) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      place_ = rows_[row].line;
      split_fields(rows_[row].text, separator_, fields_);
      for (std::size_t column = 0; column + 1 < fields_.size(); ++column) {
        if (column == row || is_missing(fields_[column + 1])) continue;
        if (std::string wrong = visit(row, column, fields_[column + 1]); !wrong.empty())
          return wrong;
      }
    }
    return {};
  }

  // Where nothing stands above the diagonal, the other half is meant to be the same.
  std::string add_edges() {
    bool triangle = true;
    for_each_cell([&](std::size_t row, std::size_t column, const std::string&) {
      triangle = triangle && column < row;
      return std::string();
    });
    std::string wrong =
        for_each_cell([&](std::size_t row, std::size_t column, const std::string& cell) {
          return add_cell(row, column, cell, triangle);
        });
    if (!wrong.empty() || above_.empty()) return wrong;
    const auto& [place, weight] = *above_.begin();
    return asymmetric(place.second, place.first, "missing", fmt::to_string(weight));
  }

  std::string add_cell(std::size_t row, std::size_t column, const std::string& cell,
                       bool triangle) {
    Weight weight;
    std::string wrong = Weight::parse(cell, weight);
    if (!wrong.empty()) return wrong;
    if (builder_.is_undirected()) return add_once(row, column, weight, triangle);
    wrong = builder_.add_edge(names_[row], names_[column], weight, {});
    if (!wrong.empty() || !triangle) return wrong;
    return builder_.add_edge(names_[column], names_[row], weight, {});
  }

  std::string asymmetric(std::size_t row, std::size_t column, const std::string& below,
                         const std::string& above) const {
    return fmt::format(
        "'{}' - '{}' is {}, but the other way round {}; an undirected graph is symmetric",
        names_[row], names_[column], below, above);
  }

  // Of an undirected graph both halves say the same.
  std::string add_once(std::size_t row, std::size_t column, const Weight& weight, bool triangle) {
    if (column < row) {
      const auto above = above_.find({column, row});
      if (!triangle && (above == above_.end() || above->second != weight.value))
        return asymmetric(row, column, fmt::to_string(weight.value),
                          above == above_.end() ? "missing" : fmt::to_string(above->second));
      if (!triangle) above_.erase(above);
      return builder_.add_edge(names_[column], names_[row], weight, {});
    }
    above_.emplace(std::pair(row, column), weight.value);
    return {};
  }

  GraphOptions options_;
  bool phylip_;
  LineReader lines_;
  std::string line_;
  std::int64_t place_ = 0;  // the line that an error is in
  Separator separator_ = Separator::blanks;
  std::vector<std::string> fields_, names_;
  std::vector<Row> rows_;
  std::map<std::pair<std::size_t, std::size_t>, double> above_;  // the diagonal, not yet met below
  GraphBuilder builder_;
  std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open_square_table(std::unique_ptr<ByteSource> source,
                                          const ReadOptions& options, bool phylip) {
  return std::make_unique<SquareTableReader>(std::move(source), options, phylip);
}

}  // namespace coppice::io
