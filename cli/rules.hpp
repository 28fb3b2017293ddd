// Rules as they are written on the command line.
#pragma once

#include <coppice/rule.hpp>
#include <string>
#include <string_view>

namespace coppice::cli {

// "projective", "at-most=1:nsubj,csubj", "max-children=3", "max-depth=6", "leaves=punct,cc", "ud".
// Throws UsageError.
Rule parse_rule(const std::string& text);

// What there is, for help texts.
inline constexpr std::string_view kRuleNames =
    "projective, at-most=N:LABEL,..., max-children=N, max-depth=N, leaves=LABEL,..., ud";

}  // namespace coppice::cli
