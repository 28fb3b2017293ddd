// Lines of fields: between blanks, tabs, commas or semicolons.
#pragma once

#include <coppice/io.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::io {

inline constexpr std::string_view kBlanks = " \t";

// What stands between the fields of a table, as its first line shows.
enum class Separator : char { blanks = ' ', tab = '\t', comma = ',', semicolon = ';' };
Separator separator_of(std::string_view line);

// The fields of a line; those between commas or semicolons may be in double quotes. Returns what is
// wrong with it, or nothing.
std::string split_fields(std::string_view line, Separator separator,
                         std::vector<std::string>& fields);

// Which columns of a table hold source, target, weight and label of an edge, or the graph that it
// is of.
struct Columns {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t source = 0, target = 1, weight = 2, label = kNone, graph = kNone;
  std::size_t source_date = kNone, target_date = kNone;
};

// What the first line of a table says: columns that were asked for are found by their names, or by
// numbers from 1; otherwise by the usual names.
struct FirstLine {
  Columns columns;
  bool header = false;  // it names columns, and is no edge
  std::string wrong;    // what is wrong with it, or empty
};
FirstLine read_first_line(const std::vector<std::string>& fields,
                          const std::vector<std::string>& asked);

// Whether the first cell of a column of numbers is the name of the column: a number with a slip in
// it, or a word for one that is missing, is not.
bool names_column(std::string_view cell);

// Attributes of an edge, by name: the one that holds the weight, or the label, as asked for or by
// the usual names.
using Attributes = std::vector<std::pair<std::string, std::string>>;
std::optional<std::string> weight_of(const Attributes& attributes,
                                     const std::vector<std::string>& asked);
std::optional<std::string> label_of(const Attributes& attributes,
                                    const std::vector<std::string>& asked);

// Whether it stands for what is not known: nothing, NA and their like.
bool is_missing(std::string_view cell);

// Days, for 2014-05-17 and 2014-05, or the number that it is; `calendar` says which of the two the
// dates before it were. Returns what is wrong, or nothing.
std::string read_date(std::string_view text, std::optional<bool>& calendar,
                      GraphOptions::Date& date);

// The same attribute may be given many times, and a file has more of them than matter here.
bool holds_weight_or_label(std::string_view attribute, const std::vector<std::string>& asked);

// "# id = NAME"
std::optional<std::string> id_comment(std::string_view line);

}  // namespace coppice::io
