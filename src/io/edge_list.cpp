#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <coppice/io.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "io/text_readers.hpp"
#include "text/numbers.hpp"

namespace coppice::io {
namespace {

constexpr std::string_view kBlanks = " \t";

// Up to five words of a line; a fifth is one too many.
struct Fields {
  std::array<std::string_view, 5> text;
  std::size_t count = 0;
};
Fields split(std::string_view line) {
  Fields fields;
  for (std::size_t at = 0; fields.count < fields.text.size();) {
    at = line.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields.text[fields.count++] = line.substr(at, end - at);
    at = end;
  }
  return fields;
}

// "# id = NAME"
std::optional<std::string> id_comment(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const Fields before = split(line.substr(1, equals - 1));
  if (before.count != 1 || before.text[0] != "id") return std::nullopt;
  const std::size_t start = line.find_first_not_of(kBlanks, equals + 1);
  return start == std::string_view::npos ? std::string() : std::string(line.substr(start));
}

// The edges of one graph as they are read.
struct Edges {
  std::vector<Node> sources, targets;
  std::vector<double> weights;
  std::vector<std::int64_t> integers;  // the same weights, as long as all are whole numbers
  std::vector<std::int32_t> labels;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::int32_t> name_ids;
  Node last_node = 0;

  void clear() {
    sources.clear(), targets.clear(), weights.clear(), integers.clear(), labels.clear();
    names.clear(), name_ids.clear();
    last_node = 0;
  }

  // Returns what is wrong with the line, or nothing.
  std::string add(std::string_view line) {
    const Fields fields = split(line);
    if (fields.count < 3 || fields.count > 4) {
      return "not an edge: \"source target weight [label]\" expected";
    }
    Node ends[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const auto node = text::parse_number<std::int64_t>(fields.text[i]);
      if (!node || *node < 0 || *node >= kMaxNodes) {
        return fmt::format("'{}' is no node: a whole number from 0 expected", fields.text[i]);
      }
      ends[i] = static_cast<Node>(*node);
    }
    const auto weight = text::parse_number<double>(fields.text[2]);
    if (!weight || std::isnan(*weight) || *weight == -kNoWeight) {
      return fmt::format("'{}' is no weight: a finite number or -inf expected", fields.text[2]);
    }
    const bool all_whole = integers.size() == weights.size();
    const auto whole = all_whole ? text::parse_number<std::int64_t>(fields.text[2]) : std::nullopt;
    if (whole) integers.push_back(*whole);
    weights.push_back(*weight);
    sources.push_back(ends[0]);
    targets.push_back(ends[1]);
    last_node = std::max({last_node, ends[0], ends[1]});
    return add_label(fields);
  }

  std::string add_label(const Fields& fields) {
    const bool labelled = fields.count == 4;
    if (sources.size() > 1 && labelled == labels.empty()) {
      return "either all edges of a graph have a label or none has";
    }
    if (!labelled) return {};
    const auto [name, is_new] =
        name_ids.try_emplace(std::string(fields.text[3]), static_cast<std::int32_t>(names.size()));
    if (is_new) names.emplace_back(fields.text[3]);
    labels.push_back(name->second);
    return {};
  }
};

class EdgeListReader : public Reader {
 public:
  EdgeListReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : limits_(options.limits), lines_(std::move(source), options.limits.max_line_bytes) {}

  bool skip() override { return read_graph(nullptr); }

  bool ready(int milliseconds) override { return lines_.ready(milliseconds); }

  bool next(Sentence& sentence) override {
    sentence.clear();
    if (!read_graph(&sentence)) return false;
    if (sentence.error.empty()) build(sentence);
    return true;
  }

 private:
  // Reads to the blank line behind a graph. Without a sentence nothing is kept.
  bool read_graph(Sentence* sentence) {
    edges_.clear();
    std::string id, error;
    bool any = false;
    while (lines_.next(line_)) {
      const bool blank =
          !lines_.too_long() && line_.find_first_not_of(kBlanks) == std::string::npos;
      if (blank && any) break;
      if (blank) continue;
      if (line_.starts_with('#')) {
        if (auto named = id_comment(line_)) id = std::move(*named);
        continue;
      }
      any = true;
      if (sentence == nullptr || !error.empty()) continue;
      std::string what = lines_.too_long() ? "too long" : edges_.add(line_);
      if (static_cast<std::int64_t>(edges_.sources.size()) > limits_.max_edges) {
        what = fmt::format("more than {} edges", limits_.max_edges);
      }
      if (!what.empty()) error = fmt::format("line {}: {}", lines_.number(), what);
    }
    if (!any) return false;
    if (sentence != nullptr) {
      sentence->index = index_;
      sentence->id = std::move(id);
      sentence->error = std::move(error);
    }
    ++index_;
    return true;
  }

  void build(Sentence& sentence) {
    const std::int64_t nodes = std::int64_t{edges_.last_node} + 1;
    const std::size_t count = edges_.sources.size();
    sentence.scores = std::monostate();
    if (nodes < 2) {
      sentence.error = "a graph of one node";
      return;
    }
    // Also keeps a single line from asking for a graph of a billion nodes.
    if (nodes - 1 > static_cast<std::int64_t>(count)) {
      sentence.error = fmt::format("no tree: {} nodes, but only {} edges", nodes, count);
      return;
    }
    sentence.nodes = nodes;
    sentence.scores =
        edges_.integers.size() == count
            ? Multigraph::from_edges(nodes, edges_.sources, edges_.targets, edges_.integers)
            : Multigraph::from_edges(nodes, edges_.sources, edges_.targets, edges_.weights);
    if (edges_.labels.empty()) return;
    sentence.edge_labels = edges_.labels;
    sentence.label_names = std::make_shared<std::vector<std::string>>(edges_.names);
  }

  Limits limits_;
  LineReader lines_;
  std::string line_;
  Edges edges_;
  std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open_edge_list(std::unique_ptr<ByteSource> source, const std::string&,
                                       const ReadOptions& options) {
  return std::make_unique<EdgeListReader>(std::move(source), options);
}

}  // namespace coppice::io
