// coppice ties: how many trees share the best score, and how many of them have each edge.
#pragma once

#include <coppice/problem.hpp>
#include <cstdint>
#include <ostream>

#include "input.hpp"

namespace coppice::cli {

enum class TiesFormat : std::uint8_t { jsonl, tsv };

struct TiesCommand {
  InputOptions input;
  Problem problem{RootRule::single};
  bool root_given = false;  // as in DecodingOptions
  TiesFormat format = TiesFormat::jsonl;
  bool log_only = false;  // not the exact number
  bool strict = false;
};

// One line for each graph, or one for each edge that a best tree has; messages to log.
int ties(const TiesCommand& command, std::ostream& out, std::ostream& log);

}  // namespace coppice::cli
