// coppice decode: the K best trees of every sentence.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "decoding.hpp"
#include "input.hpp"

namespace coppice::cli {

enum class Format : std::uint8_t { jsonl, conllu, text, tsv, newick, nexus, dot, graphml };
enum class Colour : std::uint8_t { when_terminal, always, never };

struct DecodeCommand {
  InputOptions input;
  DecodingOptions decoding;
  Format format = Format::jsonl;
  Colour colour = Colour::when_terminal;
  std::string output;  // empty: standard output
  std::string stats;   // a JSON summary, or empty
  bool resume = false;
  bool probabilities = false;
};

// Returns the exit code. Messages about sentences go to log.
int decode(const DecodeCommand& command, std::ostream& log);

}  // namespace coppice::cli
