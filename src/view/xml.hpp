// Text inside XML and HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/utf8.hpp"

namespace coppice::view {

// Also good inside double quotes. What XML does not allow, and what is no UTF-8, becomes U+FFFD.
inline void append_xml(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const std::uint32_t code = text::next_character(text, at);
    const bool control = text::is_control(code) && code != '\t' && code != '\n';
    switch (code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case 0xFFFE:
      case 0xFFFF:
      case text::kNoCharacter:
        text::append_utf8(0xFFFD, out);
        break;
      default:
        if (control)
          text::append_utf8(0xFFFD, out);
        else
          out += text.substr(start, at - start);
    }
  }
}

}  // namespace coppice::view
