// coppice evaluate: how good the best tree is, and the best of the K best.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "decoding.hpp"
#include "input.hpp"

namespace coppice::cli {

struct EvaluateCommand {
  InputOptions input;
  DecodingOptions decoding;  // k is set by the command
  std::vector<std::int64_t> ks = {1, 5, 10, 20, 50};
  bool json = false;
};

// One row per K. Gold heads come from the score file or from --text; labels are compared where
// there are both gold labels and label scores, without the part behind a colon. A sentence without
// a tree counts with no word right. Throws io::FormatError where a sentence has no gold heads.
int evaluate(const EvaluateCommand& command, std::ostream& out, std::ostream& log);

}  // namespace coppice::cli
