// The errors of class SYNTAX that the validator of Universal Dependencies reports up to level 3,
// test by test, each with the clause that a tree then breaks. Names of tests are the validator's.
//
// "Group" in what follows: all edges into a word with certain labels, often from any head. Naming
// them all makes a clause hold wherever else the word might go with such a label.
#include <algorithm>
#include <array>
#include <coppice/error.hpp>
#include <coppice/rules.hpp>
#include <limits>
#include <memory>

#include "rules/edges.hpp"
#include "rules/ud_names.hpp"

namespace coppice::rules {
namespace {

constexpr Relations kSubjects{Relation::nsubj, Relation::csubj};
constexpr Relations kLeftToRight{Relation::conj, Relation::fixed, Relation::flat,
                                 Relation::goeswith, Relation::appos};
constexpr Tags kNominals{Tag::NOUN, Tag::PROPN, Tag::PRON};
constexpr Relations kNominalRelations{Relation::nsubj, Relation::obj,      Relation::iobj,
                                      Relation::obl,   Relation::vocative, Relation::dislocated,
                                      Relation::expl,  Relation::nmod};
constexpr Relations kClauseIndicators{Relation::cop, Relation::nsubj, Relation::csubj};

// rel-upos-*: words with this relation have one of these tags.
struct TagsOfRelation {
  std::string_view id;
  Relation relation;
  Tags tags;
};
constexpr std::array<TagsOfRelation, 10> kTagsOfRelations = {{
    {"rel-upos-det", Relation::det, {Tag::DET, Tag::PRON}},
    {"rel-upos-nummod", Relation::nummod, {Tag::NUM, Tag::NOUN, Tag::SYM}},
    {"rel-upos-advmod",
     Relation::advmod,
     {Tag::ADV, Tag::ADJ, Tag::CCONJ, Tag::DET, Tag::PART, Tag::SYM}},
    {"rel-upos-expl", Relation::expl, {Tag::PRON, Tag::DET, Tag::PART}},
    {"rel-upos-aux", Relation::aux, {Tag::AUX}},
    {"rel-upos-cop", Relation::cop, {Tag::AUX, Tag::PRON, Tag::DET, Tag::SYM}},
    {"rel-upos-case", Relation::case_,
     ~Tags{Tag::PROPN, Tag::ADJ, Tag::PRON, Tag::DET, Tag::NUM, Tag::AUX}},
    {"rel-upos-mark", Relation::mark,
     ~Tags{Tag::NOUN, Tag::PROPN, Tag::ADJ, Tag::PRON, Tag::DET, Tag::NUM, Tag::AUX, Tag::INTJ}},
    {"rel-upos-cc", Relation::cc,
     ~Tags{Tag::NOUN, Tag::PROPN, Tag::ADJ, Tag::PRON, Tag::DET, Tag::NUM, Tag::VERB, Tag::AUX,
           Tag::INTJ}},
    {"rel-upos-punct", Relation::punct, {Tag::PUNCT}},
}};

// leaf-*: words with one of these relations have children with those relations only.
struct ChildrenOfRelations {
  std::string_view id;
  Relations relations;
  Relations children;
};
constexpr Relations kRepairs{Relation::goeswith, Relation::reparandum, Relation::conj,
                             Relation::punct};
constexpr Relations kOfFunctionWords = kRepairs | Relations{Relation::fixed, Relation::cc};
constexpr Relations kAdverbial{Relation::advmod, Relation::obl};
constexpr std::array<ChildrenOfRelations, 8> kChildrenOfRelations = {{
    {"leaf-mark-case", {Relation::mark, Relation::case_}, kOfFunctionWords | kAdverbial},
    {"leaf-aux-cop", {Relation::aux, Relation::cop}, kOfFunctionWords},
    {"leaf-det",
     {Relation::det},
     kOfFunctionWords | kAdverbial |
         Relations{Relation::det, Relation::case_, Relation::clf, Relation::flat,
                   Relation::compound, Relation::discourse, Relation::parataxis}},
    {"leaf-clf", {Relation::clf}, kOfFunctionWords | kAdverbial},
    {"leaf-cc", {Relation::cc}, kRepairs | Relations{Relation::fixed}},
    {"leaf-fixed", {Relation::fixed}, kRepairs},
    {"leaf-goeswith", {Relation::goeswith}, {}},
    {"leaf-punct", {Relation::punct}, {Relation::punct}},
}};

// The validator blames a possessive determiner for less.
constexpr Relations kOfPossessives{Relation::appos, Relation::acl, Relation::nmod};

constexpr std::string_view right_to_left(Relation relation) {
  switch (relation) {
    case Relation::conj:
      return "right-to-left-conj";
    case Relation::fixed:
      return "right-to-left-fixed";
    case Relation::flat:
      return "right-to-left-flat";
    case Relation::goeswith:
      return "right-to-left-goeswith";
    default:
      return "right-to-left-appos";
  }
}

// What the tests ask of a word.
struct UdWord {
  Tag tag = Tag::other;
  Tag external = Tag::other;  // ExtPos where there is one
  bool negates = false;       // an adverb or particle with Polarity=Neg
  bool possessive = false;
  bool outer_subject = false;   // MISC says so
  bool joined_to_next = false;  // SpaceAfter=No
};

UdWord ud_word(const Word& word) {
  UdWord known;
  known.tag = known.external = tag_of(word.tag);
  std::string_view external = value_of(word.feats, "ExtPos");
  if (!external.empty()) known.external = tag_of(external);
  known.negates = (known.tag == Tag::PART || known.tag == Tag::ADV) &&
                  value_of(word.feats, "Polarity") == "Neg";
  known.possessive = value_of(word.feats, "Poss") == "Yes";
  known.outer_subject = value_of(word.misc, "Subject") == "Outer";
  known.joined_to_next = value_of(word.misc, "SpaceAfter") == "No";
  return known;
}

// Judges the trees of one graph.
class Validator {
 public:
  explicit Validator(Graph graph) : edges_(graph, "ud") {
    if (graph.facts()->words.size() != at(graph.words()))
      throw Error(ErrorCode::bad_argument, "rule ud: needs the tags of all words; there are " +
                                               std::to_string(graph.facts()->words.size()) +
                                               " for " + std::to_string(graph.words()));
    for (const std::string& name : edges_.names()) {
      relations_.push_back(relation_of(name));
      inner_subject_.push_back(kSubjects.has(relations_.back()) && name != "nsubj:outer" &&
                               name != "csubj:outer");
    }
    words_.resize(at(graph.nodes()));
    for (Node v = 1; v < graph.nodes(); ++v)
      words_[at(v)] = ud_word(graph.facts()->words[at(v - 1)]);
  }

