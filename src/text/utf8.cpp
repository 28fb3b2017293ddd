#include "text/utf8.hpp"

#include <algorithm>
#include <array>

namespace coppice::text {
namespace {

struct Range {
  std::uint32_t first, last;
};

// The blocks that matter in practice, not all of Unicode.
constexpr std::array kZeroWidth = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x0670, 0x0670}, Range{0x06D6, 0x06DC}, Range{0x06DF, 0x06E4},
    Range{0x06E7, 0x06E8}, Range{0x06EA, 0x06ED}, Range{0x0900, 0x0902}, Range{0x093A, 0x093A},
    Range{0x093C, 0x093C}, Range{0x0941, 0x0948}, Range{0x094D, 0x094D}, Range{0x0951, 0x0957},
    Range{0x0E31, 0x0E31}, Range{0x0E34, 0x0E3A}, Range{0x0E47, 0x0E4E}, Range{0x1AB0, 0x1AFF},
    Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F},
    Range{0xFE20, 0xFE2F}};
constexpr std::array kDoubleWidth = {
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, std::uint32_t code) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                      [](std::uint32_t c, const Range& r) { return c < r.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

// U+FFFD for every character that is to go, and for bytes that are none.
template <class Goes>
void append_replacing(std::string_view text, std::string& out, const Goes& goes) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const std::uint32_t code = next_character(text, at);
    if (code == kNoCharacter || goes(code))
      append_utf8(0xFFFD, out);
    else
      out += text.substr(start, at - start);
  }
}

}  // namespace

void append_utf8(std::uint32_t code, std::string& out) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[more] | (code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
}

std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at++]);
  if (byte < 0x80) return byte;
  const std::size_t more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
  if (byte < 0xC2 || byte > 0xF4 || text.size() - at < more) return kNoCharacter;
  std::uint32_t code = byte & (0x3Fu >> more);
  for (std::size_t i = 0; i < more; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0u) != 0x80) return kNoCharacter;
    code = (code << 6) | (next & 0x3Fu);
  }
  constexpr std::array<std::uint32_t, 4> kLeast = {0, 0x80, 0x800, 0x10000};
  if (code < kLeast[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
    return kNoCharacter;
  at += more;
  return code;
}

void append_without_controls(std::string_view text, std::string& out, std::string_view kept) {
  append_replacing(text, out, [&](std::uint32_t code) {
    return is_control(code) && kept.find(static_cast<char>(code)) == std::string_view::npos;
  });
}

void append_plain(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\t\n\r", at), text.size());
    append_without_controls(text.substr(at, end - at), out);
    if (end < text.size()) out += ' ';
    at = end + 1;
  }
}

void append_printable(std::string_view text, std::string& out) {
  append_replacing(text, out,
                   [](std::uint32_t code) { return is_control(code) || is_direction(code); });
}

std::string printable(std::string_view text) {
  std::string out;
  append_printable(text, out);
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = 0;
  for (std::size_t at = 0; at < most; next_character(text, at)) end = at;
  return std::string(text.substr(0, end)) + "...";
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t code = next_character(text, at);
    width += is_in(kZeroWidth, code) ? 0 : is_in(kDoubleWidth, code) ? 2 : 1;
  }
  return width;
}

}  // namespace coppice::text
