#include <coppice/view.hpp>
#include <utility>

#include "text/json.hpp"
#include "text/numbers.hpp"
#include "view/page_parts.hpp"
#include "view/xml.hpp"

namespace coppice::view {
namespace {

constexpr std::string_view kTitleMark = "{{title}}", kStyleMark = "{{style}}",
                           kDataMark = "{{data}}", kScriptMark = "{{script}}";

// Up to the mark, and the rest behind it.
std::pair<std::string_view, std::string_view> split_at(std::string_view text,
                                                       std::string_view mark) {
  const std::size_t at = text.find(mark);
  return {text.substr(0, at), text.substr(at + mark.size())};
}

// Inside a script element "</script" would end it and "<!--" hide it; "<" occurs only in strings.
void append_for_script(std::string_view json, std::string& out) {
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
}

void append_strings(std::string_view name, std::span<const std::string> values, std::string& out) {
  out += name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    text::append_json_string(values[i], out);
  }
  out += ']';
}

void append_tree(const Picture& picture, std::size_t rank, std::string& out) {
  const TreeList& trees = *picture.trees;
  out += "{\"score\":";
  text::append_json_number(trees.score(rank), out);
  out += ",\"gap\":";
  text::append_json_number(trees.gap(rank), out);
  if (!picture.probabilities.empty()) {
    out += ",\"probability\":";
    text::append_json_number(picture.probabilities[rank], out);
  }
  out += ",\"heads\":[";
  const auto heads = trees.heads(rank);
  for (std::size_t v = 1; v < heads.size(); ++v) {
    if (v > 1) out += ',';
    text::append_number(heads[v], out);
  }
  out += ']';
  if (!picture.edge_labels.empty()) {
    out += ",\"labels\":[";
    for (std::size_t v = 1; v < heads.size(); ++v) {
      if (v > 1) out += ',';
      const auto edge = static_cast<std::size_t>(trees.edges(rank)[v]);
      const auto label = static_cast<std::size_t>(picture.edge_labels[edge]);
      text::append_json_string(picture.label_names[label], out);
    }
    out += ']';
  }
  out += '}';
}

}  // namespace

PageWriter::PageWriter(PageOptions options) : options_(std::move(options)) {}

void PageWriter::begin(std::string& out) const {
  const auto [before_title, after_title] = split_at(kTemplate, kTitleMark);
  const auto [before_style, after_style] = split_at(after_title, kStyleMark);
  out += before_title;
  append_xml(options_.title, out);
  out += before_style;
  out += kStyle;
  out += split_at(after_style, kDataMark).first;
  std::string json = "{\"title\":";
  text::append_json_string(options_.title, json);
  json += ",\"caption\":";
  text::append_json_string(options_.caption, json);
  json += ",\"sentences\":[\n";
  append_for_script(json, out);
}

void PageWriter::add(const Picture& picture, std::string& out) {
  std::string json = first_ ? "{\"id\":" : ",\n{\"id\":";
  first_ = false;
  text::append_json_string(picture.id, json);
  append_strings(",\"words\":[", picture.words, json);
  append_strings(",\"tags\":[", picture.tags, json);
  if (!picture.error.empty()) {
    json += ",\"error\":";
    text::append_json_string(picture.error, json);
  }
  json += ",\"trees\":[";
  const std::size_t trees = picture.trees == nullptr ? 0 : picture.trees->size();
  for (std::size_t rank = 0; rank < trees; ++rank) {
    if (rank > 0) json += ',';
    append_tree(picture, rank, json);
  }
  json += "]}";
  append_for_script(json, out);
}

void PageWriter::end(std::string& out) const {
  out += "\n]}";
  const auto [before_script, after_script] =
      split_at(split_at(kTemplate, kDataMark).second, kScriptMark);
  out += before_script;
  out += kScript;
  out += after_script;
}

}  // namespace coppice::view