  // report(id, node, write): write(clause) writes the clause that the tree breaks.
  template <class Report>
  void run(const TreeRef& tree, Report report) {
    load(tree);
    if (!single_root(report)) return;  // as the validator does
    for (Node v = 1; v < nodes(); ++v) {
      label_itself(v, report);
      root_label(v, report);
      tag_and_relation(v, report);
      direction(v, report);
      subjects(v, report);
      objects(v, report);
      oblique(v, report);
      leaves(v, report);
      goes_with(v, report);
      punctuation(v, report);
    }
  }

 private:
  Node nodes() const { return static_cast<Node>(heads_.size()); }
  Node head(Node v) const { return heads_[at(v)]; }
  Relation relation(Node v) const { return relation_[at(v)]; }
  template <class Visit>
  void for_each_child(Node v, Visit visit) const {
    for (Node c = first_child_[at(v)]; c != kNoNode; c = sibling_[at(c)]) visit(c);
  }

  void load(const TreeRef& tree) {
    heads_ = tree.heads;
    label_.resize(heads_.size());
    relation_.resize(heads_.size());
    first_child_.assign(heads_.size(), kNoNode);
    sibling_.resize(heads_.size());
    for (Node v = nodes() - 1; v >= 1; --v) {
      label_[at(v)] = edges_.label(tree.edges[at(v)]);
      relation_[at(v)] = relations_[at(label_[at(v)])];
      sibling_[at(v)] = first_child_[at(head(v))];
      first_child_[at(head(v))] = v;
    }
  }

  // --- Groups of edges -------------------------------------------------------------------------

  // Into v from any head for which from(head) holds, with these relations.
  template <class From>
  void add(Node v, From from, Relations wanted, std::vector<ClauseEdge>& edges) {
    edges_.append_into(
        v, [&](Node h, std::int32_t label) { return from(h) && wanted.has(relations_[at(label)]); },
        edges);
  }
  void add_any_head(Node v, Relations wanted, std::vector<ClauseEdge>& edges) {
    add(
        v, [](Node) { return true; }, wanted, edges);
  }
  void add_arc(Node h, Node v, Relations wanted, std::vector<ClauseEdge>& edges) {
    add(
        v, [h](Node from) { return from == h; }, wanted, edges);
  }

  // --- Tests ------------------------------------------------------------------------------------

