// Just enough of UTF-8 for names and columns in a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::text {

// Not a character: U+FFFD is written.
void append_utf8(std::uint32_t code, std::string& out);

// Of a byte that belongs to no character.
inline constexpr std::uint32_t kNoCharacter = 0xFFFFFFFF;

// The character at text[at], and moves on; kNoCharacter for one byte that is none, overlong forms
// and surrogates among them.
std::uint32_t next_character(std::string_view text, std::size_t& at);

// Something that a terminal would obey instead of showing: U+0000 to U+001F, U+007F to U+009F.
inline bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// Something that shows what follows in another order than it is written: direction marks,
// embeddings, overrides and isolates. Words of some scripts have them.
inline bool is_direction(std::uint32_t code) {
  return code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

// For files: control characters, and what is no UTF-8, become U+FFFD. Those in `kept` stay.
void append_without_controls(std::string_view text, std::string& out, std::string_view kept = {});
// For columns and lines of files: tabs and ends of lines become blanks.
void append_plain(std::string_view text, std::string& out);
// For people and terminals: direction characters, too.
void append_printable(std::string_view text, std::string& out);
std::string printable(std::string_view text);

// At most so many bytes of it, no character cut in two; "..." stands for the rest.
std::string shortened(std::string_view text, std::size_t most);

// How many columns of a terminal the text takes: wide East Asian characters and emoji two,
// combining marks none.
std::size_t display_width(std::string_view text);

}  // namespace coppice::text
