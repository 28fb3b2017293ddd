// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace coppice::view {

// Also good inside double quotes.
inline void append_xml(std::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
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
      default:
        // Other control characters are not allowed in XML at all.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? ' ' : c;
    }
  }
}

}  // namespace coppice::view