  // multiple-roots (level 2)
  template <class Report>
  bool single_root(Report& report) {
    Node first = first_child_[0];
    Node second = sibling_[at(first)];
    if (second == kNoNode) return true;
    report("multiple-roots", 0, [&](Clause& clause) {
      clause.without = {{0, first}, {0, second}};
    });
    return false;
  }

  // invalid-deprel, unknown-udeprel (level 2)
  template <class Report>
  void label_itself(Node v, Report& report) {
    if (relation(v) != Relation::malformed && relation(v) != Relation::unknown) return;
    report(relation(v) == Relation::malformed ? "invalid-deprel" : "unknown-udeprel", v,
           [&](Clause& clause) {
             add_any_head(v, {Relation::malformed, Relation::unknown}, clause.without);
           });
  }

  // 0-is-not-root, root-is-not-0
  template <class Report>
  void root_label(Node v, Report& report) {
    bool hangs_from_root = head(v) == 0;
    if (hangs_from_root == (relation(v) == Relation::root)) return;
    report(hangs_from_root ? "0-is-not-root" : "root-is-not-0", v, [&](Clause& clause) {
      if (hangs_from_root)
        add_arc(0, v, ~Relations{Relation::root}, clause.without);
      else
        add(
            v, [](Node h) { return h != 0; }, {Relation::root}, clause.without);
    });
  }

  // rel-upos-*, upos-rel-punct
  template <class Report>
  void tag_and_relation(Node v, Report& report) {
    Tag tag = words_[at(v)].external;
    for (const TagsOfRelation& test : kTagsOfRelations) {
      if (relation(v) != test.relation || test.tags.has(tag)) continue;
      bool may_go_with = test.relation == Relation::advmod;
      if (may_go_with && has_child(v, Relation::goeswith)) continue;
      report(test.id, v, [&](Clause& clause) {
        add_any_head(v, {test.relation}, clause.without);
        if (may_go_with)
          edges_.append_out_of(
              v,
              [&](Node w, std::int32_t label) {
                return w != 0 && w != v && relations_[at(label)] == Relation::goeswith;
              },
              clause.with);
      });
    }
    constexpr Relations kOfPunctuation{Relation::punct, Relation::root};
    if (tag == Tag::PUNCT && !kOfPunctuation.has(relation(v)))
      report("upos-rel-punct", v,
             [&](Clause& clause) { add_any_head(v, ~kOfPunctuation, clause.without); });
    if (tag == Tag::PROPN) fixed_name(v, report);
  }

  bool has_child(Node v, Relation wanted) const {
    bool found = false;
    for_each_child(v, [&](Node c) { found = found || relation(c) == wanted; });
    return found;
  }

  // rel-upos-fixed
  template <class Report>
  void fixed_name(Node v, Report& report) {
    Node child = kNoNode;
    for_each_child(v, [&](Node c) {
      if (relation(c) == Relation::fixed) child = c;
    });
    bool itself = relation(v) == Relation::fixed;
    if (!itself && child == kNoNode) return;
    report("rel-upos-fixed", v, [&](Clause& clause) {
      if (itself)
        add_any_head(v, {Relation::fixed}, clause.without);
      else
        add_arc(v, child, {Relation::fixed}, clause.without);
    });
  }

  // right-to-left-*
  template <class Report>
  void direction(Node v, Report& report) {
    if (!kLeftToRight.has(relation(v)) || head(v) < v) return;
    report(right_to_left(relation(v)), v, [&](Clause& clause) {
      add(
          v, [v](Node h) { return h > v; }, kLeftToRight, clause.without);
    });
  }

  // too-many-subjects. Outer subjects, by their label or by MISC, do not count.
  template <class Report>
  void subjects(Node v, Report& report) {
    two_children(
        v, "too-many-subjects", report, [&](Node c) { return !words_[at(c)].outer_subject; },
        [&](std::int32_t label) { return inner_subject_[at(label)] != 0; });
  }

  // too-many-objects
  template <class Report>
  void objects(Node v, Report& report) {
    two_children(
        v, "too-many-objects", report, [](Node) { return true; },
        [&](std::int32_t label) { return relations_[at(label)] == Relation::obj; });
  }

  template <class Report, class Counts, class CountsLabel>
  void two_children(Node v, std::string_view id, Report& report, Counts counts,
                    CountsLabel counts_label) {
    std::array<Node, 2> two;
    std::size_t found = 0;
    for_each_child(v, [&](Node c) {
      if (found < 2 && counts_label(label_[at(c)]) && counts(c)) two[found++] = c;
    });
    if (found < 2) return;
    report(id, v, [&](Clause& clause) {
      for (Node c : two)
        edges_.append_into(
            c, [&](Node h, std::int32_t label) { return h == v && counts_label(label); },
            clause.without);
    });
  }

