// coppice view: a page to walk through the K best trees, or one tree as SVG.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "decoding.hpp"
#include "input.hpp"

namespace coppice::cli {

struct ViewCommand {
  InputOptions input;
  DecodingOptions decoding;
  std::string output;  // empty: standard output
  bool open = false;   // in a browser
  std::string title;   // empty: the names of the files
  // One tree as SVG instead of the page.
  bool svg = false;
  std::string sentence;  // id, or else index; empty: the first
  std::int64_t rank = 1;
};

int view(const ViewCommand& command, std::ostream& log);

}  // namespace coppice::cli
