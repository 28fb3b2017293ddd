// What the program says to people, on standard error.
#pragma once

#include <ostream>
#include <string_view>

namespace coppice::cli {

// One line of bounded length in which nothing steers a terminal, whatever a file says it is named
// or contains.
void say(std::ostream& log, std::string_view text);

}  // namespace coppice::cli
