// What is said about a command line that cannot be understood.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::cli {

// In one line: what is wrong, what may have been meant, and where to read on.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

// The command of that name. Throws UsageError, with the name that may have been meant.
const CLI::App& command_named(const CLI::App& app, const std::string& name);

// The candidate that is most like the word, or "" where none is: few letters changed, left out,
// added or swapped, or only its beginning typed.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace coppice::cli
