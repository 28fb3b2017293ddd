// coppice confidence: how sure every tree, head and label is, and what to look at first.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "decoding.hpp"
#include "input.hpp"

namespace coppice::cli {

// By what sentences are the worst.
enum class WorstBy : std::uint8_t {
  errors,       // words that are expected to be wrong
  rate,         // their share
  probability,  // of the best tree, the least likely first
};

struct ConfidenceCommand {
  InputOptions input;
  DecodingOptions decoding;
  std::string output;        // CoNLL-U; empty: standard output
  std::string worst_output;  // CoNLL-U of the worst alone, or empty
  std::int64_t worst = 10;
  WorstBy by = WorstBy::errors;
  double highlight = 0.5;  // words less sure than that are marked
  bool json = false;
};

// The summary goes to out, or to log where the trees go to standard output. Returns the exit code.
int confidence(const ConfidenceCommand& command, std::ostream& out, std::ostream& log);

}  // namespace coppice::cli
