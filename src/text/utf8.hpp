// Just enough of UTF-8 for names and columns in a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::text {

// Not a character: U+FFFD is written.
void append_utf8(std::uint32_t code, std::string& out);

// How many columns of a terminal the text takes: wide East Asian characters and emoji two,
// combining marks none.
std::size_t display_width(std::string_view text);

}  // namespace coppice::text
