// Relations and tags of Universal Dependencies as numbers, sets of them as bits.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace coppice::rules {

// In the order of the names in ud_names.cpp.
enum class Relation : std::uint8_t {
  acl,
  advcl,
  advmod,
  amod,
  appos,
  aux,
  case_,
  cc,
  ccomp,
  clf,
  compound,
  conj,
  cop,
  csubj,
  dep,
  det,
  discourse,
  dislocated,
  expl,
  fixed,
  flat,
  goeswith,
  iobj,
  list,
  mark,
  nmod,
  nsubj,
  nummod,
  obj,
  obl,
  orphan,
  parataxis,
  punct,
  reparandum,
  root,
  vocative,
  xcomp,
  unknown,   // well-formed, but no relation of UD
  malformed  // not even that
};

enum class Tag : std::uint8_t {
  ADJ,
  ADP,
  ADV,
  AUX,
  CCONJ,
  DET,
  INTJ,
  NOUN,
  NUM,
  PART,
  PRON,
  PROPN,
  PUNCT,
  SCONJ,
  SYM,
  VERB,
  X,
  other
};

template <class Name>
class SetOf {
 public:
  constexpr SetOf(std::initializer_list<Name> names) {
    for (Name name : names) bits_ |= bit(name);
  }
  constexpr bool has(Name name) const { return (bits_ & bit(name)) != 0; }
  constexpr SetOf operator~() const { return SetOf(~bits_); }
  constexpr SetOf operator|(SetOf other) const { return SetOf(bits_ | other.bits_); }

 private:
  constexpr explicit SetOf(std::uint64_t bits) : bits_(bits) {}
  static constexpr std::uint64_t bit(Name name) {
    return std::uint64_t{1} << static_cast<unsigned>(name);
  }
  std::uint64_t bits_ = 0;
};
using Relations = SetOf<Relation>;
using Tags = SetOf<Tag>;

// "nsubj:pass" is nsubj.
Relation relation_of(std::string_view label);
Tag tag_of(std::string_view name);

// The value of an attribute in FEATS or MISC ("A=b|C=d"); empty where it has none.
std::string_view value_of(std::string_view attributes, std::string_view name);

}  // namespace coppice::rules
