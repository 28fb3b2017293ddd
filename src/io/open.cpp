#include <fmt/format.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <utility>

#include "io/arrays.hpp"
#include "io/bytes.hpp"
#include "io/table.hpp"
#include "io/text_readers.hpp"
#include "io/zip.hpp"

namespace coppice::io {
namespace {

enum class Format { npz, npy, json_lines, edge_list, phylip, square_table, graphml, dot };

// Does a brace come before the line, or the first cell of a table, ends? What is in quotes does not
// count; a quote that has no end here is cut off.
bool opens_brace(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') return true;
    if (text[i] == '\n' || text[i] == ',') return false;
    if (text[i] != '"') continue;
    for (++i; i < text.size() && text[i] != '"'; ++i)
      if (text[i] == '\\') ++i;
    if (i >= text.size()) return true;
  }
  return false;
}

// "digraph {", perhaps behind comments.
bool begins_dot(std::string_view start) {
  if (start.starts_with("//") || start.starts_with("/*")) return true;
  for (std::string_view word : {"strict", "digraph", "graph"}) {
    if (!start.starts_with(word)) continue;
    const std::size_t next = start.find_first_not_of(" \t\r\n", word.size());
    // "digraph NAME {", not a line of a table that begins so
    return next != std::string_view::npos && opens_brace(start.substr(next));
  }
  return false;
}

// Ten columns, the first of them a word's number, or comments that every treebank has. What is
// behind the last line break may be half a line.
bool begins_conllu(std::string_view start) {
  while (!start.empty()) {
    const std::string_view line = start.substr(0, start.find('\n'));
    if (!line.starts_with('#'))
      return (line.starts_with("1\t") || line.starts_with("1-")) &&
             std::ranges::count(line, '\t') == 9;
    if (line.starts_with("# sent_id =") || line.starts_with("# newdoc")) return true;
    start.remove_prefix(std::min(start.size(), line.size() + 1));
  }
  return false;
}

// A number alone on the first line.
bool begins_phylip(std::string_view start) {
  const std::string_view line = start.substr(0, start.find_first_of("\r\n"));
  return line.size() < start.size() &&
         line.find_first_not_of("0123456789 \t") == std::string_view::npos &&
         line.find_last_of(" \t", line.find_last_not_of(" \t")) == std::string_view::npos;
}

// The cell above the names of the rows is empty, and the others do not name columns of a list of
// edges whose rows are numbered.
bool begins_square_table(std::string_view start, const GraphOptions& graph) {
  const std::string_view line = start.substr(0, start.find_first_of("\r\n"));
  std::vector<std::string> fields;
  if (!split_fields(line, separator_of(line), fields).empty()) return false;
  return fields.size() > 2 && fields[0].empty() && graph.columns.empty() &&
         !read_first_line(fields, {}).header;
}

// By what a file begins with: an archive may begin with a member or be empty.
Format format_of(std::string_view start, const std::string& name, const GraphOptions& graph) {
  if (start.empty() && (name.ends_with(".npz") || name.ends_with(".npy")))
    throw FormatError(fmt::format("{}: damaged: the file is empty", name));
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return Format::npz;
  if (start.starts_with("\x93NUMPY")) return Format::npy;
  for (std::string_view magic : {"PK\x03\x04", "\x93NUMPY"})
    if (!start.empty() && magic.starts_with(start))
      throw FormatError(fmt::format("{}: ends after {} bytes", name, start.size()));
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  if (begins_square_table(start, graph)) return Format::square_table;
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Format::json_lines;
  start.remove_prefix(first);
  if (start[0] == '{') return Format::json_lines;
  if (start.starts_with("[[") || start.starts_with("[{"))
    throw FormatError(
        fmt::format("{}: a JSON array; JSON lines, an object on each line, expected", name));
  if (start[0] == '<') return Format::graphml;
  if (begins_dot(start)) return Format::dot;
  if (begins_phylip(start)) return Format::phylip;
  if (begins_conllu(start))
    throw FormatError(
        fmt::format("{}: this is CoNLL-U, which has words and trees, but no scores", name),
        ErrorCode::bad_argument);
  // Any other text is an edge list: names may be anything.
  const auto is_control = [](char c) {
    return c >= 0 && c < ' ' && c != '\t' && c != '\r' && c != '\n';
  };
  if (std::ranges::none_of(start, is_control)) return Format::edge_list;
  throw FormatError(
      fmt::format("{}: not a score file: .npz, .npy, JSON lines, GraphML, DOT, or an edge list "
                  "(between blanks, TSV, CSV) expected",
                  name));
}

// As much as it takes to tell the format, and what came with it: a pipe may bring no more before it
// has an answer.
std::string peek(ByteSource& source) {
  constexpr std::size_t kMost = 512, kEnough = 8;
  std::string start(kMost, '\0');
  std::size_t size = 0;
  const auto enough = [&] {
    const std::string_view read(start.data(), size);
    return size >= kEnough && read.find_first_not_of(" \t\r\n", 3) != std::string_view::npos;
  };
  while (size < kMost && !enough()) {
    const std::size_t got = source.read(start.data() + size, kMost - size);
    if (got == 0) break;
    size += got;
  }
  start.resize(size);
  return start;
}

std::unique_ptr<Reader> open_stream(Format format, std::unique_ptr<ByteSource> source,
                                    const std::string& name, const ReadOptions& options) {
  if ((format == Format::graphml || format == Format::dot) && options.graph.columns.size() > 4)
    throw FormatError(fmt::format("{}: --columns names dates, which are of tables", name));
  switch (format) {
    case Format::npz:
      return open_npz(ZipArchive(spooled(*source, name), name), options);
    case Format::npy:
      return open_npy(std::move(source), name, options);
    case Format::json_lines:
      return open_json_lines(std::move(source), name, options);
    case Format::edge_list:
      return open_edge_list(std::move(source), name, options);
    case Format::phylip:
    case Format::square_table:
      return open_square_table(std::move(source), options, format == Format::phylip);
    case Format::graphml:
      return open_graphml(std::move(source), name, options);
    case Format::dot:
      return open_dot(std::move(source), name, options);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Reader> open(const std::string& path, const ReadOptions& options) {
  const std::string name = path == "-" ? "standard input" : path;
  auto source = open_file(path);
  std::string start = peek(*source);
  const Format format = format_of(start, name, options.graph);
  if (format == Format::npz && is_regular_file(path)) {
    return open_npz(ZipArchive(open_random_access(path), path), options);
  }
  return open_stream(format, prefixed(std::move(start), std::move(source)), name, options);
}

std::unique_ptr<Reader> open_bytes(std::string_view bytes, const std::string& name,
                                   const ReadOptions& options) {
  const Format format = format_of(bytes.substr(0, 512), name, options.graph);
  if (format == Format::npz) return open_npz(ZipArchive(random_access_to(bytes), name), options);
  return open_stream(format, open_memory(bytes), name, options);
}

}  // namespace coppice::io
