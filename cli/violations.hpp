// coppice violations: how many of the K best trees break the root rule when nobody asks for it.
// This is the experiment of the paper (its table of violation rates).
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "decoding.hpp"
#include "input.hpp"

namespace coppice::cli {

struct ViolationsCommand {
  InputOptions input;
  DecodingOptions decoding;  // root and k are set by the command
  std::vector<std::int64_t> ks = {1, 5, 10, 20, 50};
  bool json = false;
};

// One row per file and one column per K; writes to out, messages to log.
int violations(const ViolationsCommand& command, std::ostream& out, std::ostream& log);

}  // namespace coppice::cli
