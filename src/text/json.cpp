#include "text/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace coppice::text {
namespace {

// Characters that a terminal would obey are escaped also where JSON has no objection.
void append_unusual(std::string_view text, std::string& out) {
  const std::string json =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t start = at;
    const std::uint32_t code = next_character(json, at);
    if (is_control(code))
      out += fmt::format("\\u{:04x}", code);
    else
      out.append(json, start, at - start);
  }
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\') {
      return append_unusual(text, out);
    }
  }
  out += '"';
  out += text;
  out += '"';
}

void append_json_number(double value, std::string& out) {
  if (std::isfinite(value)) {
    append_number(value, out);
  } else {
    out += "null";
  }
}

}  // namespace coppice::text
