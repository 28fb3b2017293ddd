// Files that a command must not mix up.
#pragma once

#include <string>
#include <vector>

#include "input.hpp"

namespace coppice::cli {

// All files that are read, those named by options, too.
std::vector<std::string> files_read(const InputOptions& input);

// Throws UsageError where one of the outputs, or a file that is written on the way to it, is a file
// that is read, or another output. Empty names and "-" are no files.
void refuse_clashes(const InputOptions& input, const std::vector<std::string>& outputs);

}  // namespace coppice::cli
