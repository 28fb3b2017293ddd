// coppice verify: are these trees what they claim to be?
#pragma once

#include <coppice/problem.hpp>
#include <ostream>
#include <string>

#include "input.hpp"

namespace coppice::cli {

struct VerifyCommand {
  std::string trees;   // jsonl, as decode writes it; "-" is standard input
  InputOptions input;  // the scores
  Problem problem{RootRule::single};
  bool root_given = false;  // as in DecodingOptions
  // How far a score may be off, relative to the sum of the absolute weights of the tree.
  double tolerance = 1e-9;
};

// Checks that every sentence has its lines, in order; that every line is a tree of the graph which
// obeys the root rule and all others, with the score and gap it says; that no tree is better than
// the one before or comes twice; and that no legal tree beats the first (by a certificate, under
// rules by a proof, that is checked on its own).
// Faults go to log, a summary to out; kOk or kNotGood.
int verify(const VerifyCommand& command, std::ostream& out, std::ostream& log);

}  // namespace coppice::cli
