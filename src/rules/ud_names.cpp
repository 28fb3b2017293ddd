#include "rules/ud_names.hpp"

#include <algorithm>
#include <array>

namespace coppice::rules {
namespace {

constexpr std::array<std::string_view, 37> kRelations = {
    "acl",       "advcl",      "advmod",   "amod",     "appos", "aux",      "case",   "cc",
    "ccomp",     "clf",        "compound", "conj",     "cop",   "csubj",    "dep",    "det",
    "discourse", "dislocated", "expl",     "fixed",    "flat",  "goeswith", "iobj",   "list",
    "mark",      "nmod",       "nsubj",    "nummod",   "obj",   "obl",      "orphan", "parataxis",
    "punct",     "reparandum", "root",     "vocative", "xcomp"};

constexpr std::array<std::string_view, 17> kTags = {
    "ADJ",  "ADP",  "ADV",   "AUX",   "CCONJ", "DET", "INTJ", "NOUN", "NUM",
    "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"};

bool letters(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

Relation relation_of(std::string_view label) {
  std::size_t colon = label.find(':');
  std::string_view main = label.substr(0, colon);
  if (!letters(main) || (colon != std::string_view::npos && !letters(label.substr(colon + 1))))
    return Relation::malformed;
  auto found = std::lower_bound(kRelations.begin(), kRelations.end(), main);
  if (found == kRelations.end() || *found != main) return Relation::unknown;
  return static_cast<Relation>(found - kRelations.begin());
}

Tag tag_of(std::string_view name) {
  auto found = std::lower_bound(kTags.begin(), kTags.end(), name);
  if (found == kTags.end() || *found != name) return Tag::other;
  return static_cast<Tag>(found - kTags.begin());
}

std::string_view value_of(std::string_view attributes, std::string_view name) {
  while (!attributes.empty()) {
    std::string_view attribute = attributes.substr(0, attributes.find('|'));
    attributes.remove_prefix(std::min(attributes.size(), attribute.size() + 1));
    if (attribute.size() > name.size() && attribute[name.size()] == '=' &&
        attribute.starts_with(name))
      return attribute.substr(name.size() + 1);
  }
  return {};
}

}  // namespace coppice::rules
