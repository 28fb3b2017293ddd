// Rules as they are written on the command line.
#pragma once

#include <coppice/io.hpp>
#include <coppice/rule.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::cli {

// "projective", "at-most=1:nsubj,csubj", "max-children=3", "max-depth=6", "leaves=punct,cc", "ud".
// Throws UsageError.
Rule parse_rule(const std::string& text);

// A rule on labels needs some: throws UsageError where it is asked about a score matrix, which has
// none but those of --labels.
void check_labels(const std::vector<Rule>& rules, const io::Sentence& sentence);

// What there is, for help texts.
inline constexpr std::string_view kRuleNames =
    "projective, at-most=N:LABEL,..., max-children=N, max-depth=N, leaves=LABEL,..., ud";

}  // namespace coppice::cli
