#include "io/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "text/numbers.hpp"

namespace coppice::io {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

// Each costs more than its bytes in the file.
constexpr std::size_t kMostFields = 10'000;

void split_at_blanks(std::string_view line, std::vector<std::string>& fields) {
  for (std::size_t at = line.find_first_not_of(kBlanks);
       at != std::string_view::npos && fields.size() <= kMostFields;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields.emplace_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
}

// A quoted field from behind its first quote; returns where it ends, or npos.
std::size_t take_quoted(std::string_view line, std::size_t at, std::string& field) {
  for (; at < line.size(); ++at) {
    if (line[at] != '"') {
      field += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      field += line[at++];
    } else {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

constexpr std::string_view kSources[] = {"source", "from",     "parent",   "head", "src",
                                         "start",  "ancestor", "infector", "u"};
constexpr std::string_view kTargets[] = {"target",   "to",       "child", "dependent",
                                         "dst",      "dest",     "end",   "descendant",
                                         "infectee", "infected", "v"};
constexpr std::string_view kWeights[] = {
    "weight", "score", "cost", "distance", "dist", "length", "value", "log_probability", "w"};
constexpr std::string_view kLabels[] = {"label", "type", "relation", "key"};
constexpr std::string_view kGraphs[] = {"graph", "graph_id"};

std::size_t find_any(const std::vector<std::string>& header,
                     std::span<const std::string_view> names) {
  for (std::string_view name : names)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (lower(trimmed(header[i])) == name) return i;
  return Columns::kNone;
}

std::size_t find_asked(const std::vector<std::string>& header, const std::string& asked) {
  if (const auto number = text::parse_number<std::size_t>(asked))
    return *number >= 1 && *number <= header.size() ? *number - 1 : Columns::kNone;
  for (std::size_t i = 0; i < header.size(); ++i)
    if (trimmed(header[i]) == asked) return i;
  return Columns::kNone;
}

bool is_number(std::string_view text) {
  return text::parse_number<double>(trimmed(text)).has_value();
}

std::optional<std::string> find_attribute(const Attributes& attributes,
                                          const std::vector<std::string>& asked,
                                          std::size_t problem,
                                          std::span<const std::string_view> usual) {
  for (const auto& [name, value] : attributes)
    if (problem < asked.size() && name == asked[problem]) return value;
  if (problem < asked.size()) return std::nullopt;
  for (std::string_view wanted : usual)
    for (const auto& [name, value] : attributes)
      if (lower(name) == wanted) return value;
  return std::nullopt;
}

std::optional<GraphOptions::Date> parse_date(std::string_view text, bool& calendar) {
  const std::size_t dash = text.find('-', 1);
  calendar = dash != std::string_view::npos && text.find_first_of("eE.") == std::string_view::npos;
  if (!calendar) {
    const auto number = text::parse_number<double>(text);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    return GraphOptions::Date{*number, *number};
  }
  const std::size_t second = std::min(text.find('-', dash + 1), text.size());
  const auto year = text::parse_number<int>(text.substr(0, dash));
  const auto month = text::parse_number<unsigned>(text.substr(dash + 1, second - dash - 1));
  const auto day = second == text.size() ? std::optional(1U)
                                         : text::parse_number<unsigned>(text.substr(second + 1));
  if (!year || !month || !day) return std::nullopt;
  namespace chrono = std::chrono;
  const chrono::year_month of{chrono::year{*year}, chrono::month{*month}};
  const chrono::year_month_day first = of / chrono::day{*day};
  if (!first.ok()) return std::nullopt;
  const auto number = [](chrono::sys_days days) {
    return static_cast<double>(days.time_since_epoch().count());
  };
  return GraphOptions::Date{number(first),
                            number(second == text.size() ? of / chrono::last : first)};
}

FirstLine find_asked_columns(const std::vector<std::string>& fields,
                             const std::vector<std::string>& asked) {
  FirstLine line;
  line.columns.graph = find_any(fields, kGraphs);
  Columns& columns = line.columns;
  std::size_t* const places[] = {&columns.source, &columns.target,      &columns.weight,
                                 &columns.label,  &columns.source_date, &columns.target_date};
  for (std::size_t i = 0; i < std::min(asked.size(), std::size(places)); ++i) {
    if (i >= 3 && asked[i].empty()) continue;
    *places[i] = find_asked(fields, asked[i]);
    if (*places[i] == Columns::kNone) {
      line.wrong = fmt::format("no column '{}' among: {}", asked[i], fmt::join(fields, ", "));
      return line;
    }
    line.header = line.header || !text::parse_number<std::size_t>(asked[i]);
  }
  // Numbers alone do not say whether there is a header; a name in the place of the weight does.
  line.header = line.header || names_column(fields[columns.weight]);
  if (!line.header) columns.graph = Columns::kNone;
  return line;
}

}  // namespace

Separator separator_of(std::string_view line) {
  if (line.find('\t') != std::string_view::npos) return Separator::tab;
  std::vector<std::string> fields;
  for (Separator separator : {Separator::comma, Separator::semicolon}) {
    fields.clear();
    if (split_fields(line, separator, fields).empty() && fields.size() >= 2) return separator;
  }
  return Separator::blanks;
}

std::string split_fields(std::string_view line, Separator separator,
                         std::vector<std::string>& fields) {
  const auto too_many = [] { return fmt::format("more than {} fields", kMostFields); };
  fields.clear();
  if (separator == Separator::blanks) {
    split_at_blanks(line, fields);
    return fields.size() > kMostFields ? too_many() : std::string();
  }
  const char between = static_cast<char>(separator);
  for (std::size_t at = 0;; ++at) {
    if (fields.size() == kMostFields) return too_many();
    std::string& field = fields.emplace_back();
    const std::size_t first = std::min(line.find_first_not_of(' ', at), line.size());
    if (separator != Separator::tab && first < line.size() && line[first] == '"') {
      at = take_quoted(line, first + 1, field);
      if (at == std::string_view::npos) return "a quote that is not closed";
      at = std::min(line.find(between, at), line.size());
    } else {
      const std::size_t end = std::min(line.find(between, at), line.size());
      field = trimmed(line.substr(at, end - at));
      at = end;
    }
    if (at == line.size()) return {};
  }
}

FirstLine read_first_line(const std::vector<std::string>& fields,
                          const std::vector<std::string>& asked) {
  if (!asked.empty()) return find_asked_columns(fields, asked);
  FirstLine line;
  line.columns = {.source = find_any(fields, kSources),
                  .target = find_any(fields, kTargets),
                  .weight = find_any(fields, kWeights),
                  .label = find_any(fields, kLabels),
                  .graph = find_any(fields, kGraphs)};
  const bool ends = line.columns.source != Columns::kNone && line.columns.target != Columns::kNone;
  line.header = ends && line.columns.weight != Columns::kNone;
  if (line.header) return line;
  line.columns = {.label = fields.size() > 3 ? std::size_t{3} : Columns::kNone};
  if (fields.size() > 2 && std::ranges::none_of(fields, is_number) && names_column(fields[2]))
    line.wrong = fmt::format(
        "no column for {} among: {}; --columns says which are source, target and weight",
        ends ? "the weight" : "source and target", fmt::join(fields, ", "));
  return line;
}

bool is_missing(std::string_view cell) {
  static constexpr std::string_view kMissing[] = {"", "na", "n/a", "nil", "null", "none", "?"};
  return std::ranges::find(kMissing, lower(trimmed(cell))) != std::end(kMissing);
}

bool names_column(std::string_view cell) {
  const std::string word = lower(trimmed(cell));
  if (is_missing(word) || is_number(word)) return false;
  const std::size_t first = word.find_first_not_of("+-.");
  return first != std::string::npos && (word[first] < '0' || word[first] > '9');
}

std::optional<std::string> weight_of(const Attributes& attributes,
                                     const std::vector<std::string>& asked) {
  return find_attribute(attributes, asked, 2, kWeights);
}

std::optional<std::string> label_of(const Attributes& attributes,
                                    const std::vector<std::string>& asked) {
  // Where the weight was asked for alone, it may well be in what is usually the label.
  if (asked.size() == 3) return std::nullopt;
  return find_attribute(attributes, asked, 3, kLabels);
}

bool holds_weight_or_label(std::string_view attribute, const std::vector<std::string>& asked) {
  if (std::ranges::find(asked, attribute) != asked.end()) return true;
  const std::string name = lower(attribute);
  return std::ranges::find(kWeights, name) != std::end(kWeights) ||
         std::ranges::find(kLabels, name) != std::end(kLabels);
}

std::string read_date(std::string_view text, std::optional<bool>& calendar,
                      GraphOptions::Date& date) {
  bool is_calendar = false;
  const auto found = parse_date(text, is_calendar);
  if (!found)
    return fmt::format("'{}' is no date: 2014-05-17, 2014-05, 2014 or a number expected", text);
  if (calendar.value_or(is_calendar) != is_calendar)
    return fmt::format("'{}': dates and numbers do not mix", text);
  calendar = is_calendar;
  date = *found;
  return {};
}

std::optional<std::string> id_comment(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || trimmed(line.substr(1, equals - 1)) != "id")
    return std::nullopt;
  const std::size_t start = line.find_first_not_of(kBlanks, equals + 1);
  return start == std::string_view::npos ? std::string() : std::string(line.substr(start));
}

}  // namespace coppice::io