  // obl-should-be-nmod: an oblique of a nominal that is no predicate.
  template <class Report>
  void oblique(Node v, Report& report) {
    Node parent = head(v);
    if (relation(v) != Relation::obl || parent == 0) return;
    if (!kNominals.has(words_[at(parent)].tag) || !kNominalRelations.has(relation(parent))) return;
    bool predicate = false;
    for_each_child(parent,
                   [&](Node c) { predicate = predicate || kClauseIndicators.has(relation(c)); });
    if (predicate) return;
    report("obl-should-be-nmod", v, [&](Clause& clause) {
      add_arc(parent, v, {Relation::obl}, clause.without);
      add_any_head(parent, kNominalRelations, clause.without);
      edges_.append_out_of(
          parent,
          [&](Node w, std::int32_t label) {
            return w != 0 && w != parent && w != v && kClauseIndicators.has(relations_[at(label)]);
          },
          clause.with);
    });
  }

  // leaf-*. Negation may modify any function word, and punctuation a word that is attached
  // non-projectively.
  template <class Report>
  void leaves(Node child, Report& report) {
    Node v = head(child);
    if (v == 0) return;
    for (const ChildrenOfRelations& test : kChildrenOfRelations) {
      if (!test.relations.has(relation(v))) continue;
      Relations allowed = test.children;
      if (words_[at(child)].negates && relation(v) != Relation::punct)
        allowed = allowed | Relations{Relation::advmod};
      if (words_[at(v)].possessive && relation(v) == Relation::det)
        allowed = allowed | kOfPossessives;
      if (allowed.has(relation(child))) return;
      // Of the words in question only goeswith may not have punctuation anyway. Where it is
      // attached non-projectively, the tree has goeswith-gap or right-to-left-goeswith: the clause
      // below holds for every legal tree in that case too.
      if (relation(child) == Relation::punct && over_gap(v)) return;
      report(test.id, child, [&](Clause& clause) {
        add_any_head(v, test.relations, clause.without);
        add_arc(v, child, ~allowed, clause.without);
      });
    }
  }

  // goeswith-gap, goeswith-nospace: the parts of a word follow each other, with spaces between.
  template <class Report>
  void goes_with(Node v, Report& report) {
    Node first = kNoNode, last = kNoNode;  // children by goeswith
    for_each_child(v, [&](Node c) {
      if (relation(c) != Relation::goeswith) return;
      if (first == kNoNode) first = c;
      last = c;
    });
    if (last == kNoNode) return;
    auto part = [&](Node c) { return head(c) == v && relation(c) == Relation::goeswith; };
    auto add_part = [&](Node c, std::vector<ClauseEdge>& edges) {
      add_arc(v, c, {Relation::goeswith}, edges);
    };
    Node missing = v + 1;
    while (missing < last && part(missing)) ++missing;
    if (first < v) {
      report("goeswith-gap", v, [&](Clause& clause) { add_part(first, clause.without); });
    } else if (missing < last) {
      report("goeswith-gap", v, [&](Clause& clause) {
        add_part(last, clause.without);
        add_part(missing, clause.with);
      });
    }
    Node end = std::max(v, last);
    Node joined = kNoNode;  // a part that is not the last and has no space after it
    for (Node c = std::min(v, first); c < end; ++c)
      if ((c == v || part(c)) && words_[at(c)].joined_to_next) joined = c;
    if (joined == kNoNode) return;
    // All words up to the last part must be parts themselves, so that one edge says enough.
    report("goeswith-nospace", v,
           [&](Clause& clause) { add_part(joined < v ? joined : last, clause.without); });
  }

  // --- Punctuation and crossing edges -----------------------------------------------------------

  bool descends(Node v, Node from) const {
    while (v != from && v != 0) v = head(v);
    return v == from;
  }

  // Is there a word between v and its head that does not descend from the head?
  bool over_gap(Node v) const {
    Node p = head(v);
    for (Node g = std::min(p, v) + 1; g < std::max(p, v); ++g)
      if (!descends(g, p)) return true;
    return false;
  }

