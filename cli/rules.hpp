// Rules on the command line.
#pragma once

#include <coppice/io.hpp>
#include <coppice/rule.hpp>
#include <vector>

namespace coppice::cli {

// A rule on labels needs some: throws UsageError where it is asked about a score matrix, which has
// none but those of --labels.
void check_labels(const std::vector<Rule>& rules, const io::Sentence& sentence);

}  // namespace coppice::cli
