// Trees for people: one row per word in the order of the sentence, every head with a line down (or
// up) to its dependents.
//
//   1 ╭ What           root
//   2 │ ╭─ if          mark
//   3 │ ├─ Google      nsubj
//   4 ╰─┼ Morphed      advcl
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <coppice/io.hpp>
#include <span>

#include "io/drawn_tree.hpp"
#include "io/pieces.hpp"
#include "text/utf8.hpp"

namespace coppice::io {
namespace {

// The four ways a line can leave a cell.
enum : unsigned { kUp = 1, kDown = 2, kLeft = 4, kRight = 8 };
constexpr const char* kLines[16] = {" ", "╵", "╷", "│", "╴", "╯", "╮", "┤",
                                    "╶", "╰", "╭", "├", "─", "┴", "┬", "┼"};

// From the first to the last row that the line of a head touches, itself included.
struct Bar {
  int column = -1;  // -1: no dependents, no line
  Node first = 0, last = 0;
  bool covers(Node row) const { return column >= 0 && first <= row && row <= last; }
};

// Deeper trees are drawn without lines: these would take the square of the depth.
constexpr int kMostColumns = 64;

// Gives every head a column right of its own head's, where no other line is in the way. Nothing
// where that takes too many.
std::vector<Bar> lay_out(std::span<const Node> heads) {
  const auto nodes = static_cast<Node>(heads.size());
  std::vector<Bar> bars(heads.size());
  std::vector<std::vector<Node>> dependents(heads.size());
  for (Node v = 1; v < nodes; ++v) {
    dependents[static_cast<std::size_t>(heads[static_cast<std::size_t>(v)])].push_back(v);
  }
  std::vector<std::vector<Bar>> in_column;
  std::vector<Node> queue = dependents[0];
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const auto v = static_cast<std::size_t>(queue[next]);
    if (dependents[v].empty()) continue;
    queue.insert(queue.end(), dependents[v].begin(), dependents[v].end());
    Bar& bar = bars[v];
    bar.first = std::min(queue[next], dependents[v].front());
    bar.last = std::max(queue[next], dependents[v].back());
    const auto clashes = [&](const Bar& other) {
      return other.first <= bar.last && bar.first <= other.last;
    };
    bar.column = heads[v] == 0 ? 0 : bars[static_cast<std::size_t>(heads[v])].column + 1;
    for (;; ++bar.column) {
      if (bar.column >= kMostColumns) return {};
      const auto column = static_cast<std::size_t>(bar.column);
      if (in_column.size() <= column) in_column.resize(column + 1);
      if (std::none_of(in_column[column].begin(), in_column[column].end(), clashes)) break;
    }
    in_column[static_cast<std::size_t>(bar.column)].push_back(bar);
  }
  return bars;
}

// The lines left of word v, two characters for every column: the lines of the heads that pass, and
// from v's head (or, for a root, from v's own line) one to the word.
std::string draw_row(std::span<const Node> heads, const std::vector<Bar>& bars, Node v) {
  const Node head = heads[static_cast<std::size_t>(v)];
  const int own = bars[static_cast<std::size_t>(v)].column;
  const int start = head == 0 ? own : bars[static_cast<std::size_t>(head)].column;
  std::vector<unsigned> cells;
  for (const Bar& bar : bars) {
    if (!bar.covers(v)) continue;
    const auto column = static_cast<std::size_t>(bar.column);
    if (cells.size() <= column) cells.resize(column + 1, 0);
    cells[column] = (bar.first < v ? kUp : 0u) | (bar.last > v ? kDown : 0u);
  }
  const auto width = static_cast<int>(cells.size());
  std::string row;
  for (int column = 0; column < width; ++column) {
    unsigned cell = cells[static_cast<std::size_t>(column)];
    if (column == start || column == own) cell |= kRight;
    if (column == own && head != 0) cell |= kLeft;
    // Where the line crosses another head's, that one stays whole.
    if (start >= 0 && column > start && cell == 0) cell = kLeft | kRight;
    row += kLines[cell];
    const bool last = column + 1 == width;
    row += start >= 0 && column >= start && (!last || own < 0) ? "─" : " ";
  }
  if (own < 0 && width > 0) row += ' ';
  return row;
}

class TextWriter {
 public:
  TextWriter(const Parses& parses, bool colour, std::string& out)
      : parses_(parses), sentence_(parses.sentence), colour_(colour), out_(out) {}

  std::size_t write() {
    if (parses_.first == 0) write_heading();
    for (std::size_t rank = 0; rank < std::min(parses_.first, parses_.probabilities.size()); ++rank)
      mass_ += parses_.probabilities[rank];
    const std::size_t next =
        for_each_tree(parses_, out_, [&](std::size_t rank) { write_tree(rank); });
    if (next == parses_.trees.size()) out_ += '\n';
    return next;
  }

