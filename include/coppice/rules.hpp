// Rules ready to use. What each returns for a bad tree, and why that is right, is in docs/rules.md.
//
//   namespace rules = coppice::rules;
//   coppice::Problem problem{.root = coppice::RootRule::single,
//                        .rules = {rules::projective(), rules::max_children(4)}};
//
// Rules on labels need a labelled graph: coppice::Graph(multigraph, facts) with edge_labels and
// label_names (facts.hpp). A label stands for its subtypes too ("nsubj" for "nsubj:pass"), unless
// it names one itself.
//
// Throws: Error for arguments out of range, where a rule is made; and where a rule on labels meets
// a graph without labels, or one that has none of them. Cost: a rule looks at a tree in O(N);
// rules::projective() alone is searched by dynamic programming, O(N^3) for the first tree. Threads:
// rules may be used by several threads at once.
#pragma once

#include <coppice/rule.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::rules {

// Whether "nsubj" stands for "nsubj:pass" and "nsubj:outer" too.
enum class Subtypes : std::uint8_t { included, apart };

// At most n edges with these labels leave any one head. n >= 0.
Rule at_most(std::int32_t n, std::vector<std::string> labels,
             Subtypes subtypes = Subtypes::included);

// At most d children for every node, the root too; or for each node its own number (N + 1 of them,
// the root's first). d >= 0.
Rule max_children(std::int32_t d);
Rule max_children(std::vector<std::int32_t> d);

// At least so many children for each node (N + 1 numbers, the root's first).
Rule min_children(std::vector<std::int32_t> d);

// No word is more than d edges away from the root. d >= 1.
Rule max_depth(std::int32_t d);

// No two edges cross when drawn above the sentence, node 0 standing before the first word.
Rule projective();

// Words with these labels have no children.
Rule leaves(std::vector<std::string> labels);

// Frequencies of clones, [node][sample] row-major, (N + 1) x samples: in no sample do the children
// of a node add up to more than the node itself (plus the tolerance, which suits data of six
// digits). Or the least and the most that each may be: then a tree is legal where there are
// frequencies in between of which that is true. All are finite and >= 0; they are read as whole
// multiples of a unit, 2^-61 of about what the largest of them would add up to, and sums are exact.
inline constexpr double kFrequencyTolerance = 1e-4;
Rule sum_condition(const std::vector<double>& frequencies, std::int32_t samples,
                   double tolerance = kFrequencyTolerance);
Rule sum_condition(const std::vector<double>& least, const std::vector<double>& most,
                   std::int32_t samples, double tolerance = kFrequencyTolerance);

// What the validator of Universal Dependencies, level 3, says of heads, labels, tags and word
// order: all its errors of class SYNTAX. Needs labels and tags; features and MISC where there are
// any.
Rule ud();

// A rule as text: "projective", "at-most=1:nsubj,csubj", "max-children=3", "max-depth=6",
// "leaves=punct,cc", "ud". Throws Error for anything else.
Rule parse(std::string_view text);
inline constexpr std::string_view kNames =
    "projective, at-most=N:LABEL,..., max-children=N, max-depth=N, leaves=LABEL,..., ud";

// What the validator would report for a tree, in its words.
struct UdIncident {
  std::string_view id;  // of the test: "too-many-subjects"
  Node node;            // the word that is blamed; 0 for multiple-roots
  friend bool operator==(const UdIncident&, const UdIncident&) = default;
};
std::vector<UdIncident> ud_incidents(Graph graph, const TreeRef& tree);

}  // namespace coppice::rules
