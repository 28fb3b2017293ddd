// coppice annotate: a page on which trees are corrected.
#pragma once

#include <ostream>
#include <string>

#include "decoding.hpp"
#include "input.hpp"

namespace coppice::cli {

struct AnnotateCommand {
  InputOptions input;  // no files at all: an empty page, onto which they can be dropped
  DecodingOptions decoding;
  std::string output;  // empty: standard output
  bool open = false;   // in a browser
  std::string title;   // empty: the names of the files
  bool from_text = false;
};

int annotate(const AnnotateCommand& command, std::ostream& log);

}  // namespace coppice::cli
