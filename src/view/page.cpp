#include <cmath>
#include <coppice/view.hpp>
#include <utility>
#include <vector>

#include "text/json.hpp"
#include "text/numbers.hpp"
#include "view/checked.hpp"
#include "view/packed_scores.hpp"
#include "view/page_parts.hpp"
#include "view/xml.hpp"

namespace coppice::view {
namespace {

constexpr std::string_view kTitleMark = "{{title}}", kStyleMark = "{{style}}",
                           kDataMark = "{{data}}", kScoresMark = "{{scores}}",
                           kLibraryMark = "{{library}}", kScriptMark = "{{script}}";

// Beyond this a page that finds trees by itself would be slow, and its file large.
constexpr Node kMostLiveNodes = 600;

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

void append_arcs(std::string_view name, std::span<const Arc> arcs, std::string& out) {
  out += name;
  for (const Arc& arc : arcs) {
    if (out.back() != '[') out += ',';
    out += '[';
    text::append_number(arc.head, out);
    out += ',';
    text::append_number(arc.dependent, out);
    out += ']';
  }
  out += ']';
}

void append_which(const PageOptions& options, std::string& out) {
  const Problem& problem = options.problem;
  out += problem.root == RootRule::single ? "{\"root\":\"single\"" : "{\"root\":\"any\"";
  if (problem.objective == Objective::minimize) out += ",\"minimize\":true";
  append_arcs(",\"required\":[", problem.required, out);
  append_arcs(",\"forbidden\":[", problem.forbidden, out);
  std::vector<std::string> rules;
  for (const Rule& rule : problem.rules) rules.push_back(rule.name());
  append_strings(",\"rules\":[", rules, out);
  if (options.distance > 0) {
    out += ",\"distance\":";
    text::append_number(options.distance, out);
    append_strings(",\"ignored\":[", options.ignored_labels, out);
  }
  out += '}';
}

}  // namespace

class PageWriter::Scores {
 public:
  // The place of a sentence's scores, and with the first ones that have labels their names.
  void add(const Picture& picture, std::string& json) {
    const PackedPlace place = packed_.add(*picture.graph, picture.edge_labels);
    json += ",\"scores\":{\"at\":";
    text::append_number(place.at, json);
    json += ",\"nodes\":";
    text::append_number(picture.graph->nodes(), json);
    if (place.edges >= 0) {
      json += ",\"edges\":";
      text::append_number(place.edges, json);
    }
    if (place.wide) json += ",\"wide\":true";
    if (names_ != picture.label_names.data() && !picture.label_names.empty()) {
      names_ = picture.label_names.data();
      append_strings(",\"labelNames\":[", picture.label_names, json);
    }
    json += '}';
  }
  std::string finish() { return packed_.finish(); }

 private:
  PackedScores packed_;
  const std::string* names_ = nullptr;  // those that were written last
};

PageWriter::PageWriter(PageOptions options)
    : options_(std::move(options)), scores_(std::make_unique<Scores>()) {}
PageWriter::~PageWriter() = default;

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
  if (options_.annotate) json += ",\"annotate\":true";
  if (options_.from_text) json += ",\"fromText\":true";
  if (!options_.promise.empty()) {
    json += ",\"promise\":";
    text::append_json_string(options_.promise, json);
  }
  json += ",\"k\":";
  text::append_number(options_.k, json);
  json += ",\"which\":";
  append_which(options_, json);
  json += ",\"sentences\":[\n";
  append_for_script(json, out);
}

void PageWriter::add(const Picture& picture, std::string& out) {
  check(picture);
  std::string json = first_ ? "{\"id\":" : ",\n{\"id\":";
  first_ = false;
  text::append_json_string(picture.id, json);
  if (picture.conllu.empty()) {
    append_strings(",\"words\":[", picture.words, json);
    append_strings(",\"tags\":[", picture.tags, json);
  } else {
    json += ",\"conllu\":";
    text::append_json_string(picture.conllu, json);
  }
  if (!picture.error.empty()) {
    json += ",\"error\":";
    text::append_json_string(picture.error, json);
  }
  if (!picture.root.empty() || picture.added_root) json += ",\"graph\":true";
  if (!picture.root.empty()) {
    json += ",\"root\":";
    text::append_json_string(picture.root, json);
  }
  if (picture.root_rule && *picture.root_rule != options_.problem.root)
    json += *picture.root_rule == RootRule::single ? ",\"rootRule\":\"single\""
                                                   : ",\"rootRule\":\"any\"";
  if (!picture.required.empty()) append_arcs(",\"required\":[", picture.required, json);
  if (!picture.forbidden.empty()) append_arcs(",\"forbidden\":[", picture.forbidden, json);
  if (!picture.settled.empty()) append_arcs(",\"settled\":[", picture.settled, json);
  if (picture.doubt >= 0) {
    json += ",\"doubt\":";
    text::append_json_number(std::round(picture.doubt * 1e4) / 1e4, json);
  }
  if (picture.graph && picture.graph->nodes() <= kMostLiveNodes &&
      picture.label_names.size() <= kMostPackedIds)
    scores_->add(picture, json);
  json += ",\"trees\":[";
  const std::size_t trees = picture.trees == nullptr ? 0 : picture.trees->size();
  for (std::size_t rank = 0; rank < trees; ++rank) {
    if (rank > 0) json += ',';
    append_tree(picture, rank, json);
  }
  json += "]}";
  append_for_script(json, out);
}

void PageWriter::end(std::string& out) {
  out += "\n]}";
  const auto [before_scores, after_scores] =
      split_at(split_at(kTemplate, kDataMark).second, kScoresMark);
  const auto [before_library, after_library] = split_at(after_scores, kLibraryMark);
  const auto [before_script, after_script] = split_at(after_library, kScriptMark);
  out += before_scores;
  out += scores_->finish();
  out += before_library;
  for (const std::string_view part : kLibrary) out += part;
  out += before_script;
  for (const std::string_view part : kScripts) out += part;
  out += after_script;
}

}  // namespace coppice::view