 private:
  void write_heading() {
    style("1");
    text::append_printable(sentence_.name(), out_);
    style("0");
    if (const std::string text = line_of_text(); !text.empty())
      out_ += "  " + text::printable(text);
    out_ += '\n';
    if (!parses_.error.empty()) {
      style("31");
      out_ += "  " + text::printable(parses_.error) + '\n';
      style("0");
    }
  }

  void style(const char* code) {
    if (colour_) out_ += fmt::format("\x1b[{}m", code);
  }

  std::string line_of_text() const {
    if (!sentence_.text.empty()) return sentence_.text;
    std::string text;
    for (const Token& token : sentence_.tokens) {
      if (!text.empty()) text += ' ';
      text += token.form;
    }
    return text;
  }

  // One word may stand in many rows, and all rows are as wide as the widest.
  static std::string cell(std::string_view text) {
    constexpr std::size_t kMostBytes = 200;
    return text::printable(text::shortened(text, kMostBytes));
  }

  std::string word(Node v) const {
    const auto at = static_cast<std::size_t>(v - 1);
    if (v == 0) return "the root";
    if (at < sentence_.tokens.size() && !sentence_.tokens[at].form.empty()) {
      return cell(sentence_.tokens[at].form);
    }
    return fmt::format("w{}", v);
  }

  std::string label(std::size_t rank, std::size_t v) const {
    if (!sentence_.edge_labels.empty()) {
      const auto edge = static_cast<std::size_t>(parses_.trees.edges(rank)[v]);
      return cell((*sentence_.label_names)[static_cast<std::size_t>(sentence_.edge_labels[edge])]);
    }
    return parses_.trees.heads(rank)[v] == 0 ? "root" : "";
  }

  // What the best tree says where this one says something else.
  std::string difference(std::size_t rank, std::size_t v) const {
    const Node best = parses_.trees.heads(0)[v];
    if (parses_.trees.heads(rank)[v] != best) {
      return best == 0 ? "best: root" : fmt::format("best: {} {}", best, word(best));
    }
    const bool edge_differs = !parses_.trees.edges(rank).empty() &&
                              parses_.trees.edges(rank)[v] != parses_.trees.edges(0)[v];
    if (!edge_differs) return {};
    return sentence_.edge_labels.empty() ? fmt::format("best: edge {}", parses_.trees.edges(0)[v])
                                         : fmt::format("best: {}", label(0, v));
  }

  void write_tree(std::size_t rank) {
    style("2");
    out_ += fmt::format("  #{} of {}  score {:.6g}  gap {:.4g}", rank + 1, parses_.trees.size(),
                        parses_.trees.score(rank), parses_.trees.gap(rank));
    if (!parses_.probabilities.empty()) {
      mass_ += parses_.probabilities[rank];
      out_ +=
          fmt::format("  probability {:.4g}  (so far {:.4g})", parses_.probabilities[rank], mass_);
    }
    out_ += '\n';
    style("0");
    const auto heads = parses_.trees.heads(rank);
    const std::vector<Bar> bars = lay_out(heads);
    std::vector<std::string> rows(heads.size());
    std::size_t width = 0;
    for (std::size_t v = 1; v < heads.size(); ++v) {
      if (!bars.empty()) rows[v] = draw_row(heads, bars, static_cast<Node>(v));
      rows[v] += word(static_cast<Node>(v));
      if (bars.empty()) rows[v] += fmt::format(" <- {} {}", heads[v], word(heads[v]));
      width = std::max(width, text::display_width(rows[v]));
    }
    for (std::size_t v = 1; v < heads.size(); ++v) {
      const std::string differs = difference(rank, v);
      if (!differs.empty()) style("33");
      std::string line =
          fmt::format("  {:>3} {} {}{}  {}", v, differs.empty() ? ' ' : '*', rows[v],
                      std::string(width - text::display_width(rows[v]), ' '), label(rank, v));
      if (!differs.empty()) line += fmt::format("  ({})", differs);
      line.erase(line.find_last_not_of(' ') + 1);
      out_ += line;
      if (!differs.empty()) style("0");
      out_ += '\n';
    }
  }

  const Parses& parses_;
  const Sentence& sentence_;
  bool colour_;
  std::string& out_;
  double mass_ = 0.0;  // of the trees written
};

}  // namespace

std::size_t append_text(const Parses& parses, bool colour, std::string& out) {
  if (parses.sentence.named()) return append_outline(parses, colour, out);
  return TextWriter(parses, colour, out).write();
}

}  // namespace coppice::io