  // punct-causes-nonproj, punct-is-nonproj. Let p -> v be the edge into a punctuation mark,
  // "inside" the words between p and v, and "beyond v" those on the other side of v. An edge x -> y
  // between inside and beyond v is enough for one of the two, whatever the rest of the tree:
  // - x beyond v, y inside: if y does not descend from p, v is attached non-projectively. If it
  // does,
  //   then x does too and is no ancestor of v, and v causes the gap of x -> y.
  // - x inside, y beyond v: if x is an ancestor of v, it is one of p: x is a word in the gap of
  //   p -> v. If not, v causes the gap of x -> y.
  template <class Report>
  void punctuation(Node v, Report& report) {
    if (relation(v) != Relation::punct) return;
    Node p = head(v);
    auto inside = [p, v](Node u) { return (p < u && u < v) || (v < u && u < p); };
    auto beyond = [p, v](Node u) { return p < v ? u > v : u < v; };
    Node caused = kNoNode, leaves_span = kNoNode;
    for (Node y = 1; y < nodes(); ++y) {
      Node x = head(y);
      bool in = inside(y);
      if (in && x != p && x != v && !inside(x)) leaves_span = y;
      bool crossing = (in && beyond(x)) || (beyond(y) && inside(x));
      if (crossing && !descends(v, x)) caused = y;
    }
    if (caused != kNoNode)
      report("punct-causes-nonproj", v, [&](Clause& clause) {
        add_arc(p, v, {Relation::punct}, clause.without);
        clause.without.push_back({head(caused), caused});
      });
    if (leaves_span == kNoNode || !over_gap(v)) return;
    report("punct-is-nonproj", v, [&](Clause& clause) {
      add_arc(p, v, {Relation::punct}, clause.without);
      add_gap(v, beyond, clause.without);
    });
  }

  // The fewest edges that show a word between v and its head p not to descend from p.
  template <class Beyond>
  void add_gap(Node v, Beyond beyond, std::vector<ClauseEdge>& edges) {
    Node p = head(v);
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (Node g = std::min(p, v) + 1; g < std::max(p, v); ++g) {
      if (descends(g, p)) continue;
      if (beyond(head(g)) && fewest > 1) {
        gap_ = {{head(g), g}};  // see above
        fewest = 1;
      }
      // Up to the root, or up to a common ancestor of g and p.
      std::size_t up_to_root = 0;
      for (Node u = g; u != 0; u = head(u)) ++up_to_root;
      if (up_to_root < fewest) fewest = list_path(g, 0, p, false);
      Node common = g;
      std::size_t length = 0;
      for (; !descends(p, common); common = head(common)) ++length;
      for (Node u = p; u != common; u = head(u)) ++length;
      if (length < fewest) fewest = list_path(g, common, p, true);
    }
    edges.insert(edges.end(), gap_.begin(), gap_.end());
  }

  std::size_t list_path(Node g, Node top, Node p, bool both) {
    gap_.clear();
    for (Node u = g; u != top; u = head(u)) gap_.push_back({head(u), u});
    if (both)
      for (Node u = p; u != top; u = head(u)) gap_.push_back({head(u), u});
    return gap_.size();
  }

  LabelledEdges edges_;
  std::vector<Relation> relations_;          // per label
  std::vector<std::uint8_t> inner_subject_;  // per label
  std::vector<UdWord> words_;                // per node

  // The tree under judgement.
  std::span<const Node> heads_;
  std::vector<std::int32_t> label_;
  std::vector<Relation> relation_;
  std::vector<Node> first_child_, sibling_;
  std::vector<ClauseEdge> gap_;
};

// How many ways there are to mend a tree that breaks the clause.
std::size_t width(const Clause& clause) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < clause.without.size(); ++i)
    if (i == 0 || clause.without[i].dependent != clause.without[i - 1].dependent) ++words;
  return words + clause.with.size();
}

}  // namespace

Rule ud() {
  return Rule("ud", Rule::Prepare([](Graph graph) {
                return Rule::Judge([validator = Validator(graph), clause = Clause()](
                                       const TreeRef& tree, Clause& broken) mutable {
                  std::size_t narrowest = std::numeric_limits<std::size_t>::max();
                  validator.run(tree, [&](std::string_view, Node, auto write) {
                    if (narrowest == 1) return;
                    clause.clear();
                    write(clause);
                    if (width(clause) >= narrowest) return;
                    narrowest = width(clause);
                    std::swap(clause, broken);
                  });
                  return narrowest != std::numeric_limits<std::size_t>::max();
                });
              }));
}

std::vector<UdIncident> ud_incidents(Graph graph, const TreeRef& tree) {
  std::vector<UdIncident> incidents;
  Validator(graph).run(tree, [&](std::string_view id, Node node, const auto&) {
    incidents.push_back({id, node});
  });
  return incidents;
}

}  // namespace coppice::rules
