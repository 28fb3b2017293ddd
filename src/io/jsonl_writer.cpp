#include <algorithm>
#include <coppice/io.hpp>
#include <span>

#include "io/pieces.hpp"
#include "text/json.hpp"
#include "text/numbers.hpp"

namespace coppice::io {
namespace {

// heads[0] and edges[0] are the root's, which has none.
template <class T>
void append_list(std::string_view name, std::span<const T> values, std::string& out) {
  out += name;
  for (std::size_t v = 1; v < values.size(); ++v) {
    if (v > 1) out += ", ";
    text::append_number(values[v], out);
  }
  out += ']';
}

// The nodes of a graph with names, and their heads; null for the root, where any node may be it.
void append_names(const Sentence& sentence, std::span<const Node> heads, std::string& out) {
  out += ", \"nodes\": [";
  for (std::size_t v = 1; v < heads.size(); ++v) {
    if (v > 1) out += ", ";
    text::append_json_string(sentence.node_names[v], out);
  }
  out += "], \"heads\": [";
  for (std::size_t v = 1; v < heads.size(); ++v) {
    if (v > 1) out += ", ";
    if (sentence.added_root && heads[v] == 0)
      out += "null";
    else
      text::append_json_string(sentence.node_names[static_cast<std::size_t>(heads[v])], out);
  }
  out += ']';
}

// The edges of a multigraph, by their places in the file; null for those that are not in it.
void append_edges(const Sentence& sentence, std::span<const EdgeId> edges, std::string& out) {
  if (sentence.edge_places.empty()) return append_list(", \"edges\": [", edges, out);
  out += ", \"edges\": [";
  for (std::size_t v = 1; v < edges.size(); ++v) {
    if (v > 1) out += ", ";
    const EdgeId place = sentence.edge_places[static_cast<std::size_t>(edges[v])];
    if (place == kNoEdge)
      out += "null";
    else
      text::append_number(place, out);
  }
  out += ']';
}

void append_labels(const Sentence& sentence, std::span<const EdgeId> edges, std::string& out) {
  out += ", \"labels\": [";
  for (std::size_t v = 1; v < edges.size(); ++v) {
    if (v > 1) out += ", ";
    const auto label = sentence.edge_labels[static_cast<std::size_t>(edges[v])];
    text::append_json_string((*sentence.label_names)[static_cast<std::size_t>(label)], out);
  }
  out += ']';
}

void append_scores(const TreeList& trees, std::size_t rank, std::string& out) {
  out += ", \"score\": ";
  if (trees.integer_scores().empty()) {
    text::append_json_number(trees.score(rank), out);
    out += ", \"gap\": ";
    text::append_json_number(trees.gap(rank), out);
    return;
  }
  const auto score = trees.integer_scores()[rank];
  const auto best = trees.integer_scores()[0];
  text::append_number(score, out);
  out += ", \"gap\": ";
  // Unsigned, since the difference of two int64 need not be one.
  const auto a = static_cast<std::uint64_t>(score), b = static_cast<std::uint64_t>(best);
  text::append_number(score < best ? b - a : a - b, out);
}

}  // namespace

std::size_t append_jsonl(const Parses& parses, std::string& out) {
  std::string start = "{\"id\": ";
  text::append_json_string(parses.sentence.name(), start);
  start += ", \"rank\": ";
  if (!parses.error.empty()) {
    out += start;
    out += "0, \"error\": ";
    text::append_json_string(parses.error, out);
    out += "}\n";
    return parses.trees.size();
  }
  const TreeList& trees = parses.trees;
  constexpr std::size_t kBytesOfTree = 64, kBytesOfHead = 4;  // as a rule
  const std::size_t of_tree =
      start.size() + kBytesOfTree + kBytesOfHead * static_cast<std::size_t>(parses.sentence.nodes);
  out.reserve(out.size() + std::min((trees.size() - parses.first) * of_tree, parses.most_bytes) +
              of_tree);
  double covered = 0.0;
  for (std::size_t rank = 0; rank < std::min(parses.first, parses.probabilities.size()); ++rank)
    covered += parses.probabilities[rank];
  return for_each_tree(parses, out, [&](std::size_t rank) {
    out += start;
    text::append_number(rank + 1, out);
    append_scores(trees, rank, out);
    if (trees.bound_gap() > 0.0) {
      out += ", \"bound\": ";
      text::append_json_number(trees.bound(), out);
    }
    if (!parses.probabilities.empty()) {
      out += ", \"probability\": ";
      text::append_json_number(parses.probabilities[rank], out);
      out += ", \"covered\": ";
      text::append_json_number(covered += parses.probabilities[rank], out);
    }
    if (parses.sentence.named())
      append_names(parses.sentence, trees.heads(rank), out);
    else
      append_list(", \"heads\": [", trees.heads(rank), out);
    if (!parses.sentence.edge_labels.empty()) {
      append_labels(parses.sentence, trees.edges(rank), out);
    }
    if (parses.with_edges) append_edges(parses.sentence, trees.edges(rank), out);
    out += "}\n";
  });
}

}  // namespace coppice::io
