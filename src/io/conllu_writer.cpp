#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <coppice/io.hpp>
#include <string>

#include "io/pieces.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace coppice::io {
namespace {

// A comment is one line whatever its text is.
void append_comment(std::string_view name, std::string_view value, std::string& out) {
  out += "# ";
  out += name;
  out += " = ";
  text::append_plain(value, out);
  out += '\n';
}

void append_column(std::string_view text, std::string& out) {
  out += '\t';
  if (text.empty()) out += '_';
  text::append_plain(text, out);
}

const ArcProbabilities* confidence_of(const Parses& parses, std::size_t rank, std::size_t word) {
  const auto words = static_cast<std::size_t>(parses.trees.nodes()) - 1;
  return parses.arcs.empty() ? nullptr : &parses.arcs[rank * words + word - 1];
}

// Four digits, which is more than any calibration is good for.
double rounded(double probability) { return std::round(probability * 1e4) / 1e4; }

void append_probability(double probability, std::string& out) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof(text), rounded(probability), std::chars_format::fixed).ptr;
  out.append(text, end);
}

constexpr std::array kOurKeys = {
    std::string_view("HeadProbability="), std::string_view("LabelProbability="),
    std::string_view("OtherHead="), std::string_view("TreeHeads="), std::string_view("WordHeads=")};

// MISC with how sure the edge is and what else is noted, in place of what an earlier run may have
// said.
std::string misc_with(std::string_view misc, const ArcProbabilities& arc, std::string_view note,
                      bool labelled) {
  std::string out;
  const auto add = [&](std::string_view item) {
    if (!out.empty()) out += '|';
    out += item;
  };
  for (std::string_view rest = misc == "_" ? std::string_view() : misc; !rest.empty();) {
    const std::size_t bar = rest.find('|');
    const std::string_view item = rest.substr(0, bar);
    bool ours = item.empty();
    for (const std::string_view key : kOurKeys) ours = ours || item.starts_with(key);
    if (!ours) add(item);
    rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
  }
  add("HeadProbability=");
  append_probability(arc.head, out);
  if (labelled) {
    add("LabelProbability=");
    append_probability(arc.label, out);
  }
  if (arc.other_head != kNoNode && rounded(arc.other) > 0.0) {
    add("OtherHead=");
    text::append_number(arc.other_head, out);
    out += ':';
    append_probability(arc.other, out);
  }
  if (!note.empty()) add(note);
  return out;
}

// What ConlluEditor marks: words by their head, dependency relations by their label.
void append_highlights(const Parses& parses, std::size_t rank, std::string& out) {
  std::string tokens, relations;
  for (std::size_t word = 1; word < static_cast<std::size_t>(parses.trees.nodes()); ++word) {
    const ArcProbabilities* arc = confidence_of(parses, rank, word);
    if (arc == nullptr) return;
    if (arc->head < parses.highlight) tokens += ' ' + std::to_string(word);
    if (arc->label < parses.highlight) relations += ' ' + std::to_string(word);
  }
  if (!tokens.empty()) out += "# highlight tokens =" + tokens + '\n';
  if (!relations.empty()) out += "# highlight deprels =" + relations + '\n';
}

// Of the tree itself; empty where it has no labels.
std::string_view own_label(const Parses& parses, std::size_t rank, std::size_t word) {
  const Sentence& sentence = parses.sentence;
  if (sentence.edge_labels.empty()) return {};
  const auto edge = static_cast<std::size_t>(parses.trees.edges(rank)[word]);
  return (*sentence.label_names)[static_cast<std::size_t>(sentence.edge_labels[edge])];
}

bool keeps_head(const Parses& parses, std::size_t rank, std::size_t word) {
  const auto& gold = parses.sentence.gold_heads;
  return parses.keep_gold && word <= gold.size() &&
         parses.trees.heads(rank)[word] == gold[word - 1];
}

// Of DEPS such as "2:obj|5.1:nsubj" the second part.
bool names_empty_node(std::string_view deps) {
  while (!deps.empty()) {
    const std::string_view part = deps.substr(0, deps.find('|'));
    if (part.substr(0, part.find(':')).find('.') != std::string_view::npos) return true;
    deps.remove_prefix(std::min(deps.size(), part.size() + 1));
  }
  return false;
}

// Enhanced graphs hang together: all words of a tree keep their part of it, or none does.
bool keeps_deps(const Parses& parses, std::size_t rank) {
  const Sentence& sentence = parses.sentence;
  for (std::size_t word = 1; word < static_cast<std::size_t>(parses.trees.nodes()); ++word) {
    if (!keeps_head(parses, rank, word)) return false;
    const std::string_view label = own_label(parses, rank, word);
    if (!label.empty() && label != sentence.gold_labels[word - 1]) return false;
    if (names_empty_node(sentence.tokens[word - 1].deps)) return false;
  }
  return true;
}

void append_word(const Parses& parses, std::size_t rank, std::size_t word, bool with_deps,
                 std::string& out) {
  static const Token kNone;
  const Sentence& sentence = parses.sentence;
  const Token& token = word <= sentence.tokens.size() ? sentence.tokens[word - 1] : kNone;
  const Node head = parses.trees.heads(rank)[word];
  text::append_number(word, out);
  const bool by_name = sentence.named() && token.form.empty();
  const std::string& form = by_name ? sentence.node_names[word] : token.form;
  for (const auto* column : {&form, &token.lemma, &token.upos, &token.xpos, &token.feats}) {
    append_column(*column, out);
  }
  out += '\t';
  text::append_number(head, out);
  if (!sentence.kept_labels.empty() && !sentence.kept_labels[word - 1].empty()) {
    append_column(sentence.kept_labels[word - 1], out);
  } else if (!sentence.edge_labels.empty()) {
    append_column(own_label(parses, rank, word), out);
  } else if (keeps_head(parses, rank, word)) {
    append_column(sentence.gold_labels[word - 1], out);
  } else {
    append_column(head == 0 ? "root" : "dep", out);
  }
  append_column(with_deps ? token.deps : "_", out);
  const ArcProbabilities* arc = confidence_of(parses, rank, word);
  const std::string_view note =
      parses.notes.empty() ? "" : std::string_view(parses.notes[word - 1]);
  append_column(arc == nullptr ? token.misc
                               : misc_with(token.misc, *arc, note, !sentence.edge_labels.empty()),
                out);
  out += '\n';
}

// The first word of a "1-2 ..." line.
std::size_t first_word(std::string_view line) {
  return text::parse_number<std::size_t>(line.substr(0, line.find('-'))).value_or(0);
}

}  // namespace

std::size_t append_conllu(const Parses& parses, std::string& out) {
  const Sentence& sentence = parses.sentence;
  if (!parses.error.empty()) {
    append_comment("sent_id", sentence.name(), out);
    append_comment("kbest_rank", "0", out);
    append_comment("kbest_error", parses.error, out);
    out += '\n';
    return parses.trees.size();
  }
  return for_each_tree(parses, out, [&](std::size_t rank) {
    if (rank == 0) {  // "# newdoc" should not come K times
      for (const std::string& comment : sentence.comments) {
        text::append_plain(comment, out);
        out += '\n';
      }
    }
    append_comment("sent_id", sentence.name(), out);
    append_comment("kbest_rank", std::to_string(rank + 1), out);
    out += "# kbest_score = ";
    if (parses.trees.integer_scores().empty()) {
      text::append_number(parses.trees.score(rank), out);
    } else {
      text::append_number(parses.trees.integer_scores()[rank], out);
    }
    out += '\n';
    if (!parses.probabilities.empty()) {
      out += "# kbest_probability = ";
      text::append_number(parses.probabilities[rank], out);
      out += '\n';
    }
    append_highlights(parses, rank, out);
    if (sentence.named() && !sentence.added_root)
      append_comment("kbest_root", sentence.node_names[0], out);
    if (!sentence.text.empty()) append_comment("text", sentence.text, out);
    const bool with_deps = keeps_deps(parses, rank);
    auto multiword = sentence.multiword_lines.begin();
    const auto words = static_cast<std::size_t>(parses.trees.nodes()) - 1;
    for (std::size_t word = 1; word <= words; ++word) {
      while (multiword != sentence.multiword_lines.end() && first_word(*multiword) <= word) {
        text::append_without_controls(*multiword++, out, "\t");
        out += '\n';
      }
      append_word(parses, rank, word, with_deps, out);
    }
    out += '\n';
  });
}

}  // namespace coppice::io
